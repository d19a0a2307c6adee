import { describe, expect, test } from "vitest"
import { noMatchText } from "../../src/tool/edit-text.ts"
import { missHint, searchLimit } from "../../src/tool/miss-hint.ts"

function hintOf(text: string, oldStr: string, newStr = "§"): string {
  const { cause, near, appliedAt } = missHint(text, oldStr, newStr)
  const place = near === null ? "nowhere" : `${near.line}+${near.lines}`
  return `${cause} ${place}${appliedAt === null ? "" : ` applied ${appliedAt}`}`
}

describe("causes", () => {
  function check(name: string, text: string, oldStr: string, expected: string, newStr?: string): void {
    test(name, () => {
      expect(text.includes(oldStr)).toBe(false)
      expect(hintOf(text, oldStr, newStr)).toBe(expected)
    })
  }
  check("tabs in the file", "a\n\tb\n", "        b", "tabs 2+1")
  check("tabs in old_str", "a\n    b\n", "\tb", "tabs 2+1")
  check("indentation left out in one line of two", "a\n  b\n  c\n", "b\nc", "blanks 2+2")
  check("too much indentation", "foo\n", "  foo", "blanks 1+1")
  check("two spaces for one", "a b\n", "a  b", "blanks 1+1")
  check("trailing blanks in old_str", "x\nfoo\nbar\n", "foo  \nbar", "trailingBlanks 2+2")
  check("trailing blanks in the file", "x\nfoo \t\nbar\n", "foo\nbar", "trailingBlanks 2+2")
  check("trailing blanks before CRLF", "x\r\nfoo \r\nbar\r\n", "foo\nbar", "trailingBlanks 2+2")
  check("line endings of an old Mac", "a\rb\rc", "a\nb", "lineEndings 1+2")
  check("no final newline", "foo\nbar", "bar\n", "noFinalNewline 2+1")
  check("a no-break space", "x\na\u00a0b\n", "a b", "noBreakSpace 2+1")
  check("a no-break space in old_str", "a b\n", "a\u00a0b", "noBreakSpace 1+1")
  check("curly quotes in the file", "x\nsay \u201chi\u201d\n", 'say "hi"', "quotes 2+1")
  check("curly quotes in old_str", "it's\n", "it\u2019s", "quotes 1+1")
  check("a dash", "a \u2013 b\n", "a - b", "quotes 1+1")
  check("dots", "wait\u2026\n", "wait...", "quotes 1+1")
  check("a zero-width space", "a\u200bb\n", "ab", "invisible 1+1")
  check("decomposed letters in the file", "x\ncafe\u0301\n", "caf\u00e9", "composition 2+1")
  check("decomposed letters in old_str", "caf\u00e9\n", "cafe\u0301", "composition 1+1")
  check("line numbers of our view", "one\ntwo\n", "     2\ttwo", "lineNumbers 2+1")
  check("line numbers on each line", "one\n  two\nthree\n", "     2\t  two\n     3\tthree\n", "lineNumbers 2+2")
  check("line numbers with an arrow", "one\ntwo\n", "     2→two", "lineNumbers 2+1")
  check("line numbers with a bar", "one\ntwo\n", "2 | two", "lineNumbers 2+1")
  check("line numbers with a colon", "one\ntwo\n", "2: two", "lineNumbers 2+1")
  check("line numbers in a CRLF file", "one\r\ntwo\r\nx\r\n", "1\tone\n2\ttwo", "lineNumbers 1+2")
  check("written-out newlines", "x\na\nb\n", "a\\nb", "escapes 2+1")
  check("written-out quotes", 'x\nsay "hi"\n', 'say \\"hi\\"', "escapes 2+1")
  check("doubled backslashes", "x\nC:\\dir\n", "C:\\\\dir", "escapes 2+1")
  check("real newlines for written-out ones", 'x\nprint("a\\nb")\n', "a\nb", "escapes 2+2")
  check("HTML entities", "x\na && b\n", "a &amp;&amp; b", "escapes 2+1")
  check("letter case", "x\nReturn Value\n", "return value", "letterCase 2+1")
  check("several at once", "x\n\tSay \u201chi\u201d\n", '    say "hi"', "several 2+1")
  check("done already", "one\nTWO\nthree\n", "two", "alreadyApplied 2+1 applied 2", "TWO")
  check(
    "done already, as a change of blanks",
    "if x:\n    foo()\n",
    "if x:\n  foo()",
    "alreadyApplied 1+2 applied 1",
    "if x:\n    foo()",
  )
  check(
    "new_str elsewhere beside a cause",
    "foo\nreturn value;\n",
    "foo ",
    "trailingBlanks 1+1 applied 2",
    "return value;",
  )
  check("a short new_str inside a word is no sign", "axe\n", "zzz", "null nowhere", "x")
  check("a short new_str that stands often is no sign", "x\nx\n", "zzz", "null nowhere", "x")
  check("nothing like it", "one\ntwo\n", "###########", "null nowhere")
  check("only blanks", "ab\n", "   ", "null nowhere")
  check("an empty file", "", "a", "null nowhere")
})

