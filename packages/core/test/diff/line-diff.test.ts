import { readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { type Hunk, takeHunks } from "../../src/diff/hunk.ts"
import { diffLines } from "../../src/diff/line-diff.ts"
import { countChanges } from "../../src/diff/unified.ts"
import { joinLines, type Line, splitLines } from "../../src/text/lines.ts"
import { edgeTexts, twoTexts } from "../text/texts.ts"
import { gitHunks, type TextPair } from "./git-diff.ts"

const runs = Number(process.env["DIFF_RUNS"] ?? 1500)

// ---- cases: "[old/new]" marks a hunk, "|" ends a line

function check(name: string, marked: string): void {
  test(name, () => {
    const base = splitLines(read(marked, "$1"))
    const current = splitLines(read(marked, "$2"))
    const diff = diffLines(base, current)
    expect(write(base, current, diff.hunks)).toBe(marked)
    expect(diff.coarse).toBe(false)
  })
}

function read(marked: string, side: "$1" | "$2"): string {
  return marked.replace(/\[([^/\]]*)\/([^\]]*)\]/g, side).replaceAll("|", "\n")
}

function write(base: readonly Line[], current: readonly Line[], hunks: readonly Hunk[]): string {
  let text = ""
  let done = 0
  for (const hunk of hunks) {
    text += joinLines(base.slice(done, hunk.fromBase))
    text += `[${joinLines(base.slice(hunk.fromBase, hunk.toBase))}/${joinLines(current.slice(hunk.fromCurrent, hunk.toCurrent))}]`
    done = hunk.toBase
  }
  return (text + joinLines(base.slice(done))).replaceAll("\n", "|")
}

check("two empty texts do not differ", "")
check("equal texts do not differ", "a|b|")
check("everything is new", "[/a|b]")
check("everything is gone", "[a|b|/]")
check("a changed line is one hunk", "a|[b|/c|]d|")
check("a final newline added changes the last line", "a|[b/b|]")
check("a line that lost its newline is kept whole", "a|[b/b|c]")
check("a changed line ending changes the line", "[a\r|/a|]b|[c|/c\r|]")
check("a lone carriage return is content", "[a\rb|/a\rc|]d|")
check("U+2028 ends no line", "[a\u2028b|/a\u2028c|]d|")
check("two hunks have an unchanged line between them", "[a|/]b|[c|/x|y|]")
check("of equal places in flat text the last is taken", "a|a|[/a|]")
check("a deletion slides to the last place", "a|b|[a|b|/]")
check("a new function starts at its first line, not at the brace before", "f() {|  x|}||[/g() {|  x|}||]h() {|  x|}|")
check(
  "an inserted block keeps its blank line behind it",
  "  one {|    1|  }||[/  two {|    1|  }||]  three {|    1|  }|",
)
check("a group lines up with a change of the other side", "a|[/x|]b|[c|/]d|")

// ---- laws

function subsets<T>(all: readonly T[], chosen: readonly boolean[]): T[] {
  return all.filter((_, at) => chosen[at % chosen.length] === true)
}

function holdsFor(base: readonly Line[], current: readonly Line[], budget?: number): readonly Hunk[] {
  const { hunks } = diffLines(base, current, budget)
  expect(takeHunks(base, current, [])).toEqual(base)
  expect(takeHunks(base, current, hunks)).toEqual(current)
  let behind: Hunk | undefined
  for (const hunk of hunks) {
    expect(hunk.toBase - hunk.fromBase + hunk.toCurrent - hunk.fromCurrent).toBeGreaterThan(0)
    if (behind !== undefined) expect(hunk.fromBase).toBeGreaterThan(behind.toBase)
    expect(hunk.fromBase - (behind?.toBase ?? 0)).toBe(hunk.fromCurrent - (behind?.toCurrent ?? 0))
    behind = hunk
  }
  return hunks
}

test("none taken is base, all taken is current, hunks are maximal runs in order", () => {
  fc.assert(
    fc.property(twoTexts, ([base, current]) => {
      holdsFor(base, current)
    }),
    { numRuns: runs },
  )
})

