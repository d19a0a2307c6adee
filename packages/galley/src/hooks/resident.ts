import { chmodSync, mkdirSync, renameSync, statSync, unlinkSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { socketName } from "./resident-place.ts"

/** What a client sends: one line of JSON, and reads one line back. */
export interface HookRequest {
  /** Of its command line, behind `hook`. */
  readonly words: readonly string[]
  readonly input: string
  readonly cwd: string
  readonly variables: Readonly<Record<string, string>>
}

export interface HookAnswer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

export interface Serving {
  /** Where the socket is; owner-only. */
  readonly folder: string
  readonly program: string
  /** Ends after so long without a request. */
  readonly idleMs: number
  readonly signal: AbortSignal
  /** `signal`: whoever asked is gone. */
  answer(request: HookRequest, signal: AbortSignal): Promise<HookAnswer>
}

/** How often it is asked whether it is still wanted, in milliseconds. */
const lookEvery = 1_000
/** A payload larger than this is nobody's hook. Bytes. */
const largestRequest = 64 << 20

/**
 * Answers hooks on a socket until nobody has asked for a while, the socket is gone (its folder was removed, another process took its
 * place) or it is told to end. Returns at once if another process listens there already.
 */
export async function serveHooks(serving: Serving): Promise<void> {
  mkdirSync(serving.folder, { recursive: true, mode: 0o700 })
  chmodSync(serving.folder, 0o700)
  // A socket's path may have 107 bytes; from within its folder it is short.
  process.chdir(serving.folder)
  const name = socketName(serving.program, process.execPath)
  if (await isAnswered(name)) return
  let working = 0
  let lastAsked = Date.now()
  const server = createServer({ allowHalfOpen: true }, socket => {
    working++
    lastAsked = Date.now()
    answerOn(socket, serving)
      .catch(() => socket.destroy())
      .finally(() => {
        working--
        lastAsked = Date.now()
      })
  })
  const own = `${process.pid}.sock`
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(own, resolve)
  })
  chmodSync(own, 0o600)
  const { ino } = statSync(own)
  renameSync(own, name)
  await new Promise<void>(resolve => {
    const timer = setInterval(() => {
      const mine = statSync(name, { throwIfNoEntry: false })?.ino === ino
      if (working > 0) return
      if (mine && Date.now() - lastAsked < serving.idleMs && !serving.signal.aborted) return
      clearInterval(timer)
      if (mine) unlinkSync(name)
      resolve()
    }, lookEvery)
  })
  await new Promise<void>(resolve => {
    server.close(() => resolve())
  })
}

function isAnswered(name: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(name)
    socket.on("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.on("error", () => resolve(false))
  })
}

async function answerOn(socket: Socket, serving: Serving): Promise<void> {
  const text = await lineFrom(socket)
  if (text === "") return
  const gone = new AbortController()
  // A client sends nothing behind its request, not even an end, until it has its answer.
  for (const event of ["end", "close", "error"]) socket.on(event, () => gone.abort())
  if (socket.readableEnded) gone.abort()
  const answer = await serving.answer(JSON.parse(text) as HookRequest, gone.signal)
  await new Promise<void>(resolve => {
    socket.end(`${JSON.stringify(answer)}\n`, () => resolve())
  })
}

/** What comes up to the first line end. (Iterating over a socket and stopping would close it.) */
function lineFrom(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const done = (): void => resolve(Buffer.concat(chunks).toString("utf8"))
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > largestRequest) reject(new Error("the request is too large"))
      else if (chunk.at(-1) === 10) done()
    })
    socket.on("end", done)
    socket.on("error", reject)
  })
}
