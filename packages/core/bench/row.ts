/** One line of the bench table: the same work by us and by a peer, medians of paired runs in milliseconds. */
export interface BenchRow {
  readonly work: string
  readonly against: string
  readonly ours: number
  readonly theirs: number
  /** ours / theirs */
  readonly ratio: number
  readonly bar: string
  readonly holds: boolean
}

export interface Contest {
  readonly work: string
  readonly against: string
  readonly pairs: number
  readonly ours: () => unknown
  /** The work, or milliseconds measured before where the peer is too slow to run in pairs. */
  readonly theirs: (() => unknown) | number
  readonly bar: string
  readonly holds: (ratio: number, ours: number) => boolean
}

/**
 * Runs both in turn, so that a busy machine is busy for both, after one unmeasured round. The ratio is the median of the pairs'
 * ratios.
 */
export function contest(options: Contest): BenchRow {
  const { theirs } = options
  const theirTime = (): number => (typeof theirs === "number" ? theirs : timed(theirs))
  options.ours()
  theirTime()
  const pairs = Array.from({ length: options.pairs }, (_, at) => {
    // Who goes first changes from pair to pair.
    if (at % 2 === 0) {
      const ours = timed(options.ours)
      return { ours, theirs: theirTime() }
    }
    const first = theirTime()
    return { ours: timed(options.ours), theirs: first }
  })
  const ratio = median(pairs.map(pair => pair.ours / pair.theirs))
  const ours = median(pairs.map(pair => pair.ours))
  return {
    work: options.work,
    against: options.against,
    ours,
    theirs: median(pairs.map(pair => pair.theirs)),
    ratio,
    bar: options.bar,
    holds: options.holds(ratio, ours),
  }
}

function timed(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export function printRows(rows: readonly BenchRow[]): void {
  for (const row of rows) {
    const verdict = row.holds ? "holds" : "LOSES"
    const times = `${row.ours.toFixed(1)} ms against ${row.theirs.toFixed(1)} ms, ratio ${row.ratio.toPrecision(3)}`
    console.log(`${verdict}  ${row.work}: ${row.against}: ${times} (bar: ${row.bar})`)
  }
}