test("any subset consists of whole lines of base and current, and its text splits into the same lines", () => {
  fc.assert(
    fc.property(twoTexts, fc.array(fc.boolean(), { minLength: 1 }), ([base, current], chosen) => {
      const taken = takeHunks(base, current, subsets(diffLines(base, current).hunks, chosen))
      const known = new Set([...base, ...current])
      for (const line of taken) expect(known.has(line)).toBe(true)
      expect(splitLines(joinLines(taken))).toEqual(taken)
    }),
    { numRuns: runs },
  )
})

test("no common line is lost that a shortest script would keep, where no line is crowded", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20), { maxLength: 3 }), fc.array(fc.nat(20), { maxLength: 14 }), (a, b) => {
      // Up to 3 lines against up to 14: no line has the four partners that let git set it aside.
      const base = a.map(line => `${line}\n`)
      const current = [...new Set(b)].map(line => `${line}\n`)
      const { added, removed } = countChanges(diffLines(base, current).hunks)
      expect(added + removed).toBe(base.length + current.length - 2 * longestCommon(base, current))
    }),
    { numRuns: runs },
  )
})

/** By the textbook table. */
function longestCommon(a: readonly Line[], b: readonly Line[]): number {
  let above = Array.from({ length: b.length + 1 }, () => 0)
  for (const line of a) {
    const row = [0]
    b.forEach((other, at) => {
      row.push(line === other ? (above[at] ?? 0) + 1 : Math.max(above[at + 1] ?? 0, row[at] ?? 0))
    })
    above = row
  }
  return above.at(-1) ?? 0
}

/** Decides hunks by `choices` (which one, accept or reject), looking anew after each; returns the number of steps. */
function decideAll(
  base: readonly Line[],
  current: readonly Line[],
  choices: readonly number[],
  budget?: number,
): number {
  let [left, right] = [base, current]
  for (let step = 0; ; step++) {
    const { hunks } = diffLines(left, right, budget)
    if (hunks.length === 0) {
      expect(left).toEqual(right)
      return step
    }
    if (step > base.length + current.length) return step
    const choice = choices[step % choices.length] ?? 0
    const chosen = hunks[(choice >> 1) % hunks.length]
    if (choice % 2 === 0)
      left = takeHunks(
        left,
        right,
        hunks.filter(hunk => hunk === chosen),
      )
    else
      right = takeHunks(
        left,
        right,
        hunks.filter(hunk => hunk !== chosen),
      )
  }
}

test("any run of accepts and rejects ends, in at most as many steps as there were changed lines", () => {
  fc.assert(
    fc.property(twoTexts, fc.array(fc.nat(1000), { minLength: 1 }), ([base, current], choices) => {
      const { added, removed } = countChanges(diffLines(base, current).hunks)
      expect(decideAll(base, current, choices)).toBeLessThanOrEqual(added + removed)
    }),
    { numRuns: runs },
  )
})

test("the edge texts against each other keep every law", () => {
  for (const base of edgeTexts)
    for (const current of edgeTexts) {
      const hunks = holdsFor(splitLines(base), splitLines(current))
      expect(hunks.length === 0).toBe(base === current)
    }
})

// ---- bounds

test("a search that is too long ends in a coarse diff that keeps the laws", () => {
  // 10,000 lines a side over 50 symbols, by a fixed linear congruential generator (Numerical Recipes).
  let state = 1
  const shuffled = (): Line[] =>
    Array.from({ length: 10_000 }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return `${(state >>> 16) % 50}\n`
    })
  const base = shuffled()
  const current = shuffled()
  expect(diffLines(base, current).coarse).toBe(true)
  expect(diffLines(base, current, 1).coarse).toBe(true)
  holdsFor(base, current)
  const some = base.slice(0, 900)
  const others = current.slice(0, 900)
  expect(diffLines(some, others).coarse).toBe(false)
  expect(diffLines(some, others, 1).coarse).toBe(true)
  const { added, removed } = countChanges(diffLines(some, others, 1).hunks)
  expect(decideAll(some, others, [7, 2, 940, 33, 8], 1)).toBeLessThanOrEqual(added + removed)
})

