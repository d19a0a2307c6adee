/**
 * A line of text together with its own terminator (`"\n"`, `"\r\n"`, or none on the last line).
 *
 * Because the terminator travels with the line, joining lines is plain concatenation: mixed line endings and a missing
 * final newline survive every operation without a special case. A lone `\r` is content, as it is for git.
 */
export type Line = string

/** Splits text so that `joinLines(splitLines(text)) === text`. Empty text has no lines. */
export function splitLines(text: string): Line[] {
  const lines: Line[] = []
  let from = 0
  while (from < text.length) {
    const newline = text.indexOf("\n", from)
    const to = newline < 0 ? text.length : newline + 1
    lines.push(text.slice(from, to))
    from = to
  }
  return lines
}

export function joinLines(lines: readonly Line[]): string {
  return lines.join("")
}

/** The terminator of a line: `"\n"`, `"\r\n"` or `""`. */
export function terminatorOf(line: Line): "\n" | "\r\n" | "" {
  if (!line.endsWith("\n")) return ""
  return line.endsWith("\r\n") ? "\r\n" : "\n"
}

/** The line without its terminator. */
export function contentOf(line: Line): string {
  return line.slice(0, line.length - terminatorOf(line).length)
}
