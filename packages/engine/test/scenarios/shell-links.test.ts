import { linkSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { Story } from "../story.ts"
import { five, stories } from "./stories.ts"
import { views } from "./shell-ways.ts"

/** Files with several names (hard links), as commands treat them: S31, S32, S59. */
const story = stories()

/** How files stand: each name with its first line, `=` between names of one inode. */
function standing(s: Story, ...paths: readonly string[]): string {
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    const text = s.read(path)
    if (text === null) continue
    const inode = String(statSync(join(s.root, path)).ino)
    groups.set(inode, [...(groups.get(inode) ?? []), path])
  }
  const first = (path = ""): string => s.read(path)?.split("\n")[0] ?? ""
  return [...groups.values()].map(names => `${names.join("=")}:${first(names[0])}`).join(" ")
}

/** What `standing` says, without which names are one. */
function firstLinesIn(stands: string): string {
  const lines = stands.split(" ").flatMap(group => {
    const [names = "", line] = group.split(":")
    return names.split("=").map(name => `${name}:${line}`)
  })
  return lines.filter(line => !line.startsWith("..")).join(" ")
}

function firstLines(s: Story, ...paths: readonly string[]): string {
  return paths.flatMap(path => (s.read(path) === null ? [] : [`${path}:${s.read(path)?.split("\n")[0]}`])).join(" ")
}

/** `a`, `d/b` and `outside` (not in the workspace) are one file. */
async function linked(config: Readonly<Record<string, unknown>> = {}): Promise<Story> {
  const s = await story({ git: true, files: { a: five, other: "o\n" }, config })
  mkdirSync(join(s.root, "d"))
  linkSync(join(s.root, "a"), join(s.root, "d/b"))
  linkSync(join(s.root, "a"), join(s.root, "../outside"))
  return s
}

const ways = [...(views ? [{ way: "view", config: {} }] : []), { way: "disk", config: { "view.enabled": false } }]

const cases: readonly (readonly [command: string, changes: string, after: string])[] = [
  ["sed -i s/one/ONE/ a", "a", "a:ONE d/b=../outside:one"],
  ["perl -i -pe s/one/ONE/ a", "a", "a:ONE d/b=../outside:one"],
  ["for f in ?; do sed -i s/one/ONE/ $f; done", "a", "a:ONE d/b=../outside:one"],
  ["echo ONE > n && mv n a", "a", "a:ONE d/b=../outside:one"],
  ["cp a n && echo ONE > n && cp n a && rm n", "a d/b", "a=d/b=../outside:ONE"],
  ["printf 'ONE\\n' > d/b", "a d/b", "a=d/b=../outside:ONE"],
  ["printf x | dd of=a conv=notrunc status=none", "a d/b", "a=d/b=../outside:xne"],
  ["find . -name b -exec sh -c 'echo ONE > $1' - {} +", "a d/b", "a=d/b=../outside:ONE"],
  ["sed -i s/one/ONE/ a; echo two > d/b", "a d/b", "a:ONE d/b=../outside:two"],
  ["echo two > d/b; rm a", "a d/b", "d/b=../outside:two"],
  ["rm a", "a", "d/b=../outside:one"],
  ["chmod 600 a", "a d/b", "a=d/b=../outside:one"],
]

describe.each(ways)("over a $way", ({ config }) => {
  test.each(cases)(
    "S59 what stands afterwards is what the command would have left: %s",
    async (command, changes, after) => {
      const s = await linked(config)
      const agent = s.agent()
      const message = await agent.message("m")
      const result = await agent.bash(command)
      expect([result.changes.map(change => change.path).join(" "), standing(s, "a", "d/b", "../outside")]).toEqual([
        changes,
        after,
      ])
      const plan = await s.person.rewind({ message })
      expect([plan.applied, s.read("a"), s.read("d/b"), s.mode("a")]).toEqual([true, five, five, "644"])
      await s.person.undo({})
      expect(firstLines(s, "a", "d/b")).toBe(firstLinesIn(after))
    },
  )
})

describe.skipIf(!views)("held back, and taken by the person later", () => {
  test.each(cases.filter((_, at) => at % 2 === 0))("S59 %s", async (command, changes, after) => {
    const s = await linked()
    const result = await s.agent("c", "hold").bash(command)
    expect(standing(s, "a", "d/b", "../outside")).toBe("a=d/b=../outside:one")
    expect(result.changes.map(change => change.path).join(" ")).toBe(changes)
    await s.person.accept({ all: true })
    expect([standing(s, "a", "d/b", "../outside"), await s.pending()]).toEqual([after, []])
  })
})

test.skipIf(!views)("S59 it is said that other names keep the old text", async () => {
  const s = await linked()
  const result = await s.agent().bash("sed -i s/one/ONE/ a")
  expect(result.remarks).toEqual(["a: replaced, not written into; its other names (hard links) keep the old text"])
})

test.skipIf(!views)("a file that is made as another name is said to be a file of its own", async () => {
  const s = await story({ git: true, files: { a: five } })
  const result = await s.agent().bash("ln a b")
  expect([standing(s, "a", "b"), result.remarks]).toEqual([
    "a:one b:one",
    ["b: made as another name (hard link) of a file, kept as a file of its own"],
  ])
})

test.skipIf(!views)("where it cannot be told, the other names keep their text, and that is said", async () => {
  const s = await story({ git: true, files: { other: "o\n" } })
  const agent = s.agent()
  await agent.bash("true")
  // Linked after the workspace was surveyed, and not named by the command.
  writeFileSync(join(s.root, "other2"), five)
  linkSync(join(s.root, "other2"), join(s.root, "z"))
  const result = await agent.bash("for f in $(ls | grep 2); do echo ONE > $f; done")
  expect(standing(s, "other2", "z")).toBe("other2:ONE z:one")
  expect(result.remarks?.join()).toContain("other2: it could not be told whether")
})