// ---- git

/** Hunks of git's that are ours too, over all pairs. */
function identicalShare(pairs: readonly TextPair[]): { readonly share: number; readonly hunks: number } {
  const key = (hunk: Hunk): string => [hunk.fromBase, hunk.toBase, hunk.fromCurrent, hunk.toCurrent].join()
  let all = 0
  let same = 0
  gitHunks(pairs).forEach((theirs, at) => {
    const [base, current] = pairs[at] ?? ["", ""]
    const ours = new Set(diffLines(splitLines(base), splitLines(current)).hunks.map(key))
    all += theirs.length
    same += theirs.filter(hunk => ours.has(key(hunk))).length
  })
  return { share: same / all, hunks: all }
}

function checkShare(what: string, pairs: readonly TextPair[], atLeast: number): void {
  expect(pairs.length).toBeGreaterThan(20)
  const { share, hunks } = identicalShare(pairs)
  console.log(`${what}: ${(share * 100).toFixed(2)} % of ${hunks} hunks in ${pairs.length} pairs are git's`)
  expect(share).toBeGreaterThanOrEqual(atLeast)
}

const modules = join(dirname(fileURLToPath(import.meta.url)), "../../../../node_modules")

function sourceFiles(folder: string, depth = 0): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth < 6 ? sourceFiles(path, depth + 1) : []
      const size = /\.(ts|js|mjs|md|json|css)$/.test(entry.name) ? statSync(path).size : 0
      return size > 500 && size < 200_000 ? [path] : []
    })
}

const files = ["zod", "hono", "@codemirror", "@types/node", "commander", "vitest", "preact"].flatMap(name =>
  sourceFiles(join(modules, name)),
)

test("hunks stand where git places them: random pairs over few lines", () => {
  const pairs = fc.sample(twoTexts, { numRuns: runs / 3, seed: 42 })
  checkShare(
    "random pairs",
    pairs.map(([base, current]) => [joinLines(base), joinLines(current)]),
    0.999,
  )
})

test("hunks stand where git places them: edits of real files", () => {
  const edit = fc.record({
    kind: fc.constantFrom("delete", "insert", "repeat", "change", "move"),
    at: fc.nat(10_000),
    from: fc.nat(10_000),
    size: fc.integer({ min: 1, max: 8 }),
  })
  const edits = fc.sample(fc.tuple(fc.nat(files.length - 1), fc.array(edit, { minLength: 1, maxLength: 12 })), {
    numRuns: runs / 5,
    seed: 7,
  })
  const pairs = edits.map(([file, changes]): TextPair => {
    const base = splitLines(readFileSync(files[file] ?? "", "latin1"))
    const current = [...base]
    for (const { kind, at, from, size } of changes) {
      const place = at % (current.length + 1)
      const source = from % base.length
      if (kind === "delete") current.splice(place, size)
      else if (kind === "insert") current.splice(place, 0, ...base.slice(source, source + size))
      else if (kind === "repeat") current.splice(place, 0, ...current.slice(place, place + size))
      else if (kind === "change") current.splice(place, 1, `changed ${from}\n`)
      else current.splice(place, 0, ...current.splice(source, size))
    }
    return [joinLines(base), joinLines(current)]
  })
  checkShare("edits of real files", pairs, 0.999)
})

test("hunks stand where git places them: real files of one name, mostly rewrites of each other", () => {
  const byName = new Map<string, string[]>()
  for (const file of files) byName.set(basename(file), [...(byName.get(basename(file)) ?? []), file])
  const pairs = [...byName.values()].flatMap(group =>
    group
      .slice(1, 3)
      .map((file, at): TextPair => [readFileSync(group[at] ?? "", "latin1"), readFileSync(file, "latin1")]),
  )
  checkShare("rewrites", pairs.slice(0, runs / 5), 0.95)
})
