import { type Dice, dice } from "./random-edits.ts"

/** A random command line that begins with `sed`, wholly told by its seed: mostly sound words, sometimes raw fragments. */
export function randomCommand(seed: number): string {
  const d = dice(seed)
  const start = d.pick(["sed", "sed", "sed", "sed", " sed", "sed\t", "x=1 sed", "! sed", "'sed'", "\\sed", "s\\ed"])
  const words = Array.from({ length: 1 + d.roll(5) }, () => (d.roll(6) === 0 ? fragments(d) : word(d)))
  const end = d.pick([
    "",
    "",
    "",
    "",
    " ",
    "\n",
    " # note",
    "#note",
    " &",
    ";",
    " | cat",
    " > out",
    "\\",
    " \\\n",
    "\n\n",
    "\t#'",
    ")",
  ])
  return `${start}${words.map(text => d.pick([" ", " ", " ", "\t", "  ", " \\\n", "\n"]) + text).join("")}${end}`
}

function word(d: Dice): string {
  return Array.from({ length: 1 + d.roll(3) }, () => part(d)).join("")
}

const plain = [
  "-i",
  "-e",
  "s/a/b/",
  "f",
  "a",
  "=",
  ":",
  "%",
  "+",
  ",",
  "@",
  "é",
  "日",
  "/",
  "1",
  ".",
  "-",
  "^",
  "{}",
  "x=",
  "]",
]
const inside = [
  "s/a/b/",
  "*",
  "?",
  "[f]",
  "{a,b}",
  "~",
  " ",
  "\t",
  "#",
  ";",
  "&",
  "|",
  "(",
  ">",
  "!",
  "é",
  "\\",
  "$",
  "a",
  "\\\\",
  "\\n",
  "\n",
  "=~",
  "\\\n",
  "'",
  '"',
  "`",
  "\r",
]

function part(d: Dice): string {
  const text = Array.from({ length: d.roll(4) }, () => d.pick(inside)).join("")
  switch (d.roll(5)) {
    case 0:
      return `'${text.replaceAll("'", "")}'`
    case 1:
      return `"${text.replaceAll(/["`$]/g, match => d.pick([`\\${match}`, ""])).replace(/\\$/, "")}"`
    case 2:
      return d.pick([
        "\\ ",
        "\\'",
        '\\"',
        "\\$",
        "\\\\",
        "\\*",
        "\\a",
        "\\;",
        "\\é",
        "\\\n",
        "\\~",
        "\\{",
        "\\#",
        "\\[",
        "\\!",
      ])
    default:
      return d.pick(plain)
  }
}

const raw = [
  "'",
  '"',
  "\\",
  "$x",
  "${x}",
  "$(echo s)",
  "`echo s`",
  "*",
  "?",
  "[f]",
  "[",
  "{a,b}",
  "{",
  "}",
  "{a..c}",
  "~",
  "=~",
  "a:~",
  "x=~",
  "~/f",
  "a",
  "f",
  "s/a/b/",
  "#",
  ";",
  "&",
  "|",
  ">",
  "<",
  "(",
  ")",
  "!",
  "''",
  '""',
  "$'a\\n'",
  '$"x"',
  "=",
  "2>",
  "&&",
  "+(a)",
  "@(f)",
  "!(f)",
  "$",
  "$$",
  "$?",
  "<(echo)",
  "<<<f",
  "\r",
  "\v",
  "\u00a0",
  "$((1+1))",
  "$[1+1]",
  "~root",
  "~+",
  "\\",
  "-i",
  "!!",
  "!f",
  "^a^b",
  "%1",
  "a=(b)",
  "a[1]=2",
  "\u3000",
]

function fragments(d: Dice): string {
  return Array.from({ length: 1 + d.roll(4) }, () => d.pick(d.roll(2) === 0 ? raw : plain)).join("")
}
