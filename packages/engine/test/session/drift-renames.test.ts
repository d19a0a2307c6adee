import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { five, stories } from "../scenarios/stories.ts"
import type { Story } from "../story.ts"

const story = stories()
const edited = five.replace("two", "TWO")

/** A story in which an agent changed line two of each file. */
async function changed(paths: readonly string[], options: { git?: boolean; review?: "hold" | "apply" } = {}) {
  const files = Object.fromEntries(paths.map(path => [path, five.replace("one", `one of ${path}`)]))
  const s = await story({ files, git: options.git === true })
  const agent = s.agent("c1", options.review ?? "apply")
  const message = await agent.message("change it")
  for (const path of paths) await agent.replace(path, "two", "TWO")
  return { s, agent, message }
}

function move(s: Story, from: string, to: string): void {
  mkdirSync(join(s.root, to, ".."), { recursive: true })
  renameSync(join(s.root, from), join(s.root, to))
}

async function shown(s: Story): Promise<string[]> {
  return (await s.pending()).map(file => `${file.path} ${file.hunks.length}`)
}

describe("a file that somebody renames while something is pending in it", () => {
  const ways: readonly [string, (s: Story) => void, string][] = [
    ["mv", s => move(s, "d/a.ts", "d/b.ts"), "d/b.ts"],
    ["mv to another folder", s => move(s, "d/a.ts", "e/f/a.ts"), "e/f/a.ts"],
    ["a change of case alone", s => move(s, "d/a.ts", "d/A.ts"), "d/A.ts"],
    ["mv of its folder", s => move(s, "d", "dd"), "dd/a.ts"],
    [
      "a copy, and the old one removed",
      s => (s.write("copy.ts", s.read("d/a.ts") ?? ""), rmSync(join(s.root, "d/a.ts"))),
      "copy.ts",
    ],
    ["git mv", s => void s.git("mv", "d/a.ts", "moved.ts"), "moved.ts"],
    ["mv and git add", s => (move(s, "d/a.ts", "moved.ts"), void s.git("add", "-A")), "moved.ts"],
  ]
  for (const review of ["apply", "hold"] as const)
    for (const [name, rename, to] of ways) {
      test(`${name} (${review}): the review goes along`, async () => {
        const { s, message } = await changed(["d/a.ts"], { git: true, review })
        rename(s)
        expect(await shown(s)).toEqual([`${to} 1`])
        const file = await s.person.file({ path: to })
        expect([file.base, file.current]).toEqual(["base", "agent"].map(side => wordsOf("d/a.ts", side)))
        expect(file.authors.filter(author => author === "agent")).toHaveLength(1)
        await s.person.reject({ path: to })
        expect(s.read(to)).toBe(wordsOf("d/a.ts", "base"))
        await s.person.undo({})
        expect(await shown(s)).toEqual([`${to} 1`])
        await s.person.accept({ path: to })
        expect(s.read(to)).toBe(wordsOf("d/a.ts", "agent"))
        await s.person.undo({})
        await s.person.rewind({ message })
        expect([s.read(to), s.read("d/a.ts"), await shown(s)]).toEqual([wordsOf("d/a.ts", "base"), null, []])
        await s.person.undo({})
        expect(await shown(s)).toEqual([`${to} 1`])
      })
    }

  test("a folder with many files comes along whole, each with its own hunks", async () => {
    const paths = ["d/a.ts", "d/b.ts", "d/e/c.ts"]
    const { s, message } = await changed(paths)
    move(s, "d", "new/place")
    expect(await shown(s)).toEqual(["new/place/a.ts 1", "new/place/b.ts 1", "new/place/e/c.ts 1"])
    await s.person.rewind({ message })
    for (const path of paths) expect(s.read(path.replace("d/", "new/place/"))).toBe(wordsOf(path, "base"))
  })

  test("files of the same content go by their names", async () => {
    const s = await story({ files: { "x/one.ts": five, "x/two.ts": five } })
    const agent = s.agent()
    for (const path of ["x/one.ts", "x/two.ts"]) await agent.replace(path, "two", "TWO")
    move(s, "x", "y")
    expect(await shown(s)).toEqual(["y/one.ts 1", "y/two.ts 1"])
    expect((await s.workspace.as({ actor: "person" }).operations({ limit: 1 })).operations[0]?.paths).toEqual([
      "x/one.ts",
      "y/one.ts",
      "x/two.ts",
      "y/two.ts",
    ])
  })

  test("renamed twice between looks, and back again later", async () => {
    const { s, message } = await changed(["a"])
    move(s, "a", "b")
    move(s, "b", "c")
    expect(await shown(s)).toEqual(["c 1"])
    move(s, "c", "a")
    expect(await shown(s)).toEqual(["a 1"])
    move(s, "a", "b")
    expect(await shown(s)).toEqual(["b 1"])
    await s.person.rewind({ message })
    expect([s.read("b"), s.read("a"), s.read("c")]).toEqual([wordsOf("a", "base"), null, null])
  })

  test("its comments, its reviewed mark and its agent's knowledge come along", async () => {
    const { s } = await changed(["a"])
    await s.person.comment({ path: "a", line: 2, text: "why?" })
    await s.person.mark({ path: "a" })
    move(s, "a", "b")
    expect((await s.pending()).map(file => [file.path, file.reviewed])).toEqual([["b", true]])
    expect((await s.person.file({ path: "b" })).comments.map(comment => comment.text)).toEqual(["why?"])
    const { text } = await s.agent().requests.notes({})
    expect(text).toContain("Comment on b:2: why?")
    expect(text).toContain("Renamed: a is now b.")
  })

  test("an agent's edit at the new name joins what was pending at the old one", async () => {
    const { s, agent, message } = await changed(["a"])
    move(s, "a", "b")
    expect((await agent.replace("b", "four", "FOUR")).ok).toBe(true)
    expect(await shown(s)).toEqual(["b 2"])
    await s.person.reject({ message })
    expect(s.read("b")).toBe(wordsOf("a", "base"))
  })

  test("a decision that was made before is undone at the new name", async () => {
    const { s } = await changed(["a"])
    await s.person.reject({ path: "a" })
    move(s, "a", "b")
    await s.person.undo({})
    expect([s.read("a"), s.read("b")]).toEqual([null, wordsOf("a", "agent")])
    expect(await shown(s)).toEqual(["b 1"])
    await s.person.redo({})
    expect([s.read("a"), s.read("b")]).toEqual([null, wordsOf("a", "base")])
  })

  test("a rewind finds a file that was accepted and then renamed", async () => {
    const { s, message } = await changed(["a"])
    await s.person.accept({ path: "a" })
    move(s, "a", "b")
    await s.person.rewind({ message })
    expect([s.read("a"), s.read("b")]).toEqual([null, wordsOf("a", "base")])
  })

  test("a new file of the agent is taken back under its new name", async () => {
    const s = await story({ files: { keep: five } })
    const agent = s.agent()
    const message = await agent.message("m")
    await agent.create("a", "new\ntext\n")
    move(s, "a", "b")
    expect((await s.pending()).map(file => [file.path, file.kinds])).toEqual([["b", ["create"]]])
    await s.person.rewind({ message })
    expect([s.read("a"), s.read("b")]).toEqual([null, null])
    await s.person.undo({})
    expect([s.read("a"), s.read("b")]).toEqual([null, "new\ntext\n"])
  })

  test("what an agent renamed and a person renames on is still one rename", async () => {
    const s = await story({ files: { a: five } })
    const agent = s.agent()
    const message = await agent.message("m")
    await agent.bash("mv a b")
    move(s, "b", "c")
    expect((await s.pending()).map(file => [file.path, file.from, file.kinds])).toEqual([["c", "a", ["rename"]]])
    await s.person.rewind({ message })
    expect([s.read("a"), s.read("b"), s.read("c")]).toEqual([five, null, null])
  })

  test("renamed and committed in one go: the commit accepts it", async () => {
    const { s, message } = await changed(["a"], { git: true })
    s.git("mv", "a", "b")
    s.git("commit", "-qam", "rename")
    expect(await shown(s)).toEqual([])
    await s.person.rewind({ message })
    expect(s.read("b")).toBe(wordsOf("a", "base"))
  })

  test("while a call waits for its answer: allowing it writes the file under its new name", async () => {
    const s = await story({ files: { a: five } })
    const call = s.agent("c1", "ask").replace("a", "two", "TWO")
    const id = await waitingId(s)
    move(s, "a", "b")
    expect((await s.person.status({})).files.map(file => file.path)).toEqual(["b"])
    await s.person.answer({ id, decision: "allow" })
    expect((await call).ok).toBe(true)
    expect([s.read("a"), s.read("b")]).toEqual([null, edited])
  })
})

