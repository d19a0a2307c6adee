import { diffLines } from "@galley/core/diff/line-diff.ts"
import type { Result } from "@galley/core/protocol/requests.ts"
import type { HunkView } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { assert, constantFrom, property, string } from "fast-check"
import { describe, expect, it } from "vitest"
import { lookOf } from "../../src/cli/look.ts"
import { renderFileDiff, renderUnified } from "../../src/cli/render-diff.ts"

const plain = lookOf("never", {}, {})
const colored = lookOf("always", {}, {})

type FilePart = Partial<Result<"file">["file"]>

/** A pending file as the engine tells of it, with the hunks of the two texts. */
function view(
  base: string | null,
  current: string | null,
  file: FilePart = {},
  more: Partial<Result<"file">> = {},
): Result<"file"> {
  const old = splitLines(base ?? "")
  const now = splitLines(current ?? "")
  const hunks = diffLines(old, now).hunks.map((hunk, at): HunkView => {
    const oldLines = hunk.toBase - hunk.fromBase
    const newLines = hunk.toCurrent - hunk.fromCurrent
    return {
      id: `k${at + 1}`,
      index: at + 1,
      oldStart: oldLines === 0 ? hunk.fromBase : hunk.fromBase + 1,
      oldLines,
      newStart: newLines === 0 ? hunk.fromCurrent : hunk.fromCurrent + 1,
      newLines,
      mixed: false,
      conflict: false,
    }
  })
  return {
    version: 1,
    file: {
      path: "a.txt",
      kinds: ["modify"],
      id: "f1",
      revision: 3,
      disk: "current",
      hunks,
      conflict: false,
      parked: false,
      ...file,
    },
    base,
    current,
    authors: now.map(() => "agent"),
    conflicts: [],
    comments: [],
    ...more,
  }
}

/** The rows under the heading, without colour. */
function check(name: string, given: Result<"file">, expected: string): void {
  it(name, () => {
    const [, ...rows] = renderFileDiff(given, "a.txt", plain).split("\n")
    expect(`\n${rows.join("\n")}`).toBe(expected)
  })
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

describe("a file's hunks, inline", () => {
  check(
    "one changed line with three lines around it",
    view(ten, ten.replace("5\n", "five\n")),
    `
@@ hunk 1 of 1  k1  lines 5 -> 5
 2  2   2
 3  3   3
 4  4   4
 5    - 5
    5 + five
 6  6   6
 7  7   7
 8  8   8
`,
  )
  check(
    "two hunks that share their context show it once",
    view(ten, ten.replace("4\n", "").replace("7\n", "7\n7a\n")),
    `
@@ hunk 1 of 2  k1  lines 4 -> after 3
 1  1   1
 2  2   2
 3  3   3
 4    - 4
 5  4   5
 6  5   6
 7  6   7
@@ hunk 2 of 2  k2  lines after 7 -> 7
    7 + 7a
 8  8   8
 9  9   9
10 10   10
`,
  )
  check(
    "a created file is all new",
    view(null, "a\nb\n", { kinds: ["create"] }),
    `
@@ hunk 1 of 1  k1  lines after 0 -> 1-2
  1 + a
  2 + b
`,
  )
  check("an empty file says so", view(null, "", { kinds: ["create"] }), "\n  An empty file.\n")
  check(
    "a deleted file is all gone",
    view("a\n", null, { kinds: ["delete"] }),
    `
@@ hunk 1 of 1  k1  lines 1 -> after 0
1   - a
`,
  )
  check(
    "a missing final newline is said",
    view("a\nb\n", "a\nb"),
    `
@@ hunk 1 of 1  k1  lines 2 -> 2
1 1   a
2   - b
  2 + b
      \\ no newline at the end of the file
`,
  )
  check(
    "line ends are named where they are what changed",
    view("a\r\nb\r\n", "a\nb\r\n"),
    `
@@ hunk 1 of 1  k1  lines 1 -> 1
1   - a<CRLF>
  1 + a<LF>
2 2   b
`,
  )
  check(
    "a mixed hunk marks a person's lines",
    view(
      "a\n",
      "a\nmine\nits\n",
      {
        hunks: [
          { id: "k1", index: 1, oldStart: 1, oldLines: 0, newStart: 2, newLines: 2, mixed: true, conflict: false },
        ],
      },
      { authors: ["base", "person", "agent"] },
    ),
    `
@@ hunk 1 of 1  k1  lines after 1 -> 2-3  mixed: lines marked * are a person's
1 1   a
  2 * mine
  3 + its
`,
  )
  check(
    "a conflict shows both texts, a comment where it belongs and that it waits",
    view(
      "a\n",
      "b\n",
      {},
      {
        conflicts: [{ hunk: "k1", reason: "both changed line 1", mine: "c\n", theirs: "b\n", origin: "a\n" }],
        comments: [
          { id: "n1", line: 1, text: "why?", delivered: false },
          { id: "n2", line: null, text: "fine", delivered: true },
        ],
      },
    ),
    `
@@ hunk 1 of 1  k1  lines 1 -> 1
1   - a
  1 + b
  conflict in k1: both changed line 1
    mine   | c
    theirs | b
  comment on line 1: why?  (goes to the agent at its next contact)
  comment: fine
`,
  )
  check(
    "a binary file is not shown",
    view(null, null, { kinds: ["binary"], hunks: [] }),
    "\n  Binary: the bytes differ; accept or reject the file as a whole.\n",
  )
})

describe("a file's heading names what is not lines", () => {
  const heading = (file: FilePart): string => renderFileDiff(view("", "", file), "a.txt", plain).split("\n")[0] ?? ""
  it("kinds, counts, properties", () => {
    expect(
      heading({
        kinds: ["rename", "mode"],
        from: "b.txt",
        added: 2,
        removed: 0,
        properties: ["mode 644 → 755", "BOM added"],
      }),
    ).toBe("b.txt -> a.txt  renamed, mode changed  +2  mode 644 → 755  BOM added  f1 r3")
  })
  it("where it stands", () => {
    expect(heading({ disk: "base", conflict: true, parked: true, branch: "main" })).toBe(
      "a.txt  modified  held: not on disk  conflict  parked on main  f1 r3",
    )
    expect(heading({ kinds: ["folder"], summary: { files: 40_000 } })).toBe(
      "a.txt  folder  40000 files, shown as one  f1 r3",
    )
    expect(heading({ kinds: ["symlink"] })).toContain("symbolic link")
    expect(heading({ coarse: true })).toContain("coarse")
  })
})

describe("a terminal is never told what to do by a file", () => {
  const hostile = string({
    unit: constantFrom("a", "\n", "\u001b[2J", "\u0007", "\r", "\u202e", "\u009b", "\ud800", "é", "\t"),
  })
  it("whatever texts, names and reasons say", () => {
    assert(
      property(hostile, hostile, (base, current) => {
        const given = view(
          base,
          current,
          { path: base, properties: [current], from: current },
          {
            conflicts: [{ hunk: null, reason: base, mine: base, theirs: current, origin: base }],
            comments: [{ id: "n", line: 1, text: current, delivered: true }],
          },
        )
        const shown = renderFileDiff(given, "a.txt", plain) + renderUnified(base, plain)
        return !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\ud800-\udfff]/.test(
          shown.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ""),
        )
      }),
      { numRuns: Number(process.env["GALLEY_RUNS"] ?? 300) },
    )
  })
  it("and colours never leak past a line", () => {
    assert(
      property(hostile, hostile, (base, current) => {
        for (const line of renderFileDiff(view(base, current), "a.txt", colored).split("\n")) {
          const codes = [...line.matchAll(/\u001b\[(\d+)m/g)].map(match => Number(match[1]))
          const last = new Map(codes.map(code => [kindOf(code), code]))
          for (const [kind, code] of last)
            if (![39, 22, 27, 49].includes(code)) throw new Error(`${kind} ${code} in ${JSON.stringify(line)}`)
        }
      }),
      { numRuns: Number(process.env["GALLEY_RUNS"] ?? 300) },
    )
  })
})

