import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import { diff3Merge } from "node-diff3"
import { expect, test } from "vitest"
import { type Merge, merge3, mergedLines, settleMerge } from "../../src/change/merge3.ts"
import { joinLines, type Line, splitLines } from "../../src/text/lines.ts"
import { edgeTexts, threeTexts } from "../text/texts.ts"

const runs = Number(process.env["MERGE_RUNS"] ?? 600)
/** Of the samples given to git; printed with them. */
const seed = Number(process.env["MERGE_SEED"] ?? Math.floor(Math.random() * 0x7fffffff))

// ---- cases: "|" ends a line, "<origin/ours/theirs>" is a conflict

function merge(origin: string, ours: string, theirs: string): Merge {
  const [o = [], a = [], b = []] = [origin, ours, theirs].map(text => splitLines(text.replaceAll("|", "\n")))
  return merge3(o, a, b)
}

function written(result: Merge): string {
  return result.regions
    .map(region =>
      region.kind === "agreed"
        ? joinLines(region.lines)
        : `<${joinLines(region.origin)}/${joinLines(region.ours)}/${joinLines(region.theirs)}>`,
    )
    .join("")
    .replaceAll("\n", "|")
}

function check(name: string, origin: string, ours: string, theirs: string, expected: string): void {
  test(name, () => {
    const result = merge(origin, ours, theirs)
    expect(written(result)).toBe(expected)
    expect(result.clean).toBe(!expected.includes("<"))
  })
}

check("three empty texts", "", "", "", "")
check("nobody changed anything", "a|b|", "a|b|", "a|b|", "a|b|")
check("only ours changed", "a|b|", "a|x|", "a|b|", "a|x|")
check("only theirs changed", "a|b|", "a|b|", "y|b|", "y|b|")
check("changes apart", "a|b|c|", "x|b|c|", "a|b|y|", "x|b|y|")
check("changes that touch", "a|b|", "x|b|", "a|y|", "<a|b|/x|b|/a|y|>")
check("changes of one line", "a|b|c|", "a|x|c|", "a|y|c|", "a|<b|/x|/y|>c|")
check("the same change", "a|b|c|", "a|x|c|", "a|x|c|", "a|x|c|")
check("the same deletion", "a|b|c|", "a|c|", "a|c|", "a|c|")
check("the same insertion", "a|c|", "a|b|c|", "a|b|c|", "a|b|c|")
check("insertions at one place", "a|c|", "a|x|c|", "a|y|c|", "a|</x|/y|>c|")
check("one deletes what the other changed", "a|b|c|", "a|c|", "a|x|c|", "a|<b|//x|>c|")
check("one deletes everything", "a|b|", "", "a|x|", "<a|b|//a|x|>")
check("both write into an empty text", "", "a|", "b|", "</a|/b|>")
check("both write the same into an empty text", "", "a|", "a|", "a|")
check("what both begin and end with is agreed", "o|", "s|x|t|", "s|y|t|", "s|<o|/x|/y|>t|")
check("a final newline taken away by one, the line changed by nobody else", "a|b|", "a|b", "a|b|", "a|b")
check("a final newline taken away by one, the line changed by the other", "a|b|", "a|b", "a|c|", "a|<b|/b/c|>")
check("one changed the line ends, the other a line", "a|b|", "a\r|b\r|", "a|x|", "<a|b|/a\r|b\r|/a|x|>")

test("a conflict says where it stands in each text", () => {
  const conflict = merge("1|2|3|4|", "0|1|2|3|x|", "1|2|3|y|z|").regions.find(region => region.kind === "conflict")
  expect(conflict?.at).toEqual({ origin: { from: 3, to: 4 }, ours: { from: 4, to: 5 }, theirs: { from: 3, to: 5 } })
})

test("settling keeps what is agreed and takes a side in the rest", () => {
  const result = merge("1|2|3|4|5|", "0|1|2|x|4|5|", "1|2|y|4|5|6|")
  expect(mergedLines(result)).toBeNull()
  expect(joinLines(settleMerge(result, "ours"))).toBe("0\n1\n2\nx\n4\n5\n6\n")
  expect(joinLines(settleMerge(result, "theirs"))).toBe("0\n1\n2\ny\n4\n5\n6\n")
  expect(joinLines(settleMerge(result, "both"))).toBe("0\n1\n2\nx\ny\n4\n5\n6\n")
})

test("taking both never glues two lines together", () => {
  expect(joinLines(settleMerge(merge("a|b", "a|x", "a|y"), "both"))).toBe("a\nx\ny")
  expect(joinLines(settleMerge(merge("", "x", "y"), "both"))).toBe("x\ny")
  expect(joinLines(settleMerge(merge("a\r|b", "a\r|x", "a\r|y"), "both"))).toBe("a\r\nx\r\ny")
})

// ---- laws

