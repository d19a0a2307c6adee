import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { until, views } from "../scenarios/shell-ways.ts"
import { stories } from "../scenarios/stories.ts"
import type { Story } from "../story.ts"

/**
 * Somebody else changes a path between the start of a command and the recording of what it did. Whoever it is, nothing that they wrote
 * is taken back, and the command's own change is merged, held or told.
 */
const story = stories()

/** Seen from inside a view too, where the folders for temporary files are private. */
const scratch = join(import.meta.dirname, "../../../../.scratch")
mkdirSync(scratch, { recursive: true })
const signals = mkdtempSync(join(scratch, "signals-"))
afterAll(() => rmSync(signals, { recursive: true }))

const before = "one\ntwo\nthree\nfour\nfive\n"
const commandChanged = before.replace("one", "ONE")

interface Race {
  /** What the agent did before, so that the path is known to the log. */
  readonly first?: (s: Story) => Promise<unknown>
  readonly git?: boolean
  readonly command: string
  readonly meanwhile: (s: Story) => unknown
}

interface Outcome {
  /** `a.txt` on disk. */
  readonly disk: string | null
  /** `a.txt` as proposed, where something is pending that is not on disk. */
  readonly held?: string | null
  readonly conflict?: boolean
  readonly said?: string
}

async function check(race: Race, expected: Outcome): Promise<void> {
  const s = await story({ git: race.git ?? true, files: { "a.txt": before, "b.txt": "b\n" } })
  await race.first?.(s)
  const go = join(signals, `${Math.random()}`)
  const running = s
    .agent("c1")
    .bash(`${race.command}; touch marker; until [ -e ${go} ]; do sleep 0.02; done; rm marker`)
  await until(() => uppers(s).some(upper => existsSync(join(upper, "marker"))))
  await race.meanwhile(s)
  writeFileSync(go, "")
  const result = await running
  const view = (await s.pending()).find(file => file.path === "a.txt")
  const held = view?.disk === "base" ? { held: await proposed(s) } : {}
  const conflict = view?.conflict === true ? { conflict: true } : {}
  const said = /changed by somebody else while the command ran: [^.]*/.exec(result.text)?.[0]
  const told = said === undefined ? {} : { said: said.slice(said.indexOf(": ") + 2) }
  expect({ ok: result.ok, disk: s.read("a.txt"), ...held, ...conflict, ...told }).toEqual({ ok: true, ...expected })
}

function uppers(s: Story): readonly string[] {
  const found = readdirSync(s.home, { recursive: true, encoding: "utf8" })
  return found.filter(path => path.endsWith("/upper")).map(path => join(s.home, path))
}

async function proposed(s: Story): Promise<string | null> {
  const { absent, text } = await s.person.cat({ path: "a.txt", side: "current" })
  return absent ? null : (text ?? "")
}

const heldForReview = "the command's change is held for review"
const edit = "perl -pi -e 's/one/ONE/' a.txt"
const person = (from: string, to: string) => (s: Story) => s.write("a.txt", (s.read("a.txt") ?? "").replace(from, to))
const other = (from: string, to: string) => (s: Story) => s.agent("c2").replace("a.txt", from, to)
const known = (s: Story) => s.agent("c1").replace("a.txt", "three", "3")

describe.skipIf(!views)("meanwhile", () => {
  test("another agent changed other lines: both stand", () =>
    check({ command: edit, meanwhile: other("five", "FIVE") }, { disk: "ONE\ntwo\nthree\nfour\nFIVE\n" }))

  test("another agent changed the same line: theirs is kept, and it is said", () =>
    check(
      { command: edit, meanwhile: other("one", "eins") },
      {
        disk: "eins\ntwo\nthree\nfour\nfive\n",
        said: "where both changed the same lines, theirs were kept and the command's left out",
      },
    ))

  test("the person changed other lines of a pending file: both stand", () =>
    check({ first: known, command: edit, meanwhile: person("five", "FIVE") }, { disk: "ONE\ntwo\n3\nfour\nFIVE\n" }))

  test("the person changed a line of a pending file that the command did not: it is not taken back", () =>
    check(
      { first: known, command: edit, meanwhile: person("four\nfive\n", "mine\n") },
      { disk: "ONE\ntwo\n3\nmine\n" },
    ))

  test("the person changed other lines, known to git: the merge is held", () =>
    check(
      { command: edit, meanwhile: person("five", "FIVE") },
      { disk: "one\ntwo\nthree\nfour\nFIVE\n", held: "ONE\ntwo\nthree\nfour\nFIVE\n", said: heldForReview },
    ))

  test("the person changed other lines, known to nobody: the command's text is held", () =>
    check(
      { git: false, command: edit, meanwhile: person("five", "FIVE") },
      { disk: "one\ntwo\nthree\nfour\nFIVE\n", held: commandChanged, said: heldForReview },
    ))

  test("the person changed the same line: a conflict is held", () =>
    check(
      { command: edit, meanwhile: person("one", "eins") },
      { disk: "eins\ntwo\nthree\nfour\nfive\n", held: commandChanged, conflict: true, said: heldForReview },
    ))

  test("the person deleted the file: it stays away, the command's text is held", () =>
    check(
      { command: edit, meanwhile: s => unlinkSync(join(s.root, "a.txt")) },
      { disk: null, held: commandChanged, conflict: true, said: heldForReview },
    ))

  test("the person changed what the command deletes: it stays", () =>
    check(
      { command: "rm a.txt", meanwhile: person("five", "FIVE") },
      { disk: "one\ntwo\nthree\nfour\nFIVE\n", held: null, conflict: true, said: heldForReview },
    ))

  test("the person made a file beside the one that the command makes: that is no race", () =>
    check(
      {
        command: `rm a.txt; ${edit.replace("a.txt", "b.txt")}; echo new > a.txt`,
        meanwhile: s => s.write("c.txt", "c\n"),
      },
      { disk: "new\n" },
    ))

  test("the person made the file that the command makes: theirs is kept, the command's is held", () =>
    check(
      {
        first: async s => {
          unlinkSync(join(s.root, "a.txt"))
          s.git("commit", "-qam", "gone")
        },
        command: "echo new > a.txt",
        meanwhile: s => s.write("a.txt", "mine\n"),
      },
      { disk: "mine\n", held: "new\n", said: heldForReview },
    ))
})

test.skipIf(!views)("two commands at once, over and over: neither change is lost", { timeout: 60_000 }, async () => {
  for (let round = 0; round < 6; round++) {
    const s = await story({ git: true, files: { "a.txt": before } })
    const ends = await Promise.all([
      s.agent("c1").bash("perl -pi -e 's/one/ONE/' a.txt; sleep 0.2"),
      s.agent("c2").bash("perl -pi -e 's/five/FIVE/' a.txt; sleep 0.2"),
      s.agent("c3").bash("perl -pi -e 's/three/THREE/' a.txt; sleep 0.2"),
    ])
    expect([ends.map(end => end.ok), s.read("a.txt")]).toEqual([[true, true, true], "ONE\ntwo\nTHREE\nfour\nFIVE\n"])
  }
})
