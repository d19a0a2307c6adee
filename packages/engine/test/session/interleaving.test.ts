import { rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { FileView } from "@galley/core/protocol/results.ts"
import { stories } from "../scenarios/stories.ts"

const story = stories()

const wide = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n"

const ids = (file: FileView | undefined): string[] => file?.hunks.map(hunk => hunk.id) ?? []

test("two conversations, a person and an editor in one file; each is taken back alone, in any order", async () => {
  for (const order of [
    ["a", "b"],
    ["b", "a"],
  ]) {
    const s = await story({ files: { f: wide } })
    const messages = new Map<string, string>()
    messages.set("a", await s.agent("a").message("a's"))
    messages.set("b", await s.agent("b").message("b's"))
    await s.agent("a").replace("f", "one", "A1")
    await s.agent("b").replace("f", "three", "B1")
    s.write("f", (s.read("f") ?? "").replace("five", "mine"))
    await s.agent("b").replace("f", "seven", "B2")
    await s.agent("a").replace("f", "nine", "A2")
    await s.person.write({ path: "f", text: `${s.read("f") ?? ""}ten\n` })
    const left: Readonly<Record<string, string>> = {
      a: wide.replace("three", "B1").replace("seven", "B2").replace("five", "mine"),
      b: wide.replace("one", "A1").replace("nine", "A2").replace("five", "mine"),
    }
    const [first = "a", second = "b"] = order
    await s.person.rewind({ message: messages.get(first) ?? "" })
    expect(s.read("f")).toBe(`${left[first] ?? ""}ten\n`)
    await s.person.rewind({ message: messages.get(second) ?? "" })
    expect(s.read("f")).toBe(`${wide.replace("five", "mine")}ten\n`)
    await s.person.undo({})
    await s.person.undo({})
    expect((await s.pending())[0]?.hunks).toHaveLength(4)
  }
})

test("hold and apply meet in one file: the item keeps the side it was made with", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent("h", "hold").replace("f", "one", "HELD")
  await s.agent("a", "apply").replace("f", "nine", "APPLIED")
  expect(s.read("f")).toBe(wide)
  const [file] = await s.pending()
  expect([file?.disk, file?.hunks.length, file?.conversations]).toEqual(["base", 2, ["h", "a"]])
  await s.person.accept({ path: "f", hunks: [ids(file)[1] ?? ""] })
  expect(s.read("f")).toBe(wide.replace("nine", "APPLIED"))
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe(wide.replace("nine", "APPLIED"))
})

test("accept and reject by message where messages overlap: the other one is named", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const first = await agent.message("the first")
  await agent.replace("f", "two", "2")
  await agent.replace("f", "eight", "8")
  const second = await agent.message("the second")
  await agent.replace("f", "2\n", "22\n")
  const needed = s.person.accept({ message: second })
  await expect(needed).rejects.toMatchObject({ code: "CONFLICT", hint: expect.stringContaining("the first") as string })
  await expect(s.person.reject({ message: first })).rejects.toMatchObject({
    code: "CONFLICT",
    hint: expect.stringContaining("the second") as string,
  })
  await s.person.accept({ message: first })
  expect((await s.pending())[0]?.hunks.map(hunk => hunk.oldStart)).toEqual([2])
  expect((await s.person.cat({ path: "f", side: "base" })).text).toBe(wide.replace("two", "2").replace("eight", "8"))
  await s.person.reject({ message: second })
  expect(s.read("f")).toBe(wide.replace("two", "2").replace("eight", "8"))
  expect(await s.pending()).toEqual([])
})

test("what was rejected of a message is not accepted with it", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent()
  const message = await agent.message("m")
  await agent.replace("f", "two", "2")
  await agent.replace("f", "eight", "8")
  await s.person.reject({ path: "f", hunks: ["1"] })
  await s.person.accept({ message })
  expect(s.read("f")).toBe(wide.replace("eight", "8"))
  expect(await s.pending()).toEqual([])
  expect(await s.person.accept({ message })).toMatchObject({ operation: null })
})

test("an edit of several parts is judged part by part: a formatter over an agent's and old lines", async () => {
  const s = await story({ files: { f: "a(1)\nb(2)\nc(3)\nd(4)\n" } })
  await s.agent().insert("f", 2, "agent(5)\n")
  s.write("f", "a( 1 )\nb( 2 )\nagent( 5 )\nc( 3 )\nd( 4 )\n")
  expect((await s.pending())[0]?.hunks).toMatchObject([{ oldStart: 2, oldLines: 0, newLines: 1, mixed: false }])
  expect((await s.person.file({ path: "f" })).authors).toEqual(["base", "base", "agent", "base", "base"])
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe("a( 1 )\nb( 2 )\nc( 3 )\nd( 4 )\n")
})