test("regions give back each side, and positions are the texts they name", () => {
  fc.assert(
    fc.property(threeTexts, ([origin, ours, theirs]) => {
      const result = merge3(origin, ours, theirs)
      expect(result.clean).toBe(result.regions.every(region => region.kind === "agreed"))
      for (const region of result.regions) {
        if (region.kind === "agreed") continue
        expect(origin.slice(region.at.origin.from, region.at.origin.to)).toEqual(region.origin)
        expect(ours.slice(region.at.ours.from, region.at.ours.to)).toEqual(region.ours)
        expect(theirs.slice(region.at.theirs.from, region.at.theirs.to)).toEqual(region.theirs)
        expect(region.ours).not.toEqual(region.theirs)
      }
    }),
    { numRuns: runs },
  )
})

test("a side that changed nothing gives way, and so do equal sides", () => {
  fc.assert(
    fc.property(threeTexts, ([origin, ours]) => {
      expect(mergedLines(merge3(origin, ours, origin))).toEqual(ours)
      expect(mergedLines(merge3(origin, origin, ours))).toEqual(ours)
      expect(mergedLines(merge3(origin, ours, ours))).toEqual(ours)
    }),
    { numRuns: runs },
  )
})

test("the edge texts merge without harm", () => {
  const short = edgeTexts.filter(text => text.length < 1000)
  for (const origin of edgeTexts)
    for (const ours of short)
      for (const theirs of short) {
        const result = merge3(splitLines(origin), splitLines(ours), splitLines(theirs))
        const lines = result.clean ? mergedLines(result) : settleMerge(result, "both")
        expect(splitLines(joinLines(lines ?? []))).toEqual(lines)
      }
})

// ---- git and node-diff3

/** Exit code and output of `git merge-file` with these flags, for many triples by one shell. */
function gitMerges(triples: readonly (readonly string[])[], flags: string): { clean: boolean; text: string }[] {
  const folder = mkdtempSync(join(tmpdir(), "galley-git-merge-"))
  try {
    triples.forEach((texts, at) => {
      ;["origin", "ours", "theirs"].forEach((name, side) =>
        writeFileSync(join(folder, `${at}.${name}`), texts[side] ?? ""),
      )
    })
    const script = `for ((i = 0; i < ${triples.length}; i++)); do
      git merge-file -q -p ${flags} $i.ours $i.origin $i.theirs > $i.merged; echo $?; done`
    const run = spawnSync("bash", ["-c", script], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 26 })
    const codes = run.stdout.trim().split("\n").map(Number)
    expect(codes.length).toBe(triples.length)
    for (const code of codes) expect(code).toBeLessThan(128) // 255 is an error of git's own.
    return codes.map((code, at) => ({ clean: code === 0, text: readFileSync(join(folder, `${at}.merged`), "utf8") }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const spelled = (triple: readonly Line[][]): string[] => triple.map(lines => joinLines(lines))

test("clean where git merge-file is clean, with the same result", { timeout: 600_000 }, () => {
  const triples = fc.sample(threeTexts, { numRuns: runs, seed })
  let conflicts = 0
  gitMerges(triples.map(spelled), "").forEach((git, at) => {
    const [origin, ours, theirs] = triples[at] ?? [[], [], []]
    const result = merge3(origin, ours, theirs)
    const story = `MERGE_SEED=${seed}: ${JSON.stringify(spelled([origin, ours, theirs]))}`
    expect(result.clean, story).toBe(git.clean)
    const merged = mergedLines(result)
    if (merged === null) conflicts++
    else expect(joinLines(merged), story).toBe(git.text)
  })
  console.log(`${runs} merges, ${conflicts} with conflicts: as git merge-file in all`)
  expect(conflicts).toBeGreaterThan(runs / 20)
  expect(conflicts).toBeLessThan((runs * 19) / 20)
})

for (const side of ["ours", "theirs"] as const)
  test(`settled for ${side} it is git merge-file --${side}`, { timeout: 600_000 }, () => {
    const triples = fc.sample(threeTexts, { numRuns: runs / 5, seed })
    gitMerges(triples.map(spelled), `--${side}`).forEach((git, at) => {
      const [origin, ours, theirs] = triples[at] ?? [[], [], []]
      expect(joinLines(settleMerge(merge3(origin, ours, theirs), side)), `MERGE_SEED=${seed}`).toBe(git.text)
    })
  })

test("where node-diff3 and we both merge cleanly the results are mostly one", () => {
  // node-diff3 chooses another of equally short diffs, so it may conflict elsewhere; git is the judge above.
  let both = 0
  let same = 0
  let differentVerdict = 0
  for (const [origin, ours, theirs] of fc.sample(threeTexts, { numRuns: runs, seed: 3 })) {
    const peer = diff3Merge(ours, origin, theirs, { excludeFalseConflicts: true })
    const peerClean = peer.every(region => region.conflict === undefined)
    const merged = mergedLines(merge3(origin, ours, theirs))
    if (peerClean !== (merged !== null)) differentVerdict++
    else if (merged !== null) {
      both++
      if (joinLines(merged) === peer.flatMap(region => region.ok ?? []).join("")) same++
    }
  }
  console.log(`node-diff3: ${same} of ${both} clean results the same, ${differentVerdict} of ${runs} verdicts differ`)
  expect(same / both).toBeGreaterThan(0.95)
  expect(differentVerdict / runs).toBeLessThan(0.1)
})
