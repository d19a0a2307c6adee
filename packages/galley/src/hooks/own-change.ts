import { listOf, type Payload, recordOf } from "./payload.ts"

/**
 * What an agent's own edit tool is about to make of one file, as far as its input tells exactly. Where a tool
 * guesses (a patch whose context is off, a notebook) there is none: what cannot be computed is not put to the person as if it could.
 */
export interface OwnChange {
  /** The text afterwards; null where the tool would fail or guess. `now`: null for no file. */
  after(now: string | null): string | null
  /** The tool's input that makes `wanted` of `now`; null if it has no way to say so. */
  inputFor(now: string | null, wanted: string): Payload | null
}

/** The fields of an agent's input. */
export interface ChangeFields {
  readonly text: string
  readonly from: string
  readonly to: string
  readonly all: string
}

/** Names that Claude Code made, and qwen-code and gemini-cli took over. */
export const usualFields: ChangeFields = { text: "content", from: "old_string", to: "new_string", all: "replace_all" }

/** A whole text, one replacement, or a list of them (`edits`), whichever the input holds. */
export function ownChange(input: Payload, fields: ChangeFields): OwnChange | null {
  const text = input[fields.text]
  if (typeof text === "string")
    return {
      // With other line ends the tool may write what it thinks fit: not exactly known.
      after: now => (now?.includes("\r") === true ? null : text),
      inputFor: (_, wanted) => ({ ...input, [fields.text]: wanted }),
    }
  const single = replacementOf(input, fields)
  const many = listOf(input["edits"]).map(edit => replacementOf(recordOf(edit), fields))
  const replacements = single === null ? many : [single]
  if (replacements.length === 0 || !replacements.every(one => one !== null)) return null
  return {
    after: now => replacements.reduce<string | null>((text, one, at) => replaced(text, one, at === 0), now),
    inputFor: (now, wanted) => {
      const whole = { [fields.from]: now ?? "", [fields.to]: wanted, [fields.all]: false }
      // Only what the tool had before is set: some refuse a field they do not know.
      const { [fields.all]: all, ...rest } = whole
      if (single !== null) return { ...input, ...rest, ...(fields.all in input ? { [fields.all]: all } : {}) }
      return { ...input, edits: [rest] }
    },
  }
}

interface Replacement {
  readonly from: string
  readonly to: string
  readonly all: boolean
}

function replacementOf(input: Payload, fields: ChangeFields): Replacement | null {
  const from = input[fields.from]
  const to = input[fields.to]
  if (typeof from !== "string" || typeof to !== "string") return null
  return { from, to, all: input[fields.all] === true }
}

/** Literally, and only where there is one answer. An empty `from` makes a new file. */
function replaced(text: string | null, { from, to, all }: Replacement, first: boolean): string | null {
  if (from === "") return first && (text === null || text === "") ? to : null
  if (text === null) return null
  const parts = text.split(from)
  return parts.length === 2 || (all && parts.length > 2) ? parts.join(to) : null
}
