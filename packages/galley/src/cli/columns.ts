/** How many columns of a terminal a text takes: wide characters two, combining ones none (Unicode UAX 11, the common ranges). */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += columnsOfCode(character.codePointAt(0) ?? 0)
  return columns
}

/** Cuts a text into pieces of at most `width` columns; never within a character. Empty text is one empty piece. */
export function wrapColumns(text: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ""
  let columns = 0
  for (const character of text) {
    const more = columnsOfCode(character.codePointAt(0) ?? 0)
    if (columns + more > width && piece !== "") {
      pieces.push(piece)
      piece = ""
      columns = 0
    }
    piece += character
    columns += more
  }
  return [...pieces, piece]
}

/** Shortens to `width` columns with an ellipsis at the end. */
export function fitColumns(text: string, width: number): string {
  if (columnsOf(text) <= width) return text
  return width < 1 ? "" : `${wrapColumns(text, width - 1)[0] ?? ""}…`
}

export function padColumns(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - columnsOf(text)))
}

/** Replaces tabs by blanks up to the next stop; a diff's gutter would otherwise shift them. */
export function expandTabs(text: string, stop = 4): string {
  if (!text.includes("\t")) return text
  let expanded = ""
  let columns = 0
  for (const character of text) {
    if (character === "\t") {
      const blanks = stop - (columns % stop)
      expanded += " ".repeat(blanks)
      columns += blanks
    } else {
      expanded += character
      columns += columnsOfCode(character.codePointAt(0) ?? 0)
    }
  }
  return expanded
}

/** What a person sees as one character. */
export function graphemesOf(text: string): string[] {
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), one => one.segment)
}

function columnsOfCode(code: number): number {
  if (code < 0x300) return 1
  if (isCombining(code)) return 0
  return isWide(code) ? 2 : 1
}

/** Marks that stand on the character before, joiners, and the later parts of a Hangul syllable, as wcwidth(3) has it. */
function isCombining(code: number): boolean {
  return (
    code === 0x200c || code === 0x200d || (code >= 0x1160 && code <= 0x11ff) || mark.test(String.fromCodePoint(code))
  )
}

const mark = /^[\p{Mn}\p{Me}]$/u

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0x303e) ||
    (code >= 0x3041 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x20000 && code <= 0x3fffd) ||
    emoji.test(String.fromCodePoint(code))
  )
}

/** Emoji that are shown as such without being asked to; half a flag is one column, as terminals have it. */
const emoji = /^(?!\p{RI})\p{Emoji_Presentation}$/u
