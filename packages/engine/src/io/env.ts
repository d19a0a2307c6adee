import { randomBytes } from "node:crypto"

/** All that is ambient, as values: clock, ids, chance. Passed in, never read elsewhere. */
export interface Env {
  /** Milliseconds since the epoch. */
  now(): number
  /** A new id, sortable by time of making: 8 characters of time and 8 of chance, [0-9a-z]. */
  newId(): string
  /** The user's and machine's name for display and for owning waiting calls: pid and its start. */
  readonly process: { readonly pid: number; readonly startedAt: number }
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Environment variables of this process: what commands get of them is `environment.ts`'s to say. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function realEnv(): Env {
  return {
    now: () => Date.now(),
    variables: process.env,
    newId: () => Date.now().toString(36).padStart(8, "0").slice(-8) + base36(randomBytes(6)),
    process: { pid: process.pid, startedAt: Date.now() - Math.round(process.uptime() * 1000) },
    sleep: (ms, signal) =>
      new Promise(resolve => {
        const timer = setTimeout(resolve, ms)
        signal?.addEventListener("abort", () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}

function base36(bytes: Uint8Array): string {
  return bytes
    .reduce((text, byte) => text + (byte % 36).toString(36), "")
    .padEnd(8, "0")
    .slice(0, 8)
}
