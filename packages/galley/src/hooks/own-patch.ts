import type { OwnChange } from "./own-change.ts"
import type { Payload } from "./payload.ts"

/**
 * A patch of codex's form (0.171) that adds or updates exactly one file, where its context says plainly which lines it means. Codex forgives
 * context that is a little off; such a patch is not computed here.
 */
export function ownPatch(input: Payload): OwnChange | null {
  const field = ["command", "input", "patch"].find(name => typeof input[name] === "string")
  const text = field === undefined ? undefined : input[field]
  if (field === undefined || typeof text !== "string") return null
  const lines = text.trim().split("\n")
  if (lines[0] !== "*** Begin Patch" || lines.at(-1) !== "*** End Patch") return null
  const [head = "", ...body] = lines.slice(1, -1)
  const match = /^\*\*\* (Add|Update) File: (.+)$/.exec(head)
  if (match === null || body.some(line => line.startsWith("*** "))) return null
  const [, verb, path = ""] = match
  const adds = verb === "Add"
  return {
    after: now => (adds ? added(now, body) : updated(now, body)),
    inputFor: (now, wanted) => {
      if (!wanted.endsWith("\n") || wanted.includes("\r")) return null
      const plus = wanted
        .slice(0, -1)
        .split("\n")
        .map(line => `+${line}`)
      const minus = (now ?? "")
        .slice(0, -1)
        .split("\n")
        .map(line => `-${line}`)
      const made = adds ? [`*** Add File: ${path}`, ...plus] : [`*** Update File: ${path}`, "@@", ...minus, ...plus]
      return { ...input, [field]: ["*** Begin Patch", ...made, "*** End Patch", ""].join("\n") }
    },
  }
}

function added(now: string | null, body: readonly string[]): string | null {
  if (now !== null || !body.every(line => line.startsWith("+"))) return null
  return body.map(line => `${line.slice(1)}\n`).join("")
}

function updated(now: string | null, body: readonly string[]): string | null {
  if (now === null || !now.endsWith("\n") || now.includes("\r") || !(body[0] ?? "").startsWith("@@")) return null
  const lines = now.slice(0, -1).split("\n")
  const made: string[] = []
  let at = 0
  for (const hunk of hunksOf(body)) {
    // A heading behind `@@` narrows the search in ways of its own.
    if (hunk.heading !== "" || hunk.old.length === 0) return null
    const places = placesOf(lines, hunk.old)
    const [place] = places
    if (places.length !== 1 || place === undefined || place < at) return null
    made.push(...lines.slice(at, place), ...hunk.fresh)
    at = place + hunk.old.length
  }
  return [...made, ...lines.slice(at)].map(line => `${line}\n`).join("")
}

interface PatchHunk {
  readonly heading: string
  readonly old: string[]
  readonly fresh: string[]
}

function hunksOf(body: readonly string[]): PatchHunk[] {
  const hunks: PatchHunk[] = []
  for (const line of body) {
    if (line.startsWith("@@")) hunks.push({ heading: line.slice(2).trim(), old: [], fresh: [] })
    else if (line.startsWith("-")) hunks.at(-1)?.old.push(line.slice(1))
    else if (line.startsWith("+")) hunks.at(-1)?.fresh.push(line.slice(1))
    else {
      // A blank line of the file may have lost its leading blank.
      hunks.at(-1)?.old.push(line.slice(1))
      hunks.at(-1)?.fresh.push(line.slice(1))
    }
  }
  return hunks
}

function placesOf(lines: readonly string[], wanted: readonly string[]): number[] {
  return lines.flatMap((_, at) => (wanted.every((line, index) => lines[at + index] === line) ? [at] : []))
}
