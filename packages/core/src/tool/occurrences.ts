/**
 * Finds where `pattern` starts in `text`, overlapping places included (`aa` occurs twice in `aaa`), at most `limit` of them.
 *
 * `pattern` must not be empty. Time is bounded by the text's length times a small constant whatever the two hold: short
 * patterns go to `indexOf`, long ones, where its worst case is quadratic, to Knuth, Morris and Pratt (1977).
 */
export function occurrences(text: string, pattern: string, limit: number): number[] {
  if (pattern === "") throw new RangeError("BUG: searching for empty text")
  return pattern.length <= longPattern ? byIndexOf(text, pattern, limit) : byBorders(text, pattern, limit)
}

/** UTF-16 units. Up to here `indexOf` costs at most this many comparisons for each unit of text. */
const longPattern = 256

function byIndexOf(text: string, pattern: string, limit: number): number[] {
  const found: number[] = []
  for (let at = text.indexOf(pattern); at >= 0 && found.length < limit; at = text.indexOf(pattern, at + 1))
    found.push(at)
  return found
}

function byBorders(text: string, pattern: string, limit: number): number[] {
  const found: number[] = []
  if (pattern.length > text.length) return found
  const borders = borderTable(pattern)
  let matched = 0
  for (let at = 0; at < text.length && found.length < limit; at++) {
    const unit = text.charCodeAt(at)
    while (matched > 0 && (matched === pattern.length || pattern.charCodeAt(matched) !== unit))
      matched = borders[matched - 1] ?? 0
    if (pattern.charCodeAt(matched) === unit) matched++
    if (matched === pattern.length) found.push(at - matched + 1)
  }
  return found
}

/** For each prefix of the pattern, the length of its longest proper prefix that is also its suffix. */
function borderTable(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length)
  let length = 0
  for (let at = 1; at < pattern.length; at++) {
    const unit = pattern.charCodeAt(at)
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0
    if (pattern.charCodeAt(length) === unit) length++
    borders[at] = length
  }
  return borders
}
