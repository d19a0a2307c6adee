import { diffLines } from "../diff/line-diff.ts"
import type { Hunk } from "../diff/hunk.ts"
import type { Encoding } from "../text/document.ts"
import { splitLines, type Line } from "../text/lines.ts"
import { fileOfLines, sameBytes, sameLoaded, textOf, type Charset, type Loaded, type LoadedFile } from "./loaded.ts"
import { merge3, settleMerge, type Merge, type MergeRegion } from "./merge3.ts"

/** What to do where both sides changed the same: ask, keep `ours` (the person's), or take `theirs` (what comes back). */
export type OnOverlap = "stop" | "keep-mine" | "take-theirs"

export type StateMerge =
  | { readonly kind: "merged"; readonly state: Loaded }
  /** `mine` and `theirs` are the two outcomes one can choose between; `keep-mine`/`take-theirs` settle only the overlap. */
  | { readonly kind: "conflict"; readonly reason: string; readonly mine: Loaded; readonly theirs: Loaded }
  /** Something was never seen; nothing may be written. */
  | { readonly kind: "unknown" }

/**
 * Three-way merge of what stands at a path, each property alone: existence and kind, mode, encoding, text by lines.
 *
 * `origin → theirs` is the change to bring in (for a take-back: from an operation's *after* to its *before*), `ours` what
 * stands now. Changes that touch without overlapping are both kept, where git would call a conflict: see
 * {@link joinTouching}.
 */
export function mergeStates(
  origin: Loaded,
  ours: Loaded,
  theirs: Loaded,
  onOverlap: OnOverlap,
  charset?: Charset,
): StateMerge {
  if (origin.kind === "unknown" || ours.kind === "unknown" || theirs.kind === "unknown") return { kind: "unknown" }
  if (sameLoaded(origin, theirs) || sameLoaded(ours, theirs)) return { kind: "merged", state: ours }
  if (sameLoaded(ours, origin)) return { kind: "merged", state: theirs }
  if (origin.kind === "file" && ours.kind === "file" && theirs.kind === "file")
    return mergeFiles(origin, ours, theirs, onOverlap, charset)
  if (origin.kind === "folder" && ours.kind === "folder" && theirs.kind === "folder")
    return settle(ours, theirs, "its mode was changed on both sides", onOverlap)
  return settle(ours, theirs, clash(origin, ours, theirs), onOverlap)
}

/** Lines merged three ways; changes that only touch are joined. */
export function mergeLines(origin: readonly Line[], ours: readonly Line[], theirs: readonly Line[]): Merge {
  const merge = merge3(origin, ours, theirs)
  if (merge.clean) return merge
  const regions = merge.regions.map(region => (region.kind === "conflict" ? joinAgreeing(region) : region))
  return { clean: regions.every(region => region.kind !== "conflict"), regions }
}

/**
 * Settles a conflict region in which one side did no more than the other did too: it changed the last or the first lines as the other did
 * (what both have there is agreed already, and gone from the region) and left the rest, which the other replaced line by line. Half of
 * a change that was accepted then does not stand against taking back the whole. That side has no line of its own to lose.
 */
function joinAgreeing(region: Extract<MergeRegion, { kind: "conflict" }>): MergeRegion {
  const { origin, ours, theirs } = region
  if (ours.length === theirs.length && ours.length > 0) {
    if (isEndOf(origin, ours)) return { kind: "agreed", lines: theirs }
    if (isEndOf(origin, theirs)) return { kind: "agreed", lines: ours }
  }
  return joinTouching(region)
}

/** Whether the lines are the first or the last ones of longer lines. */
function isEndOf(whole: readonly Line[], part: readonly Line[]): boolean {
  const shift = whole.length - part.length
  return (
    shift > 0 && (part.every((line, at) => line === whole[at]) || part.every((line, at) => line === whole[at + shift]))
  )
}

/**
 * Joins the two changes of a conflict region where they only touch: no line of the origin is changed by both but to take it out, and
 * they do not insert at one point. A person's line typed directly under an agent's then survives taking the agent's back. What overlaps
 * stays a conflict.
 */
function joinTouching(region: Extract<MergeRegion, { kind: "conflict" }>): MergeRegion {
  const mine = diffLines(region.origin, region.ours)
  const other = diffLines(region.origin, region.theirs)
  const changes = [
    ...mine.hunks.map(hunk => ({ hunk, lines: region.ours })),
    ...other.hunks.map(hunk => ({ hunk, lines: region.theirs })),
  ].sort((a, b) => a.hunk.fromBase - b.hunk.fromBase || a.hunk.toBase - b.hunk.toBase)
  const lines: Line[] = []
  let done = 0
  let last: Hunk | null = null
  for (const { hunk, lines: from } of changes) {
    if (last !== null && isDeletion(hunk) && isDeletion(last) && hunk.fromBase < last.toBase) {
      // Both took lines out: all of them go.
      for (let at = done; at < hunk.fromBase; at++) lines.push(region.origin[at] ?? "")
      done = Math.max(done, hunk.toBase)
      if (hunk.toBase > last.toBase) last = hunk
      continue
    }
    if (
      last !== null &&
      (hunk.fromBase < last.toBase || (isInsertion(hunk) && isInsertion(last) && hunk.fromBase === last.fromBase))
    )
      return region
    for (let at = done; at < hunk.fromBase; at++) lines.push(region.origin[at] ?? "")
    for (let at = hunk.fromCurrent; at < hunk.toCurrent; at++) lines.push(from[at] ?? "")
    done = hunk.toBase
    last = hunk
  }
  for (let at = done; at < region.origin.length; at++) lines.push(region.origin[at] ?? "")
  return { kind: "agreed", lines }
}

