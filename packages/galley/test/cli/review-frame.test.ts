import * as fc from "fast-check"
import picocolors from "picocolors"
import { describe, expect, it } from "vitest"
import { columnsOf, graphemesOf } from "../../src/cli/columns.ts"
import { describe as told } from "../../src/cli/review/describe.ts"
import { fitStyled, frameOf } from "../../src/cli/review/frame.ts"
import { press } from "../../src/cli/review/press.ts"
import type { ReviewState } from "../../src/cli/review/state.ts"
import { createScreen } from "./screen.ts"
import { pendingFile, reviewOf, textOf } from "./review-notation.ts"

const plain = { color: picocolors.createColors(false), width: 80 }
const colored = { color: picocolors.createColors(true), width: 80 }
const shown = (path: string): string => path
const runs = Number(process.env["GALLEY_RUNS"] ?? 150)

const rowsOf = (state: ReviewState, columns = 60, rows = 16): string =>
  frameOf(state, { columns, rows }, plain, shown)
    .rows.map(row => row.trimEnd())
    .join("\n")
const keys = (state: ReviewState, typed: string): ReviewState =>
  Array.from(typed).reduce((now, text) => press(now, { kind: "character", text }).state, state)

const file = pendingFile("src/a.js", textOf("one|two|three|four|"), textOf("one|2|three|four|five|"), {
  added: 2,
  removed: 1,
})

describe("the picture of a hunk", () => {
  it("has its place, its file, its lines between those around it, and the keys", () => {
    expect(rowsOf(reviewOf([file]), 60, 12)).toBe(
      [
        " hunk 1 of 2, file 1 of 1",
        "src/a.js  +2 -1  modified",
        "@@ lines 2 -> 2  src/a.js1-1",
        "1 1   one",
        "2   - two",
        "  2 + 2",
        "3 3   three",
        "4 4   four",
        "",
        "",
        "",
        "y accept  n reject  j skip  k back  s split  ? help  q quit",
      ].join("\n"),
    )
  })
  it("marks chosen lines and the cursor", () => {
    expect(rowsOf(keys(reviewOf([file]), "v j"))).toContain("|2   - two\n>  2 + 2")
  })
  it("says what goes and what stays of a mixed one, and whose the lines are", () => {
    const mixed = {
      ...pendingFile("m", textOf("a|"), textOf("a|b|c|d|"), { mixed: true }),
      authors: ["base", "agent", "person", "altered"] as const,
    }
    const rows = rowsOf(reviewOf([{ ...mixed, authors: [...mixed.authors] }]), 140)
    expect(rows).toContain(
      "rejecting takes out 1 line of the agent's, your 1 line (*) stays, 1 line of the agent's that you altered (*) needs a choice",
    )
    expect(rows).toContain("  2 + b\n  3 * c\n  4 * d")
  })
  it("shows both texts of a conflict and the choice", () => {
    const torn = pendingFile("t", textOf("mine|"), textOf("theirs|"), { conflict: true })
    const conflicts = [
      {
        hunk: torn.file.hunks[0]?.id ?? "",
        reason: "Both changed these lines.",
        mine: "mine\n",
        theirs: "theirs\n",
        origin: "o\n",
      },
    ]
    const rows = rowsOf(keys(reviewOf([{ ...torn, conflicts }]), "y"), 80, 20)
    expect(rows).toContain("yours    | mine\n  proposed | theirs")
    expect(rows).toContain("m: your text stays   t: the proposed text is taken")
  })
  it("scrolls, and says that there is more", () => {
    const long = pendingFile("l", "", textOf(Array.from({ length: 50 }, (_, at) => `line ${at + 1}|`).join("")))
    const state = reviewOf([long])
    expect(rowsOf(state)).toContain("-- 39 more rows below --")
    const down = press(state, { kind: "named", name: "pageDown" }).state
    expect(rowsOf(down)).toContain("line 21\n")
    expect(rowsOf({ ...state, scroll: 999 })).toContain("line 50\n")
  })
  it("follows the cursor through a hunk that is longer than the screen", () => {
    const long = pendingFile("l", "", textOf(Array.from({ length: 50 }, (_, at) => `line ${at + 1}|`).join("")))
    expect(rowsOf(keys(reviewOf([long]), `v${"j".repeat(40)}`))).toContain(">   41 + line 41")
  })
  it("wraps long lines with a mark, by columns and not by characters", () => {
    const wide = pendingFile("w", "", `${"漢字".repeat(20)}\n`)
    const rows = rowsOf(reviewOf([wide]), 40)
      .split("\n")
      .filter(row => row.includes("漢"))
    expect(rows.length).toBe(3)
    expect(rows.slice(1).every(row => row.trimStart().startsWith("> "))).toBe(true)
  })
  it("has no colour where none is wanted", () => expect(rowsOf(reviewOf([file]))).not.toContain("\u001b"))
})