test.each([
  ["directly above a hunk", "one\nMINE\nTWO\nthree\n", "one\nMINE\ntwo\nthree\n"],
  ["directly below a hunk", "one\nTWO\nMINE\nthree\n", "one\ntwo\nMINE\nthree\n"],
])("a person's line %s is outside: it stays through a reject, agreed on", async (_, now, after) => {
  const s = await story({ files: { f: "one\ntwo\nthree\n" } })
  await s.agent().replace("f", "two", "TWO")
  s.write("f", now)
  const [file] = await s.pending()
  expect(file?.hunks.map(hunk => hunk.mixed)).toEqual([false])
  expect((await s.person.cat({ path: "f", side: "base" })).text).toBe(after)
  await s.person.reject({ path: "f" })
  expect(s.read("f")).toBe(after)
})

test("a conflict in hold is data on every surface, and each region is settled alone", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent("c", "hold")
  await agent.replace("f", "two", "AGENT 2")
  await agent.replace("f", "eight", "AGENT 8")
  await agent.replace("f", "five", "AGENT 5")
  s.write("f", wide.replace("two", "mine 2").replace("eight", "mine 8"))
  const [file] = await s.pending()
  expect([file?.conflict, file?.hunks.map(hunk => hunk.conflict)]).toEqual([true, [true, false, true]])
  const seen = await s.person.file({ path: "f" })
  expect(seen.conflicts.map(one => [one.hunk, one.mine, one.theirs, one.origin])).toEqual([
    [ids(file)[0], "mine 2\n", "AGENT 2\n", "two\n"],
    [ids(file)[2], "mine 8\n", "AGENT 8\n", "eight\n"],
  ])
  await expect(s.person.accept({ path: "f" })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.accept({ path: "f", hunks: [ids(file)[1] ?? ""] })
  expect(s.read("f")).toBe(wide.replace("two", "mine 2").replace("five", "AGENT 5").replace("eight", "mine 8"))
  await s.person.accept({ path: "f", hunks: [ids((await s.pending())[0])[0] ?? ""], onConflict: "keep-mine" })
  await s.person.accept({ path: "f", onConflict: "take-theirs" })
  expect(s.read("f")).toBe(wide.replace("two", "mine 2").replace("five", "AGENT 5").replace("eight", "AGENT 8"))
  expect(await s.pending()).toEqual([])
  await s.person.undo({})
  expect((await s.pending())[0]?.conflict).toBe(true)
})

test("a base that moved twice under a proposal is still one conflict, settled by the person's last text", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent("c", "hold").replace("f", "two", "AGENT")
  s.write("f", wide.replace("two", "mine"))
  await s.pending()
  s.write("f", wide.replace("two", "mine again"))
  expect((await s.pending())[0]?.conflict).toBe(true)
  await s.person.accept({ path: "f", onConflict: "keep-mine" })
  expect(s.read("f")).toBe(wide.replace("two", "mine again"))
  expect(await s.pending()).toEqual([])
})

test("a conflict that went away by itself is none", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent("c", "hold").replace("f", "two", "AGENT")
  s.write("f", wide.replace("two", "mine"))
  expect((await s.pending())[0]?.conflict).toBe(true)
  s.write("f", wide)
  expect((await s.pending())[0]?.conflict).toBe(false)
  await s.person.accept({ path: "f" })
  expect(s.read("f")).toBe(wide.replace("two", "AGENT"))
})

test("a binary that moved under a held proposal is not overwritten without a choice", async () => {
  const s = await story({ files: { p: Buffer.from([0, 1, 2]) } })
  await s.agent("c", "hold").bash(String.raw`printf '\000agent' > p`)
  s.write("p", Buffer.from([0, 7, 7]))
  expect((await s.pending())[0]?.conflict).toBe(true)
  await expect(s.person.accept({ path: "p" })).rejects.toMatchObject({ code: "CONFLICT" })
  await s.person.accept({ path: "p", onConflict: "keep-mine" })
  expect(Buffer.from(s.read("p") ?? "")).toEqual(Buffer.from([0, 7, 7]))
})

