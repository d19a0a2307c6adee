import { diffLines } from "@galley/core/diff/line-diff.ts"
import type { Hunk } from "@galley/core/diff/hunk.ts"
import type { Result } from "@galley/core/protocol/requests.ts"
import type { FileView, HunkView } from "@galley/core/protocol/results.ts"
import { type Line, splitLines } from "@galley/core/text/lines.ts"
import type { Author, LineComment, Proof, ProofHunk } from "../editor/proof.ts"
import type { Alike } from "./changes.ts"
import { editorTextOf } from "./typed-text.ts"

/** A file as the server gave it, its texts split once. */
export interface ShownFile {
  readonly result: Result<"file">
  readonly base: readonly Line[]
  readonly current: readonly Line[]
  /** Current as an editor holds it. */
  readonly editorText: string
  /** Text on both sides; else it is shown by what is known of it. */
  readonly isText: boolean
}

export function shownFile(result: Result<"file">): ShownFile {
  const isText = result.base !== null && result.current !== null
  const current = splitLines(result.current ?? "")
  return { result, base: splitLines(result.base ?? ""), current, editorText: editorTextOf(current), isText }
}

export function hunkOf(view: HunkView): Hunk {
  const fromBase = view.oldLines === 0 ? view.oldStart : view.oldStart - 1
  const fromCurrent = view.newLines === 0 ? view.newStart : view.newStart - 1
  return { fromBase, toBase: fromBase + view.oldLines, fromCurrent, toCurrent: fromCurrent + view.newLines }
}

export interface Surroundings {
  readonly alike: ReadonlyMap<string, Alike>
  readonly drafts: readonly LineComment[]
  /** The one message that is looked at; null for everything. */
  readonly message: string | null
}

/** What is drawn of a file as the server has it. */
export function proofOf(file: ShownFile, around: Surroundings): Proof {
  const { result } = file
  return {
    base: file.base,
    current: file.current,
    hunks: result.file.hunks.map(view => namedHunk(view, file, around)),
    authors: result.authors,
    comments: commentsOf(file, around),
  }
}

/** What is drawn while the person types: compared anew; hunks that are as they were keep their names. */
export function proofOfTyped(file: ShownFile, typed: readonly Line[], around: Surroundings): Proof {
  const known = file.result.file.hunks.map(view => namedHunk(view, file, around))
  const hunks = diffLines(file.base, typed).hunks.map((hunk): ProofHunk => {
    const same = known.find(one => sameText(one.hunk, hunk, file.current, typed))
    if (same !== undefined) return { ...same, hunk }
    const touched = known.find(one => one.hunk.fromBase <= hunk.toBase && hunk.fromBase <= one.hunk.toBase)
    return {
      hunk,
      view: null,
      mixed: touched !== undefined,
      conflict: touched?.conflict ?? null,
      aside: false,
      alike: null,
    }
  })
  return { base: file.base, current: typed, hunks, authors: authorsOf(file, typed), comments: commentsOf(file, around) }
}

function namedHunk(view: HunkView, file: ShownFile, around: Surroundings): ProofHunk {
  const alike = view.same === undefined ? undefined : around.alike.get(view.same)
  return {
    hunk: hunkOf(view),
    view,
    mixed: view.mixed,
    conflict: view.conflict
      ? (file.result.conflicts.find(one => one.hunk === view.id || one.hunk === null) ?? null)
      : null,
    aside: around.message !== null && file.result.ofMessage?.includes(view.id) === false,
    alike: alike ?? null,
  }
}

function sameText(a: Hunk, b: Hunk, textA: readonly Line[], textB: readonly Line[]): boolean {
  if (a.fromBase !== b.fromBase || a.toBase !== b.toBase || a.toCurrent - a.fromCurrent !== b.toCurrent - b.fromCurrent)
    return false
  for (let at = 0; at < a.toCurrent - a.fromCurrent; at++)
    if (textA[a.fromCurrent + at] !== textB[b.fromCurrent + at]) return false
  return true
}

function authorsOf(file: ShownFile, typed: readonly Line[]): Author[] {
  const { authors } = file.result
  if (authors.length === 0) return []
  const own: Author[] = []
  let done = 0
  for (const hunk of diffLines(file.current, typed).hunks) {
    for (; done < hunk.fromBase; done++) own.push(authors[done] ?? "base")
    for (let at = hunk.fromCurrent; at < hunk.toCurrent; at++) own.push("person")
    done = hunk.toBase
  }
  for (; done < file.current.length; done++) own.push(authors[done] ?? "base")
  return own
}

function commentsOf({ result }: ShownFile, { drafts }: Surroundings): LineComment[] {
  const sent = result.comments.flatMap((comment): LineComment[] => {
    const state = comment.delivered ? "delivered" : "sent"
    return comment.line === null ? [] : [{ id: comment.id, line: comment.line, text: comment.text, state }]
  })
  return [...sent, ...drafts].sort((a, b) => a.line - b.line)
}

/** What a rejection takes away and what it leaves, for a hunk with text of both. */
export interface Parting {
  readonly goes: readonly string[]
  readonly stays: readonly string[]
  /** The agent's lines that the person changed: somebody must say which form stands. */
  readonly altered: readonly string[]
  readonly comesBack: readonly string[]
}

export function partingOf(file: ShownFile, view: HunkView): Parting {
  const hunk = hunkOf(view)
  const lines = file.current.slice(hunk.fromCurrent, hunk.toCurrent)
  const by = (...authors: Author[]): string[] =>
    lines.filter((_, at) => authors.includes(file.result.authors[hunk.fromCurrent + at] ?? "agent"))
  return {
    goes: by("agent", "base"),
    stays: by("person"),
    altered: by("altered"),
    comesBack: file.base.slice(hunk.fromBase, hunk.toBase),
  }
}

/** What changed between two looks at a file, for a person whose click came too late. */
export function whatMoved(before: FileView, after: FileView): string {
  const was = new Set(before.hunks.map(hunk => hunk.id))
  const now = new Set(after.hunks.map(hunk => hunk.id))
  const fresh = [...now].filter(id => !was.has(id)).length
  const gone = [...was].filter(id => !now.has(id)).length
  const facts = [
    ...(fresh > 0 ? [`${fresh} ${fresh === 1 ? "change is" : "changes are"} new`] : []),
    ...(gone > 0 ? [`${gone} ${gone === 1 ? "is" : "are"} gone or different`] : []),
  ]
  return facts.length === 0 ? "the text around your change moved" : facts.join(", ")
}
