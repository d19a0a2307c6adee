import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { editDocument, type EditOutcome, editText, insertAt, lineCount, replaceOnce } from "../../src/tool/edit.ts"

/** The text after, or the kind of outcome with its places. */
function said(outcome: EditOutcome): string {
  switch (outcome.kind) {
    case "edited":
      return outcome.fitted ? `fitted ${outcome.text}` : outcome.text
    case "manyMatches":
      return `many ${outcome.positions.map(({ line, column }) => `${line}:${column}`).join(" ")}${outcome.more ? " …" : ""}`
    case "noSuchLine":
      return `lines ${outcome.lines}`
    case "noMatch":
    case "unchanged":
      return outcome.kind
  }
}

describe("replace", () => {
  function check(name: string, text: string, from: string, to: string, expected: string): void {
    test(name, () => expect(said(replaceOnce(text, from, to))).toBe(expected))
  }
  check("takes the one place", "one\ntwo\n", "two", "TWO", "one\nTWO\n")
  check("finds nothing", "one\n", "two", "x", "noMatch")
  check("names each line", "a\nb\na", "a", "x", "many 1:1 3:1")
  check("names both places of a line", "a b a", "a", "x", "many 1:1 1:5")
  check("names the first line of text of several", "a\nb\nm\na\nb\n", "a\nb", "x", "many 1:1 4:1")
  check("counts overlapping places", "aaa", "aa", "b", "many 1:1 1:2")
  check("counts overlapping lines", "x\nx\nx\n", "x\nx", "y", "many 1:1 2:1")
  check("counts columns in code points", "😀a a", "a", "x", "many 1:2 1:4")
  check(
    "stops counting",
    "a".repeat(1001),
    "a",
    "x",
    `many ${[...Array(1000).keys()].map(at => `1:${at + 1}`).join(" ")} …`,
  )
  check("puts dollar patterns as they are", "before OLD after", "OLD", "$&|$`|$'|$$|$1", "before $&|$`|$'|$$|$1 after")
  check("reads no pattern in old_str", "a.b axb", "a.b", "z", "z axb")
  check("deletes", "one\ntwo\nthree\n", "two\n", "", "one\nthree\n")
  check("can empty the file", "all", "all", "", "")
  check("keeps a missing final newline", "a\nb", "b", "c", "a\nc")
  check("takes blanks seriously", "foo\n", "foo ", "x", "noMatch")
  check("takes a newline at the end seriously", "foo\nbar", "bar\n", "x", "noMatch")
  check("takes composition seriously", "caf\u00e9", "cafe\u0301", "x", "noMatch")
  check(
    "finds a long text that repeats itself",
    `${"ab".repeat(400)}c`,
    `${"ab".repeat(300)}c`,
    "x",
    `${"ab".repeat(100)}x`,
  )

  check("fits LF to CRLF", "a\r\nb\r\nc\r\n", "a\nb", "X\nY", "fitted X\r\nY\r\nc\r\n")
  check("fits CRLF to LF", "a\nb\nc\n", "a\r\nb", "X\r\nY", "fitted X\nY\nc\n")
  check("fits mixed to CRLF", "a\r\nb\r\nc\r\n", "a\r\nb\nc", "x\ny", "fitted x\r\ny\r\n")
  check("prefers the exact place to fitted ones", "a\r\nb\na\nb\n", "a\nb", "z", "a\r\nb\nz\n")
  check("refuses two fitted places", "a\r\nb\r\na\r\nb\r\n", "a\nb", "z", "many 1:1 3:1")
  check("deletes whole CRLF lines", "a\r\nb\r\nc\r\n", "b\n", "", "fitted a\r\nc\r\n")
  check("fits one place in a mixed file to it", "a\nb\nc\r\nd\r\n", "c\nd", "C\nD", "fitted a\nb\nC\r\nD\r\n")
  check("leaves no lone CR where old_str begins at a line's end", "a\r\nb", "\nb", "", "fitted a")
  check("leaves no lone CR behind a joined line", "a\r\nb\r\n", "\nb", "\nX", "fitted a\r\nX\r\n")
  check("gives new lines the ending of their line", "a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n")
  check("leaves endings that new_str spells out", "a\nb\n", "a", "x\r\ny", "x\r\ny\nb\n")
  check("leaves new_str alone where old_str shows endings", "a\r\nb\r\n", "a\r\n", "a\n", "a\nb\r\n")
  check("can take a carriage return away", "a\r\nb\n", "a\r", "a", "a\nb\n")
  check("has no endings to fit in one line", "ab", "a\nb", "x", "noMatch")

  test("says the line and the texts", () => {
    expect(replaceOnce("a\nb\nc", "b", "B")).toMatchObject({ line: 2, removed: "b", inserted: "B", fitted: false })
    expect(replaceOnce("a\r\nb\r\n", "\nb", "")).toMatchObject({ line: 1, removed: "\r\nb" })
  })
})

