import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { takeHunks } from "../../src/diff/hunk.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { countChanges, unifiedDiff } from "../../src/diff/unified.ts"
import { joinLines, splitLines } from "../../src/text/lines.ts"
import { edgeTexts, twoTexts } from "../text/texts.ts"

const runs = Number(process.env["DIFF_RUNS"] ?? 100)

function patch(base: string, current: string, name = "f", context = 3): string {
  return unifiedDiff({ oldName: name, newName: name, base: splitLines(base), current: splitLines(current), context })
}

function check(name: string, base: string, current: string, body: string): void {
  test(name, () => {
    const expected = body === "" ? "" : `--- a/f\n+++ b/f\n${body}`
    expect(patch(base, current)).toBe(expected)
  })
}

check("equal texts make no patch", "a\n", "a\n", "")
check("a length of one is left out", "a\n", "b\n", "@@ -1 +1 @@\n-a\n+b\n")
check("an empty side names the line before it", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n")
check(
  "a last line without newline is marked",
  "a\nb",
  "a\nb\n",
  "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
)
check(
  "both last lines without newline are marked",
  "a",
  "b",
  "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n",
)
check(
  "an unchanged last line without newline is marked once",
  "a\nb",
  "b",
  "@@ -1,2 +1 @@\n-a\n b\n\\ No newline at end of file\n",
)
check("carriage returns stay where they are", "a\r\n", "a\n", "@@ -1 +1 @@\n-a\r\n+a\n")

test("changes up to twice the context apart share a section", () => {
  const base = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
  expect(patch(base, base.replace("1", "x").replace("8", "y")).match(/@@ -/g)).toHaveLength(1)
  expect(patch(base, base.replace("1", "x").replace("9", "y")).match(/@@ -/g)).toHaveLength(2)
  expect(patch(base, base.replace("1", "x").replace("3", "y"), "f", 0)).toBe(
    "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+x\n@@ -3 +3 @@\n-3\n+y\n",
  )
})

test("a file that is not there is /dev/null", () => {
  const lines = ["a\n"]
  const made = unifiedDiff({ oldName: null, newName: "f", base: [], current: lines })
  expect(made).toBe("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n")
  const gone = unifiedDiff({ oldName: "f", newName: null, base: lines, current: [] })
  expect(gone).toBe("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")
})

test("some hunks make a patch of just these", () => {
  const base = splitLines("a\nb\nc\nd\ne\n")
  const current = splitLines("a\nx\ny\nc\nd\nz\n")
  const { hunks } = diffLines(base, current)
  const text = unifiedDiff({ oldName: "f", newName: "f", base, current, hunks: hunks.slice(1), context: 1 })
  expect(text).toBe("--- a/f\n+++ b/f\n@@ -4,2 +4,2 @@ c\n d\n-e\n+z\n")
  expect(countChanges(hunks)).toEqual({ added: 3, removed: 2 })
})

const oddNames = [
  "a b",
  "tab\there",
  'quote"d',
  "back\\slash",
  "new\nline",
  "é/ü",
  "😀",
  "\u0001\u007f",
  " lead",
  "plain/path",
]

/** The two name lines and all that follows, as git writes them, apart from modes and hashes. */
function gitPatch(folder: string, name: string, base: string, current: string): string {
  for (const [side, text] of [
    ["a", base],
    ["b", current],
  ] as const) {
    mkdirSync(dirname(join(folder, side, name)), { recursive: true })
    writeFileSync(join(folder, side, name), text)
  }
  const flags = ["diff", "--no-index", "--no-prefix", "--text", "--no-color", "--no-ext-diff", `a/${name}`, `b/${name}`]
  const run = spawnSync("git", ["-c", "core.quotePath=true", "-c", "core.autocrlf=false", ...flags], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  })
  const start = run.stdout.indexOf("\n--- ")
  return start < 0 ? "" : run.stdout.slice(start + 1)
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "galley-patch-"))
  try {
    work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test("a patch is byte for byte git's, names that need quotes and headings included", () => {
  inFolder(folder => {
    const base = "int main(void) {\n\n\n\n\n  one\n  two\n}\nstruct x   \n\n\n\n  a\n  b"
    const current = base.replace("one", "1").replace("b", "c\n")
    for (const name of oddNames) expect(patch(base, current, name)).toBe(gitPatch(folder, name, base, current))
    for (const [one, other] of [
      ["", "a"],
      ["a\n", ""],
      ["a\n\n\nb\n\n\n", "a\n\n\n\nb\n\n"],
    ] as const)
      expect(patch(one, other)).toBe(gitPatch(folder, "f", one, other))
  })
})

test("random patches are byte for byte git's", () => {
  inFolder(folder => {
    fc.assert(
      fc.property(twoTexts, ([base, current]) => {
        const [one, other] = [joinLines(base), joinLines(current)]
        if (one.includes("\ud800") || other.includes("\ud800")) return
        expect(patch(one, other)).toBe(gitPatch(folder, "f", one, other))
      }),
      { numRuns: runs },
    )
  })
})

type Applier = (folder: string, patchFile: string) => number | null
const appliers: Readonly<Record<string, Applier>> = {
  "git apply": folder => spawnSync("git", ["apply", "--whitespace=nowarn", "../change.patch"], { cwd: folder }).status,
  "patch -p1": folder => spawnSync("patch", ["-p1", "-s", "--binary", "-i", "../change.patch"], { cwd: folder }).status,
}

for (const [name, apply] of Object.entries(appliers))
  test(`${name} gives exactly the current text, and of some hunks exactly these`, () => {
    inFolder(folder => {
      const tree = join(folder, "tree")
      mkdirSync(tree)
      // Outside of any repository, whatever stands above the temporary folder.
      spawnSync("git", ["init", "-q"], { cwd: tree })
      fc.assert(
        fc.property(twoTexts, fc.constantFrom(...oddNames), fc.boolean(), ([base, current], odd, all) => {
          const file = name === "git apply" ? odd : "plain name"
          const hunks = diffLines(base, current).hunks.filter((_, at) => all || at % 2 === 0)
          if (hunks.length === 0) return
          const expected = joinLines(takeHunks(base, current, hunks))
          mkdirSync(dirname(join(tree, file)), { recursive: true })
          rmSync(join(tree, file), { force: true })
          if (base.length > 0) writeFileSync(join(tree, file), joinLines(base))
          const oldName = base.length > 0 ? file : null
          const newName = expected.length > 0 ? file : null
          writeFileSync(join(folder, "change.patch"), unifiedDiff({ oldName, newName, base, current, hunks }))
          expect(apply(tree, "change.patch")).toBe(0)
          if (newName === null) expect(existsSync(join(tree, file))).toBe(false)
          else expect(readFileSync(join(tree, file), "utf8")).toBe(expected)
        }),
        { numRuns: runs / 2 },
      )
    })
  })

test("the edge texts make patches that git applies", () => {
  inFolder(folder => {
    const texts = edgeTexts.filter(text => text.isWellFormed() && text !== "")
    spawnSync("git", ["init", "-q"], { cwd: folder })
    texts.forEach((base, at) => {
      const current = texts[(at + 1) % texts.length] ?? ""
      writeFileSync(join(folder, "f"), base)
      const run = spawnSync("git", ["apply", "--whitespace=nowarn"], { cwd: folder, input: patch(base, current) })
      expect(run.status, run.stderr.toString()).toBe(0)
      expect(readFileSync(join(folder, "f"), "utf8")).toBe(current)
    })
  })
})
