import { request as httpRequest } from "node:http"
import type { Address } from "./address.ts"

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly data: string
}

/** Silence longer than this (ms) is a dead server: it gives a sign of life every 15 s. */
const longestSilence = 45_000

/** Listens to a server's events until `stop`; `ended` is called once when the stream ends by itself. */
export function listen(
  address: Address,
  heard: (event: ServerEvent) => void,
  ended: (why: string) => void,
): { stop(): void } {
  let over = false
  const end = (why: string): void => {
    if (over) return
    over = true
    call.destroy()
    ended(why)
  }
  const call = httpRequest(
    new URL("api/events", address.url),
    { agent: false, headers: { authorization: `Bearer ${address.token}`, accept: "text/event-stream" } },
    response => {
      if (response.statusCode !== 200) return end(`The program answered with status ${response.statusCode ?? 0}.`)
      const read = eventReader(heard)
      response.setEncoding("utf8").on("data", (text: string) => read(text))
      response.on("error", error => end(error.message))
      response.on("close", () => end("The program ended."))
    },
  )
  call.setTimeout(longestSilence, () => end("The program went silent."))
  call.on("error", error => end(error.message))
  call.end()
  return {
    stop() {
      over = true
      call.destroy()
    },
  }
}

/** Takes the stream in pieces, cut anywhere, and calls `heard` for each whole event. Comments are signs of life only. */
export function eventReader(heard: (event: ServerEvent) => void): (text: string) => void {
  let rest = ""
  return text => {
    const blocks = (rest + text).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const fields = block.split(/\r?\n/).map(line => /^(\w+): ?(.*)$/.exec(line))
      const data = fields.flatMap(field => (field?.[1] === "data" ? [field[2] ?? ""] : []))
      const event = fields.findLast(field => field?.[1] === "event")?.[2] ?? "message"
      if (data.length > 0) heard({ event, data: data.join("\n") })
    }
  }
}
