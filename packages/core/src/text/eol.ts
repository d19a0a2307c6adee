import { type Line, terminatorOf } from "./lines.ts"

export type Eol = "\n" | "\r\n"

/** `none`: no line ends. A lone `\r` is content. */
export type EolStyle = "lf" | "crlf" | "mixed" | "none"

export function eolStyle(text: string): EolStyle {
  let lf = false
  let crlf = false
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (at > 0 && text.charCodeAt(at - 1) === 0x0d) crlf = true
    else lf = true
    if (lf && crlf) return "mixed"
  }
  return lf ? "lf" : crlf ? "crlf" : "none"
}

/** The same of a text in lines. */
export function textStyle(lines: readonly Line[]): EolStyle {
  const lf = lines.some(line => terminatorOf(line) === "\n")
  const crlf = lines.some(line => terminatorOf(line) === "\r\n")
  if (lf && crlf) return "mixed"
  return lf ? "lf" : crlf ? "crlf" : "none"
}

/**
 * Gives `text` the line endings of `like`.
 *
 * Where `like` has no line ending or several kinds there is nothing to fit to, and the text stays as it is.
 */
export function fitLineEndings(text: string, like: string): string {
  const style = eolStyle(like)
  switch (style) {
    case "lf":
      return withEol(text, "\n")
    case "crlf":
      return withEol(text, "\r\n")
    case "mixed":
    case "none":
      return text
  }
}

/** Every line ending of the text replaced by `eol`. `\r\r\n` is a line that ends in `\r`, then CRLF. */
export function withEol(text: string, eol: Eol): string {
  return text.replace(/\r?\n/g, eol)
}

/**
 * The line ending for text inserted before line `boundary` (counted from 0; `lines.length` is the end): that of the line
 * above, else of the line below, else of the nearest line that has one, else `"\n"`.
 */
export function neighbourEol(lines: readonly Line[], boundary: number): Eol {
  for (let distance = 0; distance <= lines.length; distance++) {
    const above = terminatorOf(lines[boundary - 1 - distance] ?? "")
    if (above !== "") return above
    const below = terminatorOf(lines[boundary + distance] ?? "")
    if (below !== "") return below
  }
  return "\n"
}