function kindOf(code: number): string {
  if (code >= 30 && code <= 39) return "color"
  if (code === 7 || code === 27) return "inverse"
  return code === 1 || code === 2 || code === 22 ? "weight" : "other"
}

describe("width", () => {
  it("wraps long lines under their own column, wide characters counted as two", () => {
    const look = lookOf("never", { isTTY: true, columns: 40 }, {})
    const rows = renderFileDiff(view("", `${"漢字".repeat(20)}\n`), "a.txt", look).split("\n")
    expect(rows.slice(2, 6)).toEqual([
      `  1 + ${"漢字".repeat(8)}漢`,
      `      字${"漢字".repeat(8)}`,
      `      ${"漢字".repeat(3)}`,
      "",
    ])
  })
  it("marks the words that changed, also where a line is wrapped", () => {
    const look = lookOf("always", { isTTY: true, columns: 44 }, {})
    const text = renderFileDiff(
      view("const total = price * count\n", "const total = price * quantity\n"),
      "a.txt",
      look,
    )
    expect(text).toContain("\u001b[7mquantity\u001b[27m")
    expect(text).not.toContain("\u001b[7mconst")
  })
  it("leaves a pipe's lines whole", () => {
    const long = "x".repeat(500)
    expect(renderFileDiff(view("", `${long}\n`), "a.txt", plain)).toContain(`+ ${long}\n`)
  })
})

describe("a unified diff in colour", () => {
  it("takes a content line that looks like a header for content", () => {
    const diff =
      "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- dashes\n+++ pluses\n same\n--- a/y\n+++ b/y\n@@ -1 +0,0 @@\n-gone\n"
    const rows = renderUnified(diff, colored).split("\n")
    const paint = (text: string, from: number, to: number): string => `\u001b[${from}m${text}\u001b[${to}m`
    expect(rows[3]).toBe(paint("--- dashes", 31, 39))
    expect(rows[4]).toBe(paint("+++ pluses", 32, 39))
    expect(rows[6]).toBe(paint("--- a/y", 1, 22))
    expect(rows[9]).toBe(paint("-gone", 31, 39))
  })
})
