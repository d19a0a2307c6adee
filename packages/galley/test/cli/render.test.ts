import type { FileView, LogResult, RewindResult, StatusResult } from "@galley/core/protocol/results.ts"
import { describe, expect, it } from "vitest"
import { columnsOf, expandTabs, fitColumns, wrapColumns } from "../../src/cli/columns.ts"
import { inert, inertLine } from "../../src/cli/inert.ts"
import { lookOf } from "../../src/cli/look.ts"
import { progressLine } from "../../src/cli/progress.ts"
import { renderPlan } from "../../src/cli/render-plan.ts"
import { renderDecision, renderStatus } from "../../src/cli/render-status.ts"
import { renderTree } from "../../src/cli/render-tree.ts"
import { renderOperations } from "../../src/cli/commands/log.ts"
import { inBytes } from "../../src/cli/commands/gc.ts"

const plain = lookOf("never", {}, {})
const same = (path: string): string => path

const hunk = { id: "k1", index: 1, oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, mixed: false, conflict: false }
const file = (path: string, more: Partial<FileView> = {}): FileView => ({
  path,
  kinds: ["modify"],
  id: `f-${path}`,
  revision: 1,
  disk: "current",
  hunks: [hunk],
  conflict: false,
  parked: false,
  ...more,
})

describe("status", () => {
  const status = (more: Partial<StatusResult>): StatusResult => ({
    version: 1,
    workspace: "/w",
    review: "apply",
    heads: [],
    waiting: [],
    files: [],
    ...more,
  })
  it("with nothing pending", () => {
    expect(renderStatus(status({}), same, plain)).toBe("/w  review: apply\n\nNothing is pending.\n")
  })
  it("tells what waits, what is pending, what undo would take", () => {
    const text = renderStatus(
      status({
        review: "hold",
        heads: [{ conversation: "c1", message: "m2" }],
        notices: ["A rebase is under way."],
        waiting: [{ id: "w1", title: "Edit", path: "a.js" }],
        files: [
          file("a.js", { added: 3, removed: 1, disk: "base", hunks: [hunk, { ...hunk, mixed: true }] }),
          file("longer/name.js", { kinds: ["rename"], from: "b.js", hunks: [] }),
          file("node_modules", { kinds: ["folder"], hunks: [], summary: { files: 40_000 } }),
          file("logo.png", { kinds: ["create", "binary"], hunks: [] }),
          file("run.sh", { kinds: ["mode"], hunks: [], properties: ["mode 644 → 755"] }),
        ],
        undo: { operation: "op1", title: "Accept 1 hunk in a.js" },
        redo: null,
      }),
      same,
      plain,
    )
    expect(text).toBe(`/w  review: hold
conversation c1 at m2

! A rebase is under way.

Waiting for you:
  w1  Edit  a.js

5 files pending, 2 hunks:
  M a.js                    +3 -1  2 hunks  held  mixed
  R b.js -> longer/name.js
  F node_modules            40000 files
  A logo.png                binary
  P run.sh                  mode 644 → 755

galley undo  would take: Accept 1 hunk in a.js

galley answer w1 allow   or deny --reason "..."
`)
  })
  it("a decision says what it did, and what is left", () => {
    const result = { version: 1, operation: "op1", title: "Accept 1 hunk in a.js", files: [file("a.js")] } as const
    expect(renderDecision({ ...result, files: [...result.files] }, same, plain)).toBe(
      "Accept 1 hunk in a.js  operation op1\nStill pending:\n  M a.js  1 hunk\n",
    )
    expect(renderDecision({ version: 1, operation: null, files: [] }, same, plain)).toBe("There was nothing to do.\n")
  })
})

