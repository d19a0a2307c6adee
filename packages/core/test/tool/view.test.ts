import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { replaceOnce } from "../../src/tool/edit.ts"
import {
  directoryRow,
  type FileView,
  inViewOrder,
  isLeftOut,
  prefix,
  type ViewRange,
  viewLines,
} from "../../src/tool/view.ts"

type Rows = Extract<FileView, { kind: "rows" }>

function rowsOf(text: string, range: ViewRange | null = null, limit = 16_000): Rows {
  const view = viewLines(text, range, limit)
  if (view.kind !== "rows") throw new Error(`${view.kind} ${view.lines}`)
  return view
}

describe("rows", () => {
  function check(name: string, text: string, range: ViewRange | null, expected: string): void {
    test(name, () => expect(rowsOf(text, range).rows).toBe(expected))
  }
  check("an empty file has one empty line", "", null, "     1\t")
  check("a final newline opens a last empty line", "a\n", null, "     1\ta\n     2\t")
  check("no final newline, no further line", "a\nb", null, "     1\ta\n     2\tb")
  check("tabs stay", "\tb\tc", null, "     1\t\tb\tc")
  check("the CR of a CRLF is not shown", "a\r\nb\r\n", null, "     1\ta\n     2\tb\n     3\t")
  check("a lone CR is content", "a\rb", null, "     1\ta\rb")
  check("a form feed and U+2028 break no line", "a\fb\u2028c", null, "     1\ta\fb\u2028c")
  check("a range", "a\nb\nc\nd", { first: 2, last: 3 }, "     2\tb\n     3\tc")
  check("a range to the end", "a\nb\nc", { first: 2, last: -1 }, "     2\tb\n     3\tc")
  check("a range cut to the file", "a\nb", { first: 2, last: 99 }, "     2\tb")
  check("the last empty line can be asked for", "a\n", { first: 2, last: 2 }, "     2\t")

  test("a number wider than six columns keeps its digits", () => {
    const text = "\n".repeat(999_999)
    expect(rowsOf(text, { first: 999_999, last: 1_000_000 }).rows).toBe("999999\t\n1000000\t")
  })
  test("a start behind the end is none", () =>
    expect(viewLines("a\nb", { first: 3, last: -1 }, 100)).toEqual({ kind: "startBeyond", lines: 2 }))
  test("a cut range says so", () => {
    expect(rowsOf("a\nb", { first: 1, last: 3 }).clamped).toBe(true)
    expect(rowsOf("a\nb", { first: 1, last: 2 }).clamped).toBe(false)
    expect(rowsOf("a\nb", { first: 1, last: -1 }).clamped).toBe(false)
  })
})

describe("clipping", () => {
  test("falls behind a whole row and names the next", () => {
    const view = rowsOf("aaaa\nbbbb\ncccc\n", null, 25)
    expect(view).toMatchObject({
      rows: "     1\taaaa\n     2\tbbbb",
      last: 2,
      clipped: { kept: 23, inLine: false, next: 3 },
    })
  })
  test("keeps what fits exactly", () => expect(rowsOf("x".repeat(93), null, 100).clipped).toBeNull())
  test("cuts a row that is longer than the limit, and goes on behind it", () => {
    const view = rowsOf(`${"x".repeat(200)}\nb`, null, 100)
    expect(view).toMatchObject({ last: 1, clipped: { kept: 100, inLine: true, next: 2 } })
    expect(view.rows).toHaveLength(100)
  })
  test("of one endless line nothing is left to show", () =>
    expect(rowsOf("x".repeat(200), null, 100).clipped).toEqual({ kept: 100, inLine: true, next: null }))
  test("cuts inside a row where no boundary is near, and shows that row again", () => {
    const view = rowsOf(`a\n${"x".repeat(90)}\nb`, null, 100)
    expect(view).toMatchObject({ last: 2, clipped: { kept: 100, inLine: true, next: 2 } })
  })
  test("never cuts a surrogate pair", () => {
    const view = rowsOf("😀".repeat(50), null, 20)
    expect(view.rows).toBe(`     1\t${"😀".repeat(6)}`)
    expect(rowsOf("😀".repeat(50), null, 21).rows).toBe(`     1\t${"😀".repeat(7)}`)
  })
  test("law: the prefix of the whole view, within the limit, going on exactly where it stopped", () => {
    const text = fc
      .array(fc.constantFrom("", "ab", "😀😀😀", "x".repeat(30)), { maxLength: 12 })
      .map(all => all.join("\n"))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 120 }), (given, limit) => {
        const whole = rowsOf(given)
        const view = rowsOf(given, null, limit)
        expect(whole.rows.startsWith(view.rows)).toBe(true)
        expect(view.rows.length).toBeLessThanOrEqual(limit)
        expect(view.rows.isWellFormed()).toBe(true)
        if (view.clipped === null) expect(view.rows).toBe(whole.rows)
        else if (!view.clipped.inLine && view.clipped.next !== null) {
          const rest = rowsOf(given, { first: view.clipped.next, last: -1 })
          expect(`${view.rows}\n${rest.rows}`).toBe(whole.rows)
        }
      }),
    )
  })
})

test("law: a row shown of a line that is unique is a valid old_str", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "\t", " ", "\r", "é", "😀"), maxLength: 5 })
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom("\n", "\r\n"), (lines, eol) => {
      const text = lines.map((one, at) => `${at}${one}.`).join(eol)
      for (const row of rowsOf(text).rows.split("\n")) {
        const shown = row.replace(/^ *\d+\t/, "")
        expect(replaceOnce(text, shown, "").kind).toBe("edited")
      }
    }),
  )
})

describe("directory entries", () => {
  const leftOut = ["node_modules", "bower_components", "__pycache__", "site-packages", ".git", ".env"]
  test.each(leftOut)("%s is left out", name => expect(isLeftOut({ name, kind: "folder" })).toBe(true))
  const kept = ["node_modules_old", "__pycache__backup", "src", "vendor", "target", "build"]
  test.each(kept)("%s is shown", name => expect(isLeftOut({ name, kind: "folder" })).toBe(false))
  test("by what they are: a file may be called node_modules, compiled Python is a cache", () => {
    expect(isLeftOut({ name: "node_modules", kind: "file" })).toBe(false)
    expect(isLeftOut({ name: "m.pyc", kind: "file" })).toBe(true)
    expect(isLeftOut({ name: ".hidden", kind: "file" })).toBe(true)
  })
  test("come in the order of their code units", () => {
    const entries = ["b", "a", "B", "é", "a-n", "10", "9"].map(name => ({ name, kind: "file" }) as const)
    expect(inViewOrder(entries).map(entry => entry.name)).toEqual(["10", "9", "B", "a", "a-n", "b", "é"])
  })
  test("are shown inertly", () => {
    expect(directoryRow("/w", { name: "a\nb", kind: "file" })).toBe("/w/a\\nb")
    expect(directoryRow("/w", { name: "\u001b[31m\u202e", kind: "folder" })).toBe("/w/\\x1b[31m\\u{202e}/")
    expect(directoryRow("/w", { name: "-n \"q'", kind: "file" })).toBe("/w/-n \"q'")
    expect(directoryRow("/", { name: "etc", kind: "folder" })).toBe("/etc/")
    expect(directoryRow("/w", { name: "pipe", kind: "fifo" })).toBe("/w/pipe (fifo)")
  })
})

test("a prefix of nothing is nothing", () => {
  expect(prefix("abc", 0)).toBe("")
  expect(prefix("😀", 1)).toBe("")
  expect(prefix("a😀", 2)).toBe("a")
  expect(prefix("a😀", 3)).toBe("a😀")
})
