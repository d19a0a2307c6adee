import type { DiskChange } from "./seen.ts"

/** As git's default (-M50%): at least half of the larger content is common. */
const alikeEnough = 0.5
/** Larger contents, and more pairs than this, are not compared: a rename is for display and not worth seconds. */
const sizeLimit = 1024 * 1024
const pairLimit = 4000

/** A file as its lines, counted. */
interface Sketch {
  readonly change: DiskChange
  readonly bytes: number
  readonly lines: ReadonlyMap<string, number>
}

/**
 * Pairs files that were renamed and edited in one go: what left with what arrived, best likeness first, the same name before another.
 * Likeness is the share of bytes in common lines. Returns the old path by the new one.
 */
export async function pairAlike(
  left: readonly DiskChange[],
  arrived: readonly DiskChange[],
): Promise<ReadonlyMap<string, string>> {
  if (left.length * arrived.length > pairLimit) return new Map()
  const olds = await sketches(left, "before")
  const news = await sketches(arrived, "after")
  const found: { readonly from: string; readonly to: string; readonly score: number }[] = []
  for (const old of olds)
    for (const now of news) {
      const score = likeness(old, now)
      if (score < alikeEnough) continue
      const [from, to] = [old.change.path, now.change.path]
      found.push({ from, to, score: score + (nameOf(from) === nameOf(to) ? 1 : 0) })
    }
  found.sort((a, b) => b.score - a.score || (a.from + a.to < b.from + b.to ? -1 : 1))
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { from, to } of found) {
    if (pairs.has(to) || taken.has(from)) continue
    pairs.set(to, from)
    taken.add(from)
  }
  return pairs
}

async function sketches(changes: readonly DiskChange[], side: "before" | "after"): Promise<Sketch[]> {
  const found: Sketch[] = []
  for (const change of changes) {
    const seen = change[side]
    if (seen.kind !== "file" || seen.size === 0 || seen.size > sizeLimit) continue
    const bytes = await seen.read().catch(() => null)
    if (bytes === null) continue
    const lines = new Map<string, number>()
    // Blank lines make nothing alike.
    for (const line of Buffer.from(bytes).toString("latin1").split("\n"))
      if (line.trim() !== "") lines.set(line, (lines.get(line) ?? 0) + 1)
    found.push({ change, bytes: bytes.length, lines })
  }
  return found
}

function likeness(a: Sketch, b: Sketch): number {
  const [smaller, larger] = a.bytes < b.bytes ? [a, b] : [b, a]
  if (smaller.bytes < larger.bytes * alikeEnough) return 0
  let common = 0
  for (const [line, count] of smaller.lines) common += (line.length + 1) * Math.min(count, larger.lines.get(line) ?? 0)
  return Math.min(1, common / larger.bytes)
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1)
}