function isDeletion(hunk: Hunk): boolean {
  return hunk.fromCurrent === hunk.toCurrent
}

function isInsertion(hunk: Hunk): boolean {
  return hunk.fromBase === hunk.toBase
}

function mergeFiles(
  origin: LoadedFile,
  ours: LoadedFile,
  theirs: LoadedFile,
  onOverlap: OnOverlap,
  charset?: Charset,
): StateMerge {
  const mode = mergeValue(origin.mode, ours.mode, theirs.mode)
  const content = mergeContents(origin, ours, theirs, onOverlap, charset)
  if (content.kind === "conflict") {
    const file = (bytes: Uint8Array, fallback: number): Loaded => ({ kind: "file", bytes, mode: mode ?? fallback })
    return {
      kind: "conflict",
      reason: content.reason,
      mine: file(content.mine, ours.mode),
      theirs: file(content.theirs, theirs.mode),
    }
  }
  if (mode !== null) return { kind: "merged", state: { kind: "file", bytes: content.bytes, mode } }
  return settle(
    { kind: "file", bytes: content.bytes, mode: ours.mode },
    { kind: "file", bytes: content.bytes, mode: theirs.mode },
    "its mode was changed on both sides",
    onOverlap,
  )
}

type ContentMerge =
  | { readonly kind: "merged"; readonly bytes: Uint8Array }
  | { readonly kind: "conflict"; readonly reason: string; readonly mine: Uint8Array; readonly theirs: Uint8Array }

function mergeContents(
  origin: LoadedFile,
  ours: LoadedFile,
  theirs: LoadedFile,
  onOverlap: OnOverlap,
  charset?: Charset,
): ContentMerge {
  if (sameBytes(origin.bytes, theirs.bytes) || sameBytes(ours.bytes, theirs.bytes))
    return { kind: "merged", bytes: ours.bytes }
  if (sameBytes(origin.bytes, ours.bytes)) return { kind: "merged", bytes: theirs.bytes }
  const texts = [origin, ours, theirs].map(file => textOf(file, charset))
  const [from, mine, other] = texts
  if (from == null || mine == null || other == null)
    return chooseBytes(ours, theirs, "its content is not text and was changed on both sides", onOverlap)
  const encoding = mergeEncoding(from.encoding, mine.encoding, other.encoding)
  if (encoding === null) return chooseBytes(ours, theirs, "its encoding was changed on both sides", onOverlap)
  const merge = mergeLines(splitLines(from.text), splitLines(mine.text), splitLines(other.text))
  const written = (side: "ours" | "theirs"): Uint8Array | null =>
    fileOfLines(settleMerge(merge, side), encoding, 0, charset)?.bytes ?? null
  const kept = written("ours")
  const taken = written("theirs")
  if (kept === null || taken === null)
    return chooseBytes(ours, theirs, "the merged text cannot be written in its encoding", onOverlap)
  if (merge.clean || onOverlap === "keep-mine") return { kind: "merged", bytes: kept }
  if (onOverlap === "take-theirs") return { kind: "merged", bytes: taken }
  return { kind: "conflict", reason: "the same lines were changed on both sides", mine: kept, theirs: taken }
}

function mergeEncoding(origin: Encoding, ours: Encoding, theirs: Encoding): Encoding | null {
  const name = mergeValue(origin.name, ours.name, theirs.name)
  const bom = mergeValue(origin.bom, ours.bom, theirs.bom)
  return name === null || bom === null ? null : { name, bom }
}

/** Three-way merge of one value; null where both changed it, differently. */
function mergeValue<T>(origin: T, ours: T, theirs: T): T | null {
  if (ours === theirs || theirs === origin) return ours
  return ours === origin ? theirs : null
}

function chooseBytes(ours: LoadedFile, theirs: LoadedFile, reason: string, onOverlap: OnOverlap): ContentMerge {
  if (onOverlap === "stop") return { kind: "conflict", reason, mine: ours.bytes, theirs: theirs.bytes }
  return { kind: "merged", bytes: onOverlap === "keep-mine" ? ours.bytes : theirs.bytes }
}

function settle(ours: Loaded, theirs: Loaded, reason: string, onOverlap: OnOverlap): StateMerge {
  if (onOverlap === "stop") return { kind: "conflict", reason, mine: ours, theirs }
  return { kind: "merged", state: onOverlap === "keep-mine" ? ours : theirs }
}

function clash(origin: Loaded, ours: Loaded, theirs: Loaded): string {
  if (theirs.kind === "absent")
    return ours.kind === "file" ? "it was changed since it was created" : `it is now a ${ours.kind}`
  if (ours.kind === "absent") return "it was deleted since"
  if (origin.kind === "absent") return "something else stands there now"
  return `it is now a ${ours.kind}`
}
