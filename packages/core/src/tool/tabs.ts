/**
 * Replaces each tab by blanks up to the next multiple of 8 columns, as Python's `str.expandtabs` does, which the canonical
 * edit tool calls: a column is a code point, and counting starts again after `\n` and after `\r`.
 */
export function expandTabs(text: string): string {
  if (!text.includes("\t")) return text
  const parts: string[] = []
  let column = 0
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x09) {
      parts.push(text.slice(copied, at), " ".repeat(tabStop - (column % tabStop)))
      column = 0
      copied = at + 1
    } else if (unit === 0x0a || unit === 0x0d) column = 0
    else if (!isLowSurrogateOfPair(text, at, unit)) column++
  }
  parts.push(text.slice(copied))
  return parts.join("")
}

const tabStop = 8

function isLowSurrogateOfPair(text: string, at: number, unit: number): boolean {
  if (unit < 0xdc00 || unit > 0xdfff || at === 0) return false
  const before = text.charCodeAt(at - 1)
  return before >= 0xd800 && before <= 0xdbff
}
