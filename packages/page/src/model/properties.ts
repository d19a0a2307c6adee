import type { FileView } from "@galley/core/protocol/results.ts"

/** Something of a file that is decided apart from its text. */
export interface Property {
  /** As decisions name it. */
  readonly name: "existence" | "mode" | "encoding" | "content"
  readonly text: string
}

/**
 * What of a file can be decided alone: only where there is more than one thing to decide. Line ends are not among them: they
 * are in the lines.
 */
export function propertiesOf(file: FileView): readonly Property[] {
  if (file.kinds.length === 0 || file.parked || file.summary !== undefined) return []
  const found = [
    ...(file.from === undefined ? [] : [{ name: "existence" as const, text: `name: was ${file.from}` }]),
    ...(file.properties ?? []).flatMap(text => {
      const name = nameOf(text)
      // Of a renamed file "existence" is its name.
      return name === null || (name === "existence" && file.from !== undefined) ? [] : [{ name, text }]
    }),
  ]
  return found.length + file.hunks.length < 2 ? [] : found
}

/** Which property the engine's words are about; null for what has no part of its own. */
function nameOf(text: string): Property["name"] | null {
  if (text.startsWith("mode ")) return "mode"
  if (/^(encoding|BOM) /.test(text)) return "encoding"
  if (text.startsWith("link target ") || text.endsWith(" bytes")) return "content"
  if (/^(absent|file|empty file|folder|symlink to .*|fifo|socket|device|unknown) → /su.test(text)) return "existence"
  return null
}
