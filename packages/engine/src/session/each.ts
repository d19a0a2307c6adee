/** Runs `work` on each, at most `width` at a time. The first trouble is thrown after those under way have ended. */
export async function eachOf<T>(all: readonly T[], width: number, work: (one: T) => Promise<void>): Promise<void> {
  const queue = all.values()
  const troubles: unknown[] = []
  const run = async (): Promise<void> => {
    for (const one of queue) {
      if (troubles.length > 0) return
      try {
        await work(one)
      } catch (error) {
        troubles.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, all.length) }, run))
  if (troubles.length > 0) throw troubles[0]
}
