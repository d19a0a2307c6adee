import { createServer, type Server as HttpServer } from "node:http"
import { Failure } from "@galley/core/failure.ts"
import { afterEach, describe, expect, test } from "vitest"
import type { Server } from "../src/program/server.ts"
import { addressFrom } from "../src/wire/address.ts"
import { Connection } from "../src/wire/connection.ts"
import { eventReader } from "../src/wire/events.ts"
import { failureFrom, request, Unreachable } from "../src/wire/request.ts"

describe("the address that the program prints", () => {
  const check = (name: string, printed: string, expected: { url: string; token: string } | null): void =>
    test(name, () => expect(addressFrom(printed)).toEqual(expected))
  const line = `{"version":1,"url":"http://127.0.0.1:4100/#token=secret-token","pid":7}`

  check("is read", `${line}\n`, { url: "http://127.0.0.1:4100/", token: "secret-token" })
  check("is read behind a notice", `a notice\n${line}\n`, { url: "http://127.0.0.1:4100/", token: "secret-token" })
  check("is waited for while it is cut", line.slice(0, 30), null)
  check("is not believed without a token", `{"url":"http://127.0.0.1:4100/"}\n`, null)
  check("is not believed for another machine", line.replace("127.0.0.1", "192.0.2.1"), null)
  check("is nothing where the program says nothing", "", null)
})

test("events are read whole however the stream is cut", () => {
  const stream = ': here\n\nevent: hello\ndata: {"a":1}\n\nevent: change\ndata: one\ndata: two\n\n'
  for (let cut = 0; cut <= stream.length; cut++) {
    const heard: string[] = []
    const read = eventReader(({ event, data }) => heard.push(`${event} ${data}`))
    read(stream.slice(0, cut))
    read(stream.slice(cut))
    expect(heard).toEqual(['hello {"a":1}', "change one\ntwo"])
  }
})

describe("an answer that is no answer", () => {
  test("is the program's own failure", () => {
    const failure = failureFrom(409, `{"error":{"code":"STALE_REVISION","message":"It changed.","hint":"Look again."}}`)
    expect(failure).toBeInstanceOf(Failure)
    expect(failure instanceof Failure ? failure.toData() : null).toEqual({
      code: "STALE_REVISION",
      message: "It changed.",
      hint: "Look again.",
    })
  })
  test("is another server where the token is refused", () => expect(failureFrom(401, "")).toBeInstanceOf(Unreachable))
  test("is said by its status where it is not ours", () => {
    expect(failureFrom(502, "<html>").message).toContain("502")
    expect(failureFrom(400, `{"error":{"code":"MADE_UP","message":"x"}}`)).not.toBeInstanceOf(Failure)
  })
})

describe("a connection", () => {
  const open: { close(): void }[] = []
  afterEach(() => {
    for (const one of open.splice(0)) one.close()
  })

  /** A program that answers `status` with how often it was started. */
  async function program(run: number): Promise<{ server: Server; http: HttpServer }> {
    const http = createServer((asked, answer) => {
      if (asked.headers.authorization !== "Bearer t") return answer.writeHead(401).end()
      if (asked.url === "/api/events") {
        answer.writeHead(200, { "content-type": "text/event-stream" })
        return answer.write("event: hello\ndata: {}\n\n")
      }
      answer.end(JSON.stringify({ run }))
    })
    await new Promise<void>(done => http.listen(0, "127.0.0.1", done))
    const address = http.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    open.push({ close: () => http.close().closeAllConnections() })
    return { server: { address: { url: `http://127.0.0.1:${port}/`, token: "t" }, stop: () => {} }, http }
  }

  test("is made anew when the program ends, and says so in between", async () => {
    let run = 0
    let current: HttpServer | null = null
    const states: string[] = []
    const reached = waiter()
    const connection = new Connection(
      async () => {
        const { server, http } = await program(++run)
        current = http
        return server
      },
      link => {
        states.push(link.kind)
        if (states.length === 3) reached.done()
        if (states.length === 1) current?.closeAllConnections()
      },
      () => {},
    )
    open.push(connection)
    await connection.open()
    await reached.promise
    expect(states).toEqual(["open", "lost", "open"])
    expect(await connection.request("status", {})).toEqual({ run: 2 })
  })

  test("tries again where the program does not start", async () => {
    let attempts = 0
    const reached = waiter()
    const connection = new Connection(
      async () => {
        if (++attempts < 3) throw new Error("no program")
        return (await program(1)).server
      },
      link => {
        if (link.kind === "open") reached.done()
      },
      () => {},
    )
    open.push(connection)
    await connection.open()
    await reached.promise
    expect(attempts).toBe(3)
  })

  test("says that nothing was done where nobody listens", async () => {
    const { http, server } = await program(1)
    http.close()
    http.closeAllConnections()
    await expect(request(server.address, "status", {})).rejects.toBeInstanceOf(Unreachable)
  })

  test("starts nothing once it is closed", async () => {
    let starts = 0
    const connection = new Connection(
      async () => {
        starts++
        throw new Error("no program")
      },
      () => {},
      () => {},
    )
    await connection.open()
    connection.close()
    await new Promise(done => setTimeout(done, 400))
    expect(starts).toBe(1)
  })
})

function waiter(): { readonly promise: Promise<void>; readonly done: () => void } {
  let done = (): void => {}
  const promise = new Promise<void>(resolve => {
    done = resolve
  })
  return { promise, done }
}
