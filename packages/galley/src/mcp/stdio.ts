import type { Readable, Writable } from "node:stream"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { askedCalls } from "./question.ts"
import { type Connection, mcpServer } from "./server.ts"
import { stdioWire } from "./wire.ts"

/** Serves one client on the given streams; resolves when it is gone (or `signal` is aborted) and its calls are cancelled. */
export function serveOnStreams(
  connection: Connection,
  streams: { readonly input: Readable; readonly output: Writable },
  signal: AbortSignal,
): Promise<void> {
  return new Promise(resolve => {
    const transport = stdioWire(streams.input, streams.output)
    const asked = askedCalls()
    const handle = serveStdio(mcpServer({ ...connection, asked }), {
      transport,
      onerror: error => connection.log(error.message),
    })
    const closeAll = transport.onclose
    transport.onclose = () => {
      closeAll?.()
      asked.close()
      resolve()
    }
    signal.addEventListener("abort", () => void handle.close())
    if (signal.aborted) void handle.close()
  })
}
