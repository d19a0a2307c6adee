import { AskError, type Client } from "./client.ts"

export type LiveState = "connecting" | "live" | "away" | "refused"

/** Wait before coming back, growing (ms). A server that is restarted is found again within a second or two. */
const firstWait = 400
const longestWait = 4000

/** Keeps listening, coming back after every break. `changed` is called for each event and after each return. Returns how to stop. */
export function stayLive(client: Client, changed: () => void, state: (now: LiveState) => void): () => void {
  const stop = new AbortController()
  let wait = firstWait
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      try {
        await client.listen(event => {
          wait = firstWait
          if (event === "hello") state("live")
          changed()
        }, stop.signal)
      } catch (error) {
        if (error instanceof AskError && error.code === "UNTRUSTED") state("refused")
      }
      if (stop.signal.aborted) return
      state("away")
      await pause(wait, stop.signal)
      wait = Math.min(wait * 1.6, longestWait)
    }
  }
  state("connecting")
  void loop()
  return () => stop.abort()
}

/** Ends early when the machine is back on a network or the tab is looked at again. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      removeEventListener("online", done)
      removeEventListener("focus", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener("online", done)
    addEventListener("focus", done)
    signal.addEventListener("abort", done)
  })
}