const nasty = fc.string({
  unit: fc.constantFrom(
    ...graphemesOf("ab \t漢字é\u0301😀👩🏽‍💻\u001b[31m\u0007\r\u202e\u200b\u0000\udc80→"),
    "\n",
    "\n",
    "\r\n",
  ),
})
const size = fc.record({ columns: fc.integer({ min: 10, max: 130 }), rows: fc.integer({ min: 3, max: 50 }) })
const typed = fc.string({ unit: fc.constantFrom(...graphemesOf("jkJKgGsv c/f?ynq")), maxLength: 8 })

describe("laws of every picture", () => {
  it("it has the terminal's rows, none is wider, and nothing in it is obeyed", () => {
    fc.assert(
      fc.property(
        nasty,
        nasty,
        nasty,
        size,
        typed,
        fc.boolean(),
        (path, base, current, { columns, rows }, pressedKeys, color) => {
          const files = [pendingFile(path || "p", base, current), pendingFile("q", "a\n", current)]
          const state = keys(
            reviewOf(files, {
              waiting: pressedKeys.length % 2 === 0 ? [] : [{ id: "w", title: path, command: base, diff: current }],
            }),
            pressedKeys,
          )
          // The path goes through showPath before it comes here.
          const frame = frameOf(state, { columns, rows }, color ? colored : plain, name =>
            encodeURIComponent(name.toWellFormed()),
          )
          expect(frame.rows.length).toBe(rows)
          const screen = createScreen(columns, rows)
          for (const row of frame.rows) {
            const bare = row.replaceAll(/\u001b\[\d*(;\d+)*m/g, "")
            expect(columnsOf(bare)).toBeLessThanOrEqual(columns)
            expect(bare).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200b]/)
            if (!color) expect(row).toBe(bare)
          }
          // Drawn as the program does, no row runs into the next.
          frame.rows.forEach((row, at) => screen.write(`\u001b[${at + 1};1H${row}\u001b[K`))
          expect(screen.text().split("\n").length).toBe(rows)
        },
      ),
      { numRuns: runs },
    )
  }, 120_000)
  it("a cut row ends its colours", () => {
    expect(fitStyled("\u001b[31mabcdef\u001b[39m", 4)).toBe("\u001b[31mabc…\u001b[0m")
    expect(fitStyled("漢字漢字", 4)).toBe("漢…")
    expect(fitStyled("abcd", 4)).toBe("abcd")
  })
})

describe("in words", () => {
  it("a hunk is told with counts, places and lines", () => {
    expect(told(reviewOf([file]), shown)).toEqual([
      "Hunk 1 of 2, file 1 of 1: src/a.js, line 2, 1 removed, 1 added.",
      "Modified.",
      "same 1: one",
      "removed 2: two",
      "added 2: 2",
      "same 3: three",
      "same 4: four",
    ])
  })
  it("lines are counted with both ends", () => {
    const three = pendingFile("f", textOf("a|b|"), textOf("x|y|z|"))
    expect(told(reviewOf([three]), shown)[0]).toBe("Hunk 1 of 1, file 1 of 1: f, lines 1 to 3, 2 removed, 3 added.")
  })
  it("nothing in a file is obeyed", () => {
    const text = told(reviewOf([pendingFile("f", "", "\u001b[2J\u202eevil\r\n")]), shown).join("\n")
    expect(text).toContain("\\x1b[2J\\u{202e}evil")
    expect(text).not.toContain("\u001b")
  })
  it("the end is said", () =>
    expect(told(reviewOf([]), shown)).toEqual(["Nothing is pending.", "0 accepted, 0 rejected."]))
})
