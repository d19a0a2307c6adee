import { expect, test } from "vitest"
import type { Loaded } from "../../src/change/loaded.ts"
import { propertyTexts, viewSides } from "../../src/change/sides-view.ts"

const bytes = (text: string): Uint8Array => Uint8Array.from(text, character => character.charCodeAt(0))
const file = (text: string, mode = 0o644): Loaded => ({ kind: "file", bytes: bytes(text), mode })
const link = (target: string): Loaded => ({ kind: "symlink", target })
const folder: Loaded = { kind: "folder", mode: 0o755 }
const absent: Loaded = { kind: "absent" }

function check(base: Loaded, current: Loaded, expected: readonly string[]): void {
  expect(propertyTexts(viewSides({ base, current }))).toEqual(expected)
}

test("a creation or deletion that shows as lines, or as binary, needs no words", () => {
  check(absent, file("a\n"), [])
  check(file("a\n"), absent, [])
  check(absent, file("\0\x01\xff"), [])
})

test("one that shows nothing is told", () => {
  check(absent, file(""), ["absent → empty file"])
  check(file(""), absent, ["empty file → absent"])
  check(absent, folder, ["absent → folder"])
  check(folder, absent, ["folder → absent"])
  check(absent, link("x/y"), ["absent → symlink to x/y"])
})

test("targets are told, and cannot speak to a terminal", () => {
  check(link("a"), link("b\x1b[2J"), ["link target a → b\\x1b[2J"])
  check(file("a\n"), link("b"), ["file → symlink to b"])
})

test("mode, encoding and line endings are told apart", () => {
  check(file("a\n"), file("a\n", 0o755), ["mode 644 → 755"])
  check(file("a\n"), file("\xef\xbb\xbfa\n"), ["BOM added"])
  check(file("a\nb\n"), file("a\r\nb\r\n"), ["line endings lf → crlf"])
})
