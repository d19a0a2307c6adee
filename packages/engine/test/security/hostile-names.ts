import { pathFromBytes } from "@galley/core/path.ts"

/** Names that a repository or an agent may hand us, and what each is for. */
export const hostileNames: Readonly<Record<string, string>> = {
  "a line break": "line\nbreak.txt",
  "a tab and a carriage return": "tab\tand\rreturn",
  "a leading dash": "-rf",
  "two dashes": "--all",
  "an escape sequence": "\u001b[31mred\u001b[0m.txt",
  "a title sequence": "\u001b]0;owned\u0007",
  "a right-to-left override": "photo\u202egnp.exe",
  "zero-width characters": "zero\u200bwidth\ufeff.txt",
  "C1 controls": "c1\u009b31m.txt",
  "bytes that are not UTF-8": pathFromBytes(Uint8Array.of(0x66, 0xff, 0xfe, 0x80, 0x2e, 0x74)),
  "255 bytes": "n".repeat(255),
  "255 bytes of accents": `${"é".repeat(127)}n`,
  "spaces at both ends": "  spaces  ",
  "a backslash": "back\\slash\\..\\..\\etc",
  "quotes and a dollar": `'"$(touch owned)\`touch owned\`.txt`,
  "a glob": "*?[a].txt",
  "a colon, as a place or a magic pathspec": ":(top)x:12",
  "a tilde": "~root",
  "a name of JavaScript": "__proto__",
  "a percent sign": "%2e%2e%2fetc",
  markup: "<img src=x onerror=alert(1)>",
  "composed beside decomposed": "e\u0301 and é",
  "our own temporary name": ".galley-0-tmp",
}