describe("what is no rename", () => {
  test("a file that is gone while an old copy of it stands elsewhere", async () => {
    const s = await story({ files: { "x/LICENSE": five, LICENSE: edited }, git: true })
    await s.agent().replace("x/LICENSE", "two", "TWO")
    rmSync(join(s.root, "x/LICENSE"))
    expect(await shown(s)).toEqual([])
    expect(s.read("LICENSE")).toBe(edited)
  })

  test("a copy: what is pending stays where it was", async () => {
    const { s } = await changed(["a"])
    s.write("b", s.read("a") ?? "")
    expect(await shown(s)).toEqual(["a 1"])
    expect((await s.agent().replace("b", "four", "FOUR")).ok).toBe(true)
    expect(await shown(s)).toEqual(["a 1", "b 1"])
  })

  test("renamed and edited in one go: nothing is lost, and it is said", async () => {
    const { s } = await changed(["a"])
    move(s, "a", "b")
    s.write("b", `${s.read("b") ?? ""}mine\n`)
    expect(await shown(s)).toEqual([])
    const [operation] = (await s.person.operations({ limit: 1 })).operations
    expect(operation?.remark).toContain("b looks like a under a new name")
    expect(s.read("b")).toBe(`${wordsOf("a", "agent")}mine\n`)
    expect((await s.person.show({ id: operation?.id ?? "" })).diff).toContain("-TWO")
  })

  test("empty files, which are alike by chance", async () => {
    const s = await story()
    await s.agent().create("a", "")
    rmSync(join(s.root, "a"))
    s.write("b", "")
    expect(await shown(s)).toEqual([])
  })
})

