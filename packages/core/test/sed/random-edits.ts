/** A random substitution and a random file for it, wholly told by its seed. */
export interface RandomEdit {
  readonly seed: number
  readonly script: string
  readonly extended: boolean
  readonly content: Uint8Array
}

export interface Dice {
  /** An integer from 0 to below `sides`. */
  readonly roll: (sides: number) => number
  readonly pick: <T>(items: readonly T[]) => T
}

/** mulberry32, so that a seed printed on one machine means the same on another. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const roll = (sides: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
  return {
    roll,
    pick: items => {
      const item = items[roll(items.length)]
      if (item === undefined) throw new Error("BUG: nothing to pick from")
      return item
    },
  }
}

export function randomEdit(seed: number): RandomEdit {
  const d = dice(seed)
  const extended = d.roll(2) === 0
  const style = d.pick([
    styles.small,
    styles.small,
    styles.small,
    styles.everyday,
    styles.everyday,
    styles.everyday,
    styles.odd,
  ])
  const groups = { count: 0 }
  const pattern = style === styles.odd ? oddPattern(d) : branches(d, style, extended, 3, groups)
  const replacement = randomReplacement(d, groups.count)
  const delimiter = d.pick(["/", "/", "/", "|", ",", "#", "@", "!", ".", "+", "*", "x", "^", "$"])
  const flags = d.pick(["", "", "g", "g", "g", "2", "3", "2g", "g3", "1", "01"])
  const script = `s${delimiter}${delimit(pattern, delimiter, d)}${delimiter}${delimit(replacement, delimiter, d)}${delimiter}${flags}`
  const content = randomContent(d, style)
  if (d.roll(4) > 0) return { seed, script, extended, content }
  // A quarter is plain ASCII, for the C locale.
  return {
    seed,
    script: script.replaceAll(/[^\0-\x7f]/gu, "q"),
    extended,
    content: content.map(byte => (byte > 0x7f ? 0x71 : byte)),
  }
}

interface Style {
  readonly atoms: readonly string[]
  readonly words: readonly string[]
}

const styles: Readonly<Record<"small" | "everyday" | "odd", Style>> = {
  small: {
    atoms: ["a", "b", "c", "ab", "[ab]", "[^a]", ".", "é", "[aé]", "[a-c]", "\\w", "\\W", "a", "b", " "],
    words: ["a", "b", "c", "ab", "aab", "abc", "é", "日", " ", "", "-", "😀", "ba", "_", "bca"],
  },
  everyday: {
    atoms: [
      "foo",
      "o",
      "bar",
      "[0-9]",
      "[[:space:]]",
      "[[:alpha:]_]",
      "[^a-z ]",
      "\\s",
      "\\S",
      "\\w",
      ".",
      "\\.",
      "=",
      ":",
      "/",
      "[]x]",
      "[^]]",
      "[.]",
      "[\\.]",
      "[a-]",
      "[&]",
      "[*+]",
      "[é日]",
      "😀",
      "é",
      "const",
      "[[:upper:]]",
      "[[:punct:]]",
      "\\t",
      "[\\t ]",
      "\\*",
      "\\[x\\]",
      "\\$",
      "\\/",
      "'",
      '"',
      "[^[:alnum:]]",
      "[/]",
      "[a/b]",
      "[!--]",
      "[^\\n]",
      "\\\\",
      "#",
      "\\r",
      "[[:digit:][:upper:]]",
      "[\\n]",
      "[\\\\]",
    ],
    words: [
      "foo",
      "foobar",
      "bar",
      "x",
      "42",
      "3.14",
      "const",
      " ",
      "  ",
      "\t",
      "=",
      ":",
      "é",
      "naïve",
      "日本",
      "😀",
      "[x]",
      "a.b",
      "a*b",
      "$v",
      "a/b",
      "\\",
      "&",
      "'q'",
      '"d"',
      "Foo_Bar",
      "{z}",
      "(y)",
      "|",
      "^",
      "#",
      "\r",
      "ǆ",
      "ß",
      "İ",
      "\u2028",
      "\u00a0",
      "+",
      "-",
      "]",
    ],
  },
  odd: {
    atoms: [],
    words: [
      "a",
      "b",
      "*",
      "+",
      "?",
      "{",
      "}",
      "(",
      ")",
      "|",
      "^",
      "$",
      ".",
      "[",
      "]",
      "\\",
      "1",
      ",",
      "-",
      ":",
      "a",
      "b",
      " ",
      "é",
      "n",
      "/",
    ],
  },
}

const anchors = ["\\b", "\\<", "\\>", "^", "$", "\\B"]

function branches(d: Dice, style: Style, extended: boolean, depth: number, groups: { count: number }): string {
  const count = d.pick([1, 1, 1, 1, 2, 2, 3])
  const parts = Array.from({ length: count }, () => sequence(d, style, extended, depth, groups))
  return parts.join(extended ? "|" : "\\|")
}

function sequence(d: Dice, style: Style, extended: boolean, depth: number, groups: { count: number }): string {
  const parts: string[] = []
  const edges = depth === 3 ? 10 : 80
  if (d.roll(edges) === 0) parts.push("^")
  const length = d.pick([1, 1, 2, 2, 3, 4])
  for (let at = 0; at < length; at++) parts.push(piece(d, style, extended, depth, groups))
  if (d.roll(edges) === 0) parts.push("$")
  return d.roll(40) === 0 ? "" : parts.join("")
}

function piece(d: Dice, style: Style, extended: boolean, depth: number, groups: { count: number }): string {
  if (d.roll(70) === 0) return d.pick(anchors)
  let atom: string
  if (depth > 0 && groups.count < 9 && d.roll(4) === 0) {
    groups.count++
    const inner = branches(d, style, extended, depth - 1, groups)
    atom = extended ? `(${inner})` : `\\(${inner}\\)`
  } else atom = d.pick(style.atoms)
  const repeats = d.pick(extended ? [0, 0, 0, 1, 1, 1, 1, 2] : [0, 0, 0, 1, 1, 1, 1])
  for (let at = 0; at < repeats; at++) atom += repeat(d, extended)
  return atom
}

function repeat(d: Dice, extended: boolean): string {
  const bounds = d.pick(["2", "1,2", "0,2", ",2", "2,", "1,", "0,1", "1", "1,3", "3"])
  return extended
    ? d.pick(["*", "*", "+", "+", "?", `{${bounds}}`])
    : d.pick(["*", "*", "\\+", "\\?", `\\{${bounds}\\}`])
}

function oddPattern(d: Dice): string {
  const pieces = [
    "\\(",
    "\\)",
    "\\|",
    "\\{",
    "\\}",
    "\\+",
    "\\?",
    "\\*",
    "\\.",
    "\\[",
    "\\]",
    "\\^",
    "\\$",
    "\\n",
    "\\w",
    "\\b",
    "\\/",
    "{2}",
    "[a",
    "[^",
    "[]",
    "[[:alpha:]]",
    "[:",
    "a-",
    "\\\\",
    "\\-",
    "\\&",
    "\\'",
    "\\<",
  ]
  const length = 1 + d.roll(8)
  return Array.from({ length }, () => d.pick(d.roll(2) === 0 ? pieces : styles.odd.words)).join("")
}

function randomReplacement(d: Dice, groups: number): string {
  const pieces = [
    "X",
    "X",
    "<",
    ">",
    "&",
    "[&]",
    "é",
    "",
    "\\n",
    "\\t",
    "\\&",
    "\\\\",
    "/",
    "\\U",
    "\\L",
    "\\u",
    "\\l",
    "\\E",
    "\\\n",
    "日本",
    "$&",
    "new value",
    "\\0",
    "-",
  ]
  const references = Array.from({ length: groups }, (_, at) => `\\${at + 1}`)
  const length = d.pick([0, 1, 1, 2, 3, 4, 5])
  const parts = Array.from({ length }, () => d.pick(references.length > 0 && d.roll(2) === 0 ? references : pieces))
  return d.roll(60) === 0 ? parts.concat("\\9").join("") : parts.join("")
}

/** Puts a backslash before the delimiter, mostly. */
function delimit(text: string, delimiter: string, d: Dice): string {
  if (d.roll(20) === 0) return text
  let out = ""
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ""
    if (char === "\\" && text[at + 1] !== undefined) {
      out += char + (text[++at] ?? "")
    } else out += char === delimiter ? `\\${char}` : char
  }
  return out
}

function randomContent(d: Dice, style: Style): Uint8Array {
  const ending = d.pick(["\n", "\n", "\n", "\r\n"])
  const rare = d.roll(30)
  // Long lines, in some files, are where the effort of trying each start makes the backward automaton take over.
  const [count, length] = d.roll(6) === 0 ? [4, 120] : [24, 9]
  const lines = Array.from({ length: 1 + d.roll(count) }, () => {
    const words = Array.from({ length: d.roll(length) }, () => d.pick(style.words))
    if (rare === 0 && d.roll(3) === 0) words.push("\0")
    return words.join(d.pick(["", "", " "])) + (d.roll(10) === 0 ? "\n" : ending)
  })
  let text = d.roll(30) === 0 ? "" : lines.join("")
  if (d.roll(4) === 0) text = text.replace(/\r?\n$/, "")
  if (d.roll(40) === 0) text = `\ufeff${text}`
  const bytes = new TextEncoder().encode(text)
  if (rare === 1)
    for (let at = 0; at < 3 && bytes.length > 0; at++) bytes[d.roll(bytes.length)] = d.pick([0xff, 0xc3, 0x80, 0xe2])
  return bytes
}