describe("insert", () => {
  function check(text: string, boundary: number, insertText: string, expected: string): void {
    test(`${JSON.stringify(insertText)} at ${boundary} of ${JSON.stringify(text)}`, () =>
      expect(said(insertAt(text, boundary, insertText))).toBe(expected))
  }
  check("one\ntwo\n", 0, "new", "new\none\ntwo\n")
  check("one\ntwo\n", 1, "new", "one\nnew\ntwo\n")
  check("one\ntwo\n", 1, "new\n", "one\nnew\ntwo\n")
  check("one\ntwo\n", 1, "n1\nn2", "one\nn1\nn2\ntwo\n")
  check("one\ntwo\n", 1, "\n", "one\n\ntwo\n")
  check("one\ntwo\n", 1, "", "one\n\ntwo\n")
  check("one\ntwo\n", 1, "new\n\n", "one\nnew\n\ntwo\n")
  check("one\ntwo\n", 2, "new", "one\ntwo\nnew\n")
  check("one\ntwo\n", 2, "new\n", "one\ntwo\nnew\n")
  check("one\ntwo\n", 3, "new", "one\ntwo\n\nnew")
  check("one\ntwo", 2, "new", "one\ntwo\nnew")
  check("one\ntwo", 2, "new\n", "one\ntwo\nnew\n")
  check("one\ntwo", 1, "new", "one\nnew\ntwo")
  check("one\n", 2, "three", "one\n\nthree")
  check("", 0, "new", "new\n")
  check("", 1, "new", "\nnew")
  check("one\ntwo", 3, "new", "lines 2")
  check("one\ntwo\n", 4, "new", "lines 3")
  check("one\n", -1, "new", "lines 2")
  check("a\r\nb\r\n", 1, "x\ny", "a\r\nx\r\ny\r\nb\r\n")
  check("a\r\nb", 2, "x", "a\r\nb\r\nx")
  check("a\nb\n", 1, "x\r\ny", "a\nx\ny\nb\n")
  check("a\r\nb\nc\n", 1, "x", "a\r\nx\r\nb\nc\n")
  check("a\r\nb\nc\n", 2, "x", "a\r\nb\nx\nc\n")
  check("a\nb\r\nc\r\n", 0, "x", "x\na\nb\r\nc\r\n")
  check("a\rb\n", 1, "x", "a\rb\nx\n")

  test("says where the new line is", () => {
    expect(insertAt("a\nb\n", 1, "x")).toMatchObject({ line: 2, inserted: "x\n", removed: "" })
    expect(insertAt("a\nb", 2, "x")).toMatchObject({ line: 3, inserted: "\nx" })
  })

  const pieces = fc.array(fc.constantFrom("a", "b", "", "\r", "😀"), { maxLength: 6 })
  test("never glues lines: the file's lines and the text's are all there, in order", () => {
    fc.assert(
      fc.property(pieces, fc.constantFrom("\n", "\r\n"), pieces, fc.nat(), (before, eol, added, at) => {
        const text = before.join(eol)
        const boundary = at % (lineCount(text) + 1)
        const outcome = insertAt(text, boundary, added.join("\n"))
        if (outcome.kind !== "edited") throw new Error(outcome.kind)
        const lines = text.split("\n").map(line => line.replace(/\r$/, ""))
        const bare = added.join("\n").replace(/(?<=[^])\n$|^\n$/, boundary === lines.length ? "$&" : "")
        const expected = [...lines.slice(0, boundary), ...bare.split("\n"), ...lines.slice(boundary)]
        const strip = (line: string): string => line.replace(/\r+$/, "")
        expect(outcome.text.split("\n").map(strip)).toEqual(expected.map(strip))
        // Nothing outside the inserted text moved.
        const cut = outcome.text.indexOf(outcome.inserted)
        expect(cut).toBeGreaterThanOrEqual(0)
        expect(outcome.text).toHaveLength(text.length + outcome.inserted.length)
      }),
    )
  })
})

describe("on a document", () => {
  const marked = { text: "hi\n", encoding: { name: "utf-8", bom: true } }
  const replace = (oldStr: string, newStr: string) => ({ command: "str_replace", oldStr, newStr }) as const
  test("a byte order mark is not in the way", () =>
    expect(said(editDocument(marked, replace("hi", "yo"), false))).toBe("yo\n"))
  test("old_str may spell it", () => {
    expect(said(editDocument(marked, replace("\uFEFFhi", "\uFEFFyo"), false))).toBe("yo\n")
    expect(said(editDocument(marked, replace("\uFEFFhi", "yo"), false))).toBe("yo\n")
    expect(said(editDocument(marked, replace("\uFEFFi", "x"), false))).toBe("noMatch")
  })
  test("it cannot be edited away", () =>
    expect(said(editDocument(marked, replace("\uFEFF", ""), false))).toBe("unchanged"))
  test("without one it is text", () =>
    expect(
      said(editDocument({ ...marked, encoding: { name: "utf-8", bom: false } }, replace("\uFEFFhi", "x"), false)),
    ).toBe("noMatch"))
})

describe("expanding tabs", () => {
  function check(name: string, text: string, oldStr: string, newStr: string, expected: string): void {
    test(name, () => expect(said(editText(text, { command: "str_replace", oldStr, newStr }, true))).toBe(expected))
  }
  check("changes every line", "t:\n\told\n\tx\n", "old", "new", "t:\n        new\n        x\n")
  check("matches tabs with tabs", "if:\n\tret\n", "\tret", "\tRET", "if:\n        RET\n")
  check("matches tabs with blanks", "if:\n\tret\n", "        ret", "        RET", "if:\n        RET\n")
  check("misses a tab within a line, whose width old_str cannot know", "ab\tcd\n", "\tcd", "\tCD", "noMatch")
  check("takes blanks for tabs as a change", "\tx\n", "\tx", "        x", "        x\n")
  check("leaves a file without tabs", "x\n", "x", "\ty", "        y\n")
  test("before an insert too", () =>
    expect(said(editText("a:\n\tb\n", { command: "insert", line: 1, insertText: "\tc" }, true))).toBe(
      "a:\n        c\n        b\n",
    ))
  test("is told", () => {
    const request = { command: "insert", line: 0, insertText: "x" } as const
    expect(editText("\ta", request, true)).toMatchObject({ expanded: true })
    expect(editText("a", request, true)).toMatchObject({ expanded: false })
    expect(editText("\ta", request, false)).toMatchObject({ expanded: false })
  })
})
