import { existsSync, readFileSync } from "node:fs"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import { hasEntries } from "./edits.ts"
import type { Part, Target, Wanted } from "./target.ts"

/** How an agent's configuration stands towards what `install` would write now. */
export type Standing =
  /** Nothing of Galley's is in it. */
  | { readonly kind: "absent" }
  | { readonly kind: "good"; readonly files: readonly string[] }
  /** Some of it is missing, or was written by another Galley or Node. */
  | { readonly kind: "differs"; readonly files: readonly string[] }
  /** It starts a program that is not there any more. */
  | { readonly kind: "gone"; readonly program: string }
  | { readonly kind: "broken"; readonly problem: string }

export function examineTarget(target: Target, wanted: Wanted): Standing {
  const parts = target.parts(wanted)
  const texts = parts.map(part => (existsSync(part.file) ? readFileSync(part.file, "utf8") : ""))
  const named = texts.map(text => /[^"'\s\\]*galley\.mjs/.exec(text)?.[0]).filter(path => path !== undefined)
  if (named.length === 0) return { kind: "absent" }
  const gone = named.find(path => !existsSync(path))
  if (gone !== undefined) return { kind: "gone", program: gone }
  try {
    const wrong = parts.filter((part, at) => !stands(part, texts[at] ?? "")).map(part => part.file)
    return wrong.length === 0
      ? { kind: "good", files: parts.map(part => part.file) }
      : { kind: "differs", files: wrong }
  } catch (error) {
    if (error instanceof Failure) return { kind: "broken", problem: error.message }
    throw error
  }
}

function stands(part: Part, text: string): boolean {
  switch (part.kind) {
    case "json":
      return hasEntries(part.file, text, part.entries)
    case "toml":
      return text.replaceAll("\r\n", "\n").includes(part.block)
    case "file":
      return text === part.text
  }
}

/** In words, for `doctor`; null for an agent that is not connected. */
export function wordStanding(
  target: Target,
  scope: Wanted["scope"],
  standing: Standing,
): { readonly state: "good" | "note" | "bad"; readonly detail: string; readonly hint?: string } | null {
  const again = `galley install ${target.name} --${scope}`
  switch (standing.kind) {
    case "absent":
      return null
    case "good":
      return { state: "good", detail: `${target.title} is connected (${scope})` }
    case "differs":
      return {
        state: "note",
        detail: `${target.title} (${scope}): ${standing.files.map(showPath).join(", ")} is not as install writes it now`,
        hint: `If that is not on purpose (--review, --tools-only): ${again}`,
      }
    case "gone":
      return {
        state: "bad",
        detail: `${target.title} (${scope}) starts ${showPath(standing.program)}, which is not there any more: nothing is recorded`,
        hint: again,
      }
    case "broken":
      return { state: "bad", detail: standing.problem }
  }
}