test("the same substitution in many files is one decision, others in the same files are not", async () => {
  const files = Object.fromEntries(
    [1, 2, 3].map(at => [`f${at}`, `start ${at}\nuse(${at}, oldName)\nmiddle\nend ${at}\n`]),
  )
  const s = await story({ files })
  const agent = s.agent()
  for (const path of Object.keys(files)) await agent.replace(path, "oldName", "newName")
  await agent.replace("f2", "end 2", "END 2")
  const same = (await s.pending()).map(file => file.hunks[0]?.same)
  expect(new Set(same).size).toBe(1)
  await s.person.accept({ hunks: [same[0] ?? ""] })
  expect((await s.pending()).map(file => [file.path, file.hunks.map(hunk => hunk.oldStart)])).toEqual([["f2", [4]]])
  await s.person.undo({})
  await s.person.reject({ hunks: [same[0] ?? ""] })
  expect([s.read("f1"), s.read("f2"), s.read("f3")]).toEqual([
    files["f1"],
    files["f2"]?.replace("end", "END"),
    files["f3"],
  ])
})

test("an answer to a waiting call does not overwrite what the person wrote on disk meanwhile", async () => {
  const s = await story({ files: { f: wide } })
  const call = s.agent("c", "ask").replace("f", "two", "AGENT")
  const id = await waitingId(s)
  s.write("f", wide.replace("two", "mine"))
  await expect(s.person.answer({ id, decision: "allow" })).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("f")).toBe(wide.replace("two", "mine"))
  await s.person.answer({ id, decision: "deny", reason: "mine stays" })
  expect((await call).text).toContain("mine stays")
  expect(s.read("f")).toBe(wide.replace("two", "mine"))
})

test("a waiting call whose conversation is rewound ends, and writes nothing", async () => {
  const s = await story({ files: { f: wide } })
  const agent = s.agent("c", "ask")
  const message = await agent.message("m")
  const call = agent.replace("f", "two", "AGENT")
  await waitingId(s)
  await s.person.rewind({ message })
  expect((await call).ok).toBe(false)
  expect([s.read("f"), await s.pending(), (await s.person.status({})).waiting]).toEqual([wide, [], []])
})

async function waitingId(s: Awaited<ReturnType<typeof story>>): Promise<string> {
  for (;;) {
    const [call] = (await s.person.status({})).waiting
    if (call !== undefined) return call.id
    await new Promise(resolve => setTimeout(resolve, 30))
  }
}

test("a file deleted on disk under a held proposal: accepting it again is a choice", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent("c", "hold").replace("f", "two", "AGENT")
  rmSync(join(s.root, "f"))
  expect((await s.pending()).map(file => [file.path, file.conflict])).toEqual([["f", true]])
  await expect(s.person.accept({ path: "f" })).rejects.toMatchObject({ code: "CONFLICT" })
  expect(s.read("f")).toBe(null)
  await s.person.accept({ path: "f", onConflict: "take-theirs" })
  expect(s.read("f")).toBe(wide.replace("two", "AGENT"))
  await s.person.undo({})
  expect(s.read("f")).toBe(null)
  await s.person.accept({ path: "f", onConflict: "keep-mine" })
  expect([s.read("f"), await s.pending()]).toEqual([null, []])
})

test("a file deleted on disk that an agent had changed is the person's wish; the text is in the log", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent().replace("f", "two", "AGENT")
  rmSync(join(s.root, "f"))
  expect(await s.pending()).toEqual([])
  const { operations } = await s.person.operations({ path: "f" })
  expect((await s.person.show({ id: operations.at(-1)?.id ?? "" })).diff).toContain("-AGENT")
})

test("a stale number is refused, an id is not, and a wrong one is told", async () => {
  const s = await story({ files: { f: wide } })
  await s.agent().replace("f", "two", "2")
  await s.agent().replace("f", "eight", "8")
  const [file] = await s.pending()
  s.write("f", wide.replace("two", "2").replace("eight", "8").replace("five", "mine"))
  await expect(s.person.reject({ path: "f", hunks: ["1"] })).rejects.toMatchObject({ code: "STALE_REVISION" })
  await expect(s.person.reject({ path: "f", hunks: ["1"], revision: file?.revision ?? 0 })).rejects.toMatchObject({
    code: "STALE_REVISION",
  })
  await expect(s.person.reject({ path: "f", hunks: ["hnothing"] })).rejects.toMatchObject({ code: "STALE_REVISION" })
  await s.person.reject({ path: "f", hunks: [ids(file)[0] ?? ""] })
  expect(s.read("f")).toBe(wide.replace("eight", "8").replace("five", "mine"))
})