describe("a rewind's plan", () => {
  const plan: RewindResult = {
    version: 1,
    applied: false,
    operation: null,
    steps: [
      { path: "a.js", action: "write", reason: "as before message m2" },
      { path: "b.js", action: "merge", reason: "your line 7 stays", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n" },
      { path: "c.js", action: "delete", reason: "was not there" },
      { path: "d.js", action: "conflict", reason: "both changed line 3" },
      { path: "e.js", action: "write", reason: "as before message m2" },
    ],
  }
  it("has a line and a reason for each file, and the counts", () => {
    expect(renderPlan(plan, same, plain, false)).toBe(`  write       a.js  as before message m2
  merge       b.js  your line 7 stays
  delete      c.js  was not there
  conflict    d.js  both changed line 3
  write       e.js  as before message m2
2 to write, 1 to merge with newer changes, 1 to delete, 1 to settle (both sides changed the same lines).
`)
  })
  it("shows the diffs when it is only planned", () => {
    expect(renderPlan(plan, same, plain, true)).toContain("      @@ -1 +1 @@\n      -x\n      +y\n")
  })
  it("of nothing", () => {
    expect(renderPlan({ ...plan, steps: [] }, same, plain, false)).toBe("No file is different there.\n")
  })
})

describe("the tree of messages", () => {
  /** `id<parent conversation title`, `*` on the way to the head; in order of time. */
  function log(...rows: readonly string[]): LogResult {
    const messages = rows.map((row, at) => {
      const [head = "", conversation = "", ...title] = row.replace("*", "").split(" ")
      const [id = "", parent = ""] = head.split("<")
      const createdAt = new Date(2026, 10, 30, 12, at).getTime()
      return {
        id,
        parent: parent === "" ? null : parent,
        conversation,
        title: title.join(" "),
        createdAt,
        files: [],
        onHeadPath: row.startsWith("*"),
      }
    })
    return { version: 1, messages }
  }
  function check(name: string, given: LogResult, expected: string): void {
    it(name, () => expect(renderTree(given, plain).replaceAll(/ {2}2026-11-30 12:\d\d/g, "")).toBe(expected))
  }
  check("of one line", log("*a c first", "*b<a c second"), "conversation c\n● a  first\n@ b  second  where it stands\n")
  check(
    "with a branch that was taken back, drawn before the trunk goes on",
    log("*a c one", "b<a c two", "c<b c three", "*d<a c other", "*e<d c more"),
    `conversation c
● a  one
├─○ b  two  taken back
│ ○ c  three  taken back
● d  other
@ e  more  where it stands
`,
  )
  check(
    "with branches of branches",
    log("*a c one", "b<a c two", "c<b c three", "d<b c four", "*e<a c five"),
    `conversation c
● a  one
├─○ b  two  taken back
│ ├─○ c  three  taken back
│ ○ d  four  taken back
@ e  five  where it stands
`,
  )
  check(
    "rewound to before its first message",
    log("a c one"),
    "conversation c\n@ before the first message\n○ a  one  taken back\n",
  )
  check(
    "of two conversations, and a first message tried twice",
    log("a c one", "*x d else", "*b c two"),
    `conversation c
├─○ a  one  taken back
@ b  two  where it stands

conversation d
@ x  else  where it stands
`,
  )
  check("whose parent is not there any more", log("*b<gone c two"), "conversation c\n@ b  two  where it stands\n")
  it("names a message's files and how many more", () => {
    const given = log("*a c one", "*b<a c two")
    const files = ["1", "2", "3", "4", "5"].map(path => ({ path, added: 1, removed: 0 }))
    const text = renderTree({ ...given, messages: given.messages.map(message => ({ ...message, files })) }, plain)
    expect(text.split("\n").slice(2, 8)).toEqual([
      "│   1 +1",
      "│   2 +1",
      "│   3 +1",
      "│   4 +1",
      "│   and 1 more",
      expect.stringMatching(/^@ b/),
    ])
  })
  it("of ten thousand messages in a row is drawn without running out of stack", () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => `*m${at}${at === 0 ? "" : `<m${at - 1}`} c t`)
    expect(renderTree(log(...rows), plain).split("\n").length).toBe(10_002)
  })
})

