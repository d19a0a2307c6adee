import { type Line, terminatorOf } from "../text/lines.ts"

/**
 * Gives a terminator to a line that had none, being the last, and now has lines behind it; else two lines would become one. It
 * gets that of the line before it, else of the line behind. The last line is left as it is.
 */
export function terminateInner(lines: Line[]): Line[] {
  for (let at = 0; at < lines.length - 1; at++) {
    const line = lines[at] ?? ""
    if (terminatorOf(line) !== "") continue
    lines[at] = line + (terminatorOf(lines[at - 1] ?? "") || terminatorOf(lines[at + 1] ?? "") || "\n")
  }
  return lines
}
