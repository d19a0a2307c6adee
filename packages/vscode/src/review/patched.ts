import { splitLines } from "@galley/core/text/lines.ts"

/**
 * Applies a unified diff of one file to the text it was made from; null where it does not fit (the file changed since).
 *
 * Only for showing: what is written is the program's own doing. A diff from or to nothing has an empty side.
 */
export function patched(text: string, diff: string): string | null {
  const lines = splitLines(text)
  const made: string[] = []
  let at = 0
  let inHunk = false
  let afterRemoved = false
  for (const line of splitLines(diff)) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@/.exec(line)
    if (head !== null) {
      const length = head[2] === undefined ? 1 : Number(head[2])
      const from = length === 0 ? Number(head[1]) : Number(head[1]) - 1
      if (from < at || from > lines.length) return null
      made.push(...lines.slice(at, from))
      at = from
      inHunk = true
    } else if (inHunk && line.startsWith("\\")) {
      // "\ No newline at end of file": the line before has no terminator.
      if (!afterRemoved) made.push((made.pop() ?? "").replace(/\n$/, ""))
    } else if (inHunk && line.startsWith("+")) {
      made.push(line.slice(1))
      afterRemoved = false
    } else if (inHunk && (line.startsWith("-") || line.startsWith(" "))) {
      const old = lines[at++]
      if (old === undefined || bare(old) !== bare(line.slice(1))) return null
      afterRemoved = line.startsWith("-")
      if (!afterRemoved) made.push(old)
    } else inHunk = false
  }
  made.push(...lines.slice(at))
  return made.join("")
}

/** The two sides of a diff's sections alone, for one that was made from a text that is not at hand. */
export function sectionsOf(diff: string): { readonly before: string; readonly after: string } {
  const body = splitLines(diff.replace(/^[^@]*(?=^@@ )/m, "")).filter(line => /^[-+ ]/.test(line))
  const side = (mark: string): string => body.flatMap(line => (line.startsWith(mark) ? [] : [line.slice(1)])).join("")
  return { before: side("+"), after: side("-") }
}

function bare(line: string): string {
  return line.replace(/\r?\n$/, "")
}