describe("the log of operations", () => {
  it("has a row for each", () => {
    const operation = {
      id: "op1",
      kind: "edit",
      actor: "agent",
      conversation: "c",
      message: "m",
      paths: ["a.js"],
      capture: "recorded",
      undone: false,
    } as const
    expect(
      renderOperations(
        [
          { ...operation, paths: ["a.js"] },
          {
            ...operation,
            paths: [],
            id: "op2",
            title: "Accept all",
            undone: true,
            capture: "none",
            remark: "cannot be undone: \n",
          },
        ],
        same,
        plain,
      ),
    ).toBe(
      "op1  agent     edit      edit a.js  recorded\nop2  agent     edit      Accept all  undone  cannot be undone: \\n",
    )
  })
})

describe("colours", () => {
  const on = (choice: "auto" | "always" | "never", tty: boolean, variables: Record<string, string> = {}): boolean =>
    lookOf(choice, { isTTY: tty, columns: 80 }, variables).color.isColorSupported
  const rows: readonly [string, boolean, boolean][] = [
    ["on a terminal", on("auto", true), true],
    ["not in a pipe", on("auto", false), false],
    ["not with NO_COLOR", on("auto", true, { NO_COLOR: "1" }), false],
    ["with an empty NO_COLOR, which counts for nothing", on("auto", true, { NO_COLOR: "" }), true],
    ["not on a dumb terminal", on("auto", true, { TERM: "dumb" }), false],
    ["always, if told so, whatever the environment", on("always", false, { NO_COLOR: "1" }), true],
    ["never, if told so", on("never", true), false],
  ]
  for (const [name, actual, expected] of rows) it(name, () => expect(actual).toBe(expected))
  it("width is the terminal's, and none in a pipe", () => {
    expect(lookOf("auto", { isTTY: true, columns: 132 }, {}).width).toBe(132)
    expect(lookOf("auto", { isTTY: true, columns: 0 }, {}).width).toBe(80)
    expect(lookOf("auto", { isTTY: true }, { COLUMNS: "100" }).width).toBe(100)
    expect(lookOf("auto", {}, { COLUMNS: "100" }).width).toBeNull()
  })
})

describe("columns", () => {
  it("counts wide and combining characters", () => {
    expect(["abc", "漢字", "é", "e\u0301", "🎉", ""].map(columnsOf)).toEqual([3, 4, 1, 1, 2, 0])
  })
  it("wraps and fits without cutting a character", () => {
    expect(wrapColumns("a漢字b", 3)).toEqual(["a漢", "字b"])
    expect(wrapColumns("", 3)).toEqual([""])
    expect(fitColumns("漢字漢字", 5)).toBe("漢字…")
    expect(fitColumns("abc", 3)).toBe("abc")
  })
  it("expands tabs to their stops", () => expect(expandTabs("a\tb\t\tc")).toBe("a   b       c"))
})

describe("text of others", () => {
  it("is shown, not obeyed", () => {
    expect(inert("a\tb\u001b[31m\u0007\u202e\ud800\n")).toBe("a\tb\\x1b[31m\\x07\\u{202e}\\u{d800}\n")
    expect(inertLine("a\n\tb")).toBe("a\\n\\tb")
    expect(inert("héllo 🎉 漢")).toBe("héllo 🎉 漢")
  })
})

describe("progress", () => {
  it("is a bar where there is a count", () => {
    expect(progressLine("writing 5 of 10 files", 0, 60)).toBe("[##########..........] writing 5 of 10 files")
    expect(progressLine("Working", 1, 60)).toBe("/ Working")
    expect(progressLine("a\u001b[2J 1 of 0", 0, 14)).toBe("| a\\x1b[2J 1 …")
  })
})

describe("sizes", () => {
  it("are readable", () =>
    expect([0, 1, 1023, 1024, 5_000_000].map(inBytes)).toEqual([
      "0 bytes",
      "1 bytes",
      "1023 bytes",
      "1.0 KB",
      "4.8 MB",
    ]))
})
