export type KeyName =
  | "enter"
  | "escape"
  | "backspace"
  | "clear" // Ctrl-U: all that was typed
  | "tab"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "pageUp"
  | "pageDown"
  | "interrupt" // Ctrl-C
  | "eof" // Ctrl-D
  | "suspend" // Ctrl-Z
  | "redraw" // Ctrl-L
  | "redo" // Ctrl-R

export type Key =
  | { readonly kind: "named"; readonly name: KeyName }
  /** One character as it was typed. */
  | { readonly kind: "character"; readonly text: string }
  /** Text that was pasted: never a command. */
  | { readonly kind: "paste"; readonly text: string }

export interface ParsedKeys {
  readonly keys: readonly Key[]
  /** The beginning of something whose rest has not arrived; given back with the next input. A lone escape may be the key itself. */
  readonly rest: string
}

/** Reads what a terminal in raw mode sends (xterm, VT220 and kin; bracketed paste). Sequences that are not known are dropped. */
export function parseKeys(input: string): ParsedKeys {
  const keys: Key[] = []
  let text = input
  while (text !== "") {
    if (text.startsWith(pasteStart)) {
      const end = text.indexOf(pasteEnd)
      if (end < 0) return { keys, rest: text }
      keys.push({ kind: "paste", text: text.slice(pasteStart.length, end) })
      text = text.slice(end + pasteEnd.length)
      continue
    }
    const sequence = /^\u001b(?:\[[0-?]*[ -/]*[@-~]|O[ -~])/.exec(text)?.[0]
    if (sequence !== undefined) {
      const name = sequences[sequence]
      if (name !== undefined) keys.push({ kind: "named", name })
      text = text.slice(sequence.length)
    } else if (/^\u001b(?:\[[0-?]*[ -/]*|O)?$/.test(text)) {
      return { keys, rest: text }
    } else {
      const character = String.fromCodePoint(text.codePointAt(0) ?? 0)
      const key = keyOf(character)
      if (key !== null) keys.push(key)
      text = text.slice(character.length)
    }
  }
  return { keys, rest: "" }
}

/** What a rest is when nothing follows it: the escape key, or nothing. */
export function flushKeys(rest: string): readonly Key[] {
  return rest === "\u001b" ? [{ kind: "named", name: "escape" }] : []
}

function keyOf(character: string): Key | null {
  const name = controls[character]
  if (name !== undefined) return { kind: "named", name }
  return character < " " || (character >= "\u007f" && character < "\u00a0")
    ? null
    : { kind: "character", text: character }
}

const pasteStart = "\u001b[200~"
const pasteEnd = "\u001b[201~"

const controls: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\b": "backspace",
  "\u0003": "interrupt",
  "\u0004": "eof",
  "\u000c": "redraw",
  "\u0012": "redo",
  "\u0015": "clear",
  "\u001a": "suspend",
  "\u001b": "escape",
}

const sequences: Readonly<Record<string, KeyName>> = {
  "\u001b[A": "up",
  "\u001bOA": "up",
  "\u001b[B": "down",
  "\u001bOB": "down",
  "\u001b[C": "right",
  "\u001bOC": "right",
  "\u001b[D": "left",
  "\u001bOD": "left",
  "\u001b[H": "home",
  "\u001bOH": "home",
  "\u001b[1~": "home",
  "\u001b[F": "end",
  "\u001bOF": "end",
  "\u001b[4~": "end",
  "\u001b[5~": "pageUp",
  "\u001b[6~": "pageDown",
}
