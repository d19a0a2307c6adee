/** What the store needs of the ambient world; `io/env.ts` provides it, tests replace it. */
export interface Waits {
  sleep(ms: number): Promise<void>
  /** Its last characters are chance; they spread the polls of processes that wait for the same thing. */
  newId(): string
}

/** What an attempt answers when somebody else holds what it needs. */
export const busy = Symbol("busy")

/**
 * Attempts until it is not busy, sleeping in between: 1 ms at first, growing by half to `ceiling`, each with ±50 % of jitter.
 * SQLite's own busy timeout is not used because it blocks the event loop.
 *
 * `patience` is counted in slept milliseconds, so a machine that was suspended does not give up on waking. Returns `busy`
 * when it runs out.
 */
export async function poll<T>(
  attempt: () => T | typeof busy,
  waits: Waits,
  ceiling: number,
  patience: number,
): Promise<T | typeof busy> {
  let slept = 0
  for (let pause = 1; ; pause = Math.min(pause * 1.5, ceiling)) {
    const result = attempt()
    if (result !== busy) return result
    if (slept >= patience) return busy
    const ms = pause * (0.5 + chance(waits))
    await waits.sleep(ms)
    slept += ms
  }
}

/** In [0, 1). */
export function chance(waits: Waits): number {
  const digits = Number.parseInt(waits.newId().slice(-6), 36)
  return Number.isNaN(digits) ? 0 : digits / 36 ** 6
}

/**
 * For callers that inject nothing. No clock and no randomness is read: what must differ is only the rhythm of two
 * processes, and their pids do.
 */
export function plainWaits(): Waits {
  let calls = 0
  return {
    sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
    newId: () => ((process.pid * 7_919 + ++calls * 104_729_003) % 36 ** 6).toString(36).padStart(6, "0"),
  }
}
