import { pathFromBytes } from "@galley/core/path.ts"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { inertText } from "../../src/model/inert.ts"
import { type Place, readPlace, writePlace } from "../../src/model/place.ts"
import { layTree, type Message } from "../../src/model/tree.ts"
import { readUnified } from "../../src/model/unified.ts"

describe("places in the address", () => {
  const check = (place: Place): void => expect(readPlace(writePlace(place))).toEqual(place)
  it("lead back to any file, also one whose name is not UTF-8", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 20 }), bytes => {
        const name = pathFromBytes(bytes.filter(byte => byte !== 0 && byte !== 47))
        if (name !== "") check({ kind: "file", path: `src/${name}`, hunk: null })
      }),
    )
  })
  it("lead back to a hunk and a message", () => {
    check({ kind: "file", path: "a?b#c.ts", hunk: "h12ab34c" })
    check({ kind: "message", id: "m/1" })
  })
  it("that make no sense are the start", () => expect(readPlace("#/file/%zz")).toEqual({ kind: "home" }))
})

describe("inert text", () => {
  const check = (text: string, expected: string): void => expect(inertText(text)).toBe(expected)
  it("leaves ordinary text of any script alone", () => check("naïve 日本 Ελλ 👍 <b>\t&", "naïve 日本 Ελλ 👍 <b>\t&"))
  it("shows escapes, direction marks and what cannot be seen", () =>
    check("\u001b[31m\u202e\u200b\ufeff", "␛[31mU+202EU+200BU+FEFF"))
  it("shows bytes of a name that is not UTF-8", () => check("caf\udce9", "caf\\xe9"))
  it("cuts what is too long, and says by how much", () =>
    check("x".repeat(2005), `${"x".repeat(2000)} … 5 more characters`))
})

describe("unified diffs", () => {
  const kinds = (diff: string): string =>
    readUnified(diff)
      .map(row => `${row.kind} ${row.old ?? "-"} ${row.new ?? "-"}`)
      .join("; ")
  it("count lines on both sides", () =>
    expect(kinds("--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n same\n-old\n+new\n")).toBe(
      "file - -; place - -; same 3 3; removed 4 -; added - 4",
    ))
  it("take changed lines that look like headers for what they are", () =>
    expect(kinds("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- x\n-y\n+++ x\n+@@ -1 +1 @@\n")).toBe(
      "file - -; place - -; removed 1 -; removed 2 -; added - 1; added - 2",
    ))
  it("hide nothing they do not know", () => expect(kinds("Binary files differ\n")).toBe("note - -"))
})

describe("the tree of messages", () => {
  const message = (id: string, parent: string | null, onHeadPath: boolean, at: number): Message => ({
    id,
    parent,
    conversation: "c",
    title: id,
    createdAt: at,
    files: [],
    onHeadPath,
  })
  const draw = (...messages: readonly Message[]): string =>
    layTree(messages, new Map([["c", "head"]]))
      .map(
        row =>
          `${row.message.id}@${row.lane}${row.through.length > 0 ? `|${row.through.join()}` : ""}${row.joins.length > 0 ? `<${row.joins.join()}` : ""}`,
      )
      .join(" ")
  it("is one line where nothing was rewound", () =>
    expect(draw(message("a", null, true, 1), message("head", "a", true, 2))).toBe("head@0 a@0"))
  it("keeps the way to the head straight; what was rewound branches off and joins", () =>
    expect(
      draw(
        message("a", null, true, 1),
        message("b", "a", false, 2),
        message("c", "b", false, 3),
        message("head", "a", true, 4),
      ),
    ).toBe("head@0 c@1|0 b@1|0 a@0<1"))
  it("draws a message above the head", () =>
    expect(draw(message("head", null, true, 1), message("b", "head", false, 2))).toBe("b@1 head@0<1"))
})