describe("a rename that an editor tells of", () => {
  test("comes along whatever is in the file now, and what was typed is the person's", async () => {
    const { s, message } = await changed(["a"])
    move(s, "a", "b")
    s.write("b", `${s.read("b") ?? ""}mine\n`)
    await s.person.renamed({ files: [{ from: "a", to: "b" }] })
    expect(await shown(s)).toEqual(["b 1"])
    await s.person.rewind({ message })
    expect(s.read("b")).toBe(`${wordsOf("a", "base")}mine\n`)
  })

  test("of a folder: proposals in it that are not on disk go along", async () => {
    const s = await story({ files: { "d/a": five } })
    const agent = s.agent("c1", "hold")
    await agent.create("d/new", "new\n")
    await agent.replace("d/a", "two", "TWO")
    move(s, "d", "e")
    await s.person.renamed({ files: [{ from: "d", to: "e" }] })
    expect(await shown(s)).toEqual(["e/a 1", "e/new 1"])
    await s.person.accept({ all: true })
    expect([s.read("e/a"), s.read("e/new"), s.read("d/new")]).toEqual([edited, "new\n", null])
  })

  const untrue: readonly [string, { from: string; to: string }][] = [
    ["a file that still stands", { from: "a", to: "b" }],
    ["itself", { from: "a", to: "a" }],
    ["a place inside it", { from: "a", to: "a/b" }],
    ["nothing known", { from: "x", to: "y" }],
  ]
  for (const [name, rename] of untrue)
    test(`${name}: nothing happens`, async () => {
      const { s } = await changed(["a"])
      expect((await s.person.renamed({ files: [rename] })).files).toEqual([])
      expect(await shown(s)).toEqual(["a 1"])
    })

  test("is not an agent's to tell", async () => {
    const { agent } = await changed(["a"])
    await expect(agent.requests.renamed({ files: [{ from: "a", to: "b" }] })).rejects.toMatchObject({ code: "DENIED" })
  })

  test("outside the workspace is refused", async () => {
    const { s } = await changed(["a"])
    await expect(s.person.renamed({ files: [{ from: "a", to: "../b" }] })).rejects.toMatchObject({
      code: "OUTSIDE_WORKSPACE",
    })
  })
})

function wordsOf(path: string, side: string): string {
  const text = five.replace("one", `one of ${path}`)
  return side === "base" ? text : text.replace("two", "TWO")
}

async function waitingId(s: Story): Promise<string> {
  for (;;) {
    const [call] = (await s.person.status({})).waiting
    if (call !== undefined) return call.id
    await new Promise(done => setTimeout(done, 10))
  }
}