describe("the nearest text", () => {
  const file = Array.from(
    { length: 50 },
    (_, at) => `function part${at}(value: number): number {\n  return value * ${at}\n}\n`,
  ).join("")
  test("is where most lines are equal", () =>
    expect(hintOf(file, "function part7(value: number): number {\n  return value * 700\n}\n")).toBe("null 22+3"))
  test("is found by a later line", () =>
    expect(hintOf(file, "function gone() {\n  return value * 9\n}\n")).toBe("null 28+3"))
  test("is the line with most in common", () =>
    expect(
      hintOf("alpha beta\nconst total = compute(order, price)\nomega\n", "const total = compute(orders, prices, tax)"),
    ).toBe("null 2+1"))
  test("may begin before the file", () =>
    expect(hintOf("same line here\n", "missing\nsame line here\nx")).toBe("null 1+3"))
})

describe("the answer", () => {
  function answer(text: string, oldStr: string, changed = false): string {
    const { message, hint } = noMatchText("/w/f", text, { oldStr }, missHint(text, oldStr, "§"), changed)
    return `${message}\n${hint}`
  }
  test("holds the cause and the real lines with their numbers", () => {
    const said = answer("a\n\tb\n", "        b")
    expect(said).toContain("file has tabs")
    expect(said).toContain("     2\t\tb")
  })
  test("says that the file changed", () => expect(answer("a\n", "zzz", true)).toContain("changed since"))
  test("is short, however long the input and the lines are", () => {
    const long = "abc ".repeat(300_000)
    for (const [text, oldStr] of [
      [long, `${long}x`],
      [`${long}\n`.repeat(3), "abd ".repeat(300_000)],
      ["a\n".repeat(100_000), "b\n".repeat(100_000)],
      ["a\n", "\u0000\u202e".repeat(100_000)],
    ] as const)
      expect(answer(text, oldStr).length).toBeLessThan(2500)
  })
})

// No timing asserted: these end quickly or, were a step quadratic, not within the test's time.
describe("ends on five megabytes of", () => {
  const size = 5 << 20
  const hard: Readonly<Record<string, string>> = {
    blanks: " ".repeat(size),
    "blank lines": "\n".repeat(size),
    "carriage returns": "\r".repeat(size),
    "one line": "abcdefghij".repeat(size / 10),
    "equal lines": "  return value\n".repeat(size / 15),
    quotes: "\u201c".repeat(size),
    "accents to compose": "e\u0301".repeat(size / 2),
  }
  const wanted: Readonly<Record<string, string>> = {
    lines: "  return valu\n".repeat(500),
    accents: `${"e\u0301".repeat(1000)}\u00e8`,
  }
  for (const [name, text] of Object.entries(hard))
    test(name, () => {
      for (const oldStr of Object.values(wanted)) expect(missHint(text, oldStr, "§").appliedAt).toBeNull()
    })
  test("and looks at no more than its limit of a larger one", () => {
    const text = `${"x\n".repeat(searchLimit / 2)}needle\t1\n`
    expect(hintOf(text, "needle 1")).toBe("null nowhere")
  })
})
