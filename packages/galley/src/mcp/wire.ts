import type { Readable, Writable } from "node:stream"
import { parseJSONRPCMessage, type Transport } from "@modelcontextprotocol/server"

type Message = Parameters<Transport["send"]>[0]

/** Longer lines are answered with an error and skipped. A 64 MiB file in a `create`, escaped, is well below. */
const longestLine = 256 * 1024 * 1024

/** How long calls in flight may go on after the client closed its end: time for a short edit, not for a person's answer. */
const graceMs = 1_000

/**
 * MCP's stdio transport: one JSON-RPC message a line. Instead of the SDK's own because real clients need more:
 *
 * - Requests of ours have ids that are strings: cline 3.0 takes a server's request whose id equals one of its own pending ids for
 *   the reply, and crashes.
 * - A line that is no message is answered as JSON-RPC 2.0 §5.1 says; the SDK drops it, or, over 10 MB, the connection.
 * - A client that closes its end right after its last request still gets the answers to short calls; then calls are cancelled.
 */
export function stdioWire(input: Readable, output: Writable): Transport {
  const open = new Set<string | number>()
  let ended = false
  let closed = false
  const reader = lineReader(
    line => receive(line),
    () => refuse(null, -32600, "The message is too long."),
  )

  const transport: Transport = {
    start() {
      input.on("data", reader)
      input.on("error", error => transport.onerror?.(error))
      input.on("end", finish)
      input.on("close", finish)
      // EPIPE: the client is gone; nobody reads an answer.
      output.on("error", () => void transport.close())
      return Promise.resolve()
    },
    send(message) {
      if (closed) return Promise.reject(new Error("The connection is closed"))
      if ("id" in message && !("method" in message) && message.id !== undefined) {
        open.delete(message.id)
        if (ended && open.size === 0) setImmediate(() => void transport.close())
      }
      return write(withStringId(message))
    },
    close() {
      if (closed) return Promise.resolve()
      closed = true
      input.off("data", reader)
      input.off("end", finish)
      input.off("close", finish)
      input.pause()
      transport.onclose?.()
      return Promise.resolve()
    },
  }
  return transport

  function finish(): void {
    if (ended) return
    ended = true
    if (open.size === 0) setImmediate(() => void transport.close())
    else setTimeout(() => void transport.close(), graceMs).unref()
  }

  function receive(line: string): void {
    if (line.trim() === "") return
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      refuse(null, -32700, "Parse error: a line must be one JSON-RPC message.")
      return
    }
    let message: Message
    try {
      message = parseJSONRPCMessage(value)
    } catch {
      refuse(idOf(value), -32600, "Invalid request: not a JSON-RPC 2.0 message.")
      return
    }
    if ("method" in message && "id" in message && message.id !== undefined) open.add(message.id)
    if ("method" in message && message.method === "notifications/cancelled") {
      const cancelled = (message.params as { requestId?: unknown } | undefined)?.requestId
      if (typeof cancelled === "string" || typeof cancelled === "number") open.delete(cancelled)
    }
    transport.onmessage?.(withNumberId(message))
  }

  function refuse(id: string | number | null, code: number, text: string): void {
    transport.onerror?.(new Error(text))
    if (!closed) void write({ jsonrpc: "2.0", id, error: { code, message: text } }).catch(() => {})
  }

  /** Resolves when the text is taken; a slow reader slows us down. */
  function write(message: object): Promise<void> {
    return new Promise((resolve, reject) => {
      output.write(`${JSON.stringify(message)}\n`, error => (error == null ? resolve() : reject(error)))
    })
  }
}

const ownIds = "galley-"

function withStringId(message: Message): Message {
  if ("method" in message && message.method === "notifications/cancelled") {
    const { requestId } = (message.params ?? {}) as { requestId?: unknown }
    const named = typeof requestId === "number" ? { requestId: `${ownIds}${requestId}` } : {}
    return { ...message, params: { ...message.params, ...named } }
  }
  return "method" in message && "id" in message && typeof message.id === "number"
    ? { ...message, id: `${ownIds}${message.id}` }
    : message
}

/** The answer to one of ours, with the number that the SDK knows it by. */
function withNumberId(message: Message): Message {
  if ("method" in message || !("id" in message) || typeof message.id !== "string") return message
  return message.id.startsWith(ownIds) ? { ...message, id: Number(message.id.slice(ownIds.length)) } : message
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== "object" || value === null || !("id" in value)) return null
  return typeof value.id === "string" || typeof value.id === "number" ? value.id : null
}

/** Cuts chunks into lines. Pieces are joined once a line is whole, so a long one costs its length, not its square. */
function lineReader(onLine: (line: string) => void, onTooLong: () => void): (chunk: Buffer | string) => void {
  let pieces: Buffer[] = []
  let length = 0
  let skipping = false
  return chunk => {
    let rest = typeof chunk === "string" ? Buffer.from(chunk) : chunk
    for (let at = rest.indexOf(0x0a); at >= 0; at = rest.indexOf(0x0a)) {
      keep(rest.subarray(0, at))
      if (skipping) onTooLong()
      else onLine(Buffer.concat(pieces).toString("utf8"))
      pieces = []
      length = 0
      skipping = false
      rest = rest.subarray(at + 1)
    }
    keep(rest)
  }

  function keep(piece: Buffer): void {
    length += piece.length
    if (length > longestLine) {
      skipping = true
      pieces = []
    } else if (piece.length > 0) pieces.push(piece)
  }
}
