import { isDeceptive } from "../path.ts"

/**
 * Text of a file as a terminal may safely get it: escape sequences, controls and deceptive characters are shown as `\x1b` or
 * `\u{202e}`, never obeyed. Tabs and line feeds stay.
 */
export function inert(text: string): string {
  // One pass over plain text decides that nothing is to do: the usual case.
  if (
    !/[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/.test(
      text,
    )
  )
    return text
  let shown = ""
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code === 0x09 || code === 0x0a) shown += character
    else if (code < 0x20 || code === 0x7f) shown += `\\x${code.toString(16).padStart(2, "0")}`
    else if (isDeceptive(code)) shown += `\\u{${code.toString(16)}}`
    else shown += character
  }
  return shown
}
