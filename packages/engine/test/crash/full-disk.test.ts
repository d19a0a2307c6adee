import { execFileSync } from "node:child_process"
import {
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs"
import { writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import { expect, onTestFinished, test } from "vitest"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import type { Requests, Workspace } from "../../src/workspace.ts"

/** A file system that is really full: a tmpfs of this many megabytes under the workspace or under the store. */
const megabytes = 2
const refused = whyNotMounted()
if (refused !== null) console.log(`Full disks are not tried: ${refused}`)

const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("")

interface Place {
  readonly root: string
  readonly workspace: Workspace
  readonly person: Requests
  readonly message: string
  readonly tree: () => Readonly<Record<string, string>>
  readonly fill: () => void
  readonly free: () => void
  readonly reopen: () => Promise<Place>
}

const agentIn = (workspace: Workspace, context: Partial<RequestContext> = {}) => {
  const requests = workspace.as({ ...context, actor: "agent", conversation: "c" })
  return async (input: Readonly<Record<string, unknown>>): Promise<string> => {
    const result = await requests.call({ tool: "str_replace_editor", input })
    return result.error?.code ?? "made"
  }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return "done"
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

/** An agent's edit of each kind, held and applied, and the person's own lines among them. */
async function makePlace(full: "work" | "home"): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), "galley-full-"))
  const [root, home] = [join(folder, "work"), join(folder, "home")]
  for (const made of [root, home]) mkdirSync(made, { mode: 0o700 })
  const disk = join(folder, full)
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", disk])
  let open: Workspace | null = null
  onTestFinished(async () => {
    await open?.close()
    execFileSync("umount", [disk])
    rmSync(folder, { recursive: true, force: true })
  })
  writeFileSync(join(root, "notes.txt"), lines(300, "note"))
  writeFileSync(join(root, "linked.txt"), lines(300, "linked"))
  linkSync(join(root, "linked.txt"), join(root, "linked-too.txt"))
  const opened = async (): Promise<Workspace> =>
    (open = await openWorkspace({ root, home, config: resolveConfig([]), env: realEnv() }))
  const first = await opened()
  const message = (await first.as({ actor: "agent", conversation: "c" }).message({ text: "work" })).message ?? ""
  const agent = agentIn(first)
  expect(await agent({ command: "str_replace", path: "notes.txt", old_str: "note 5\n", new_str: "agent 5\n" })).toBe(
    "made",
  )
  writeFileSync(
    join(root, "notes.txt"),
    readFileSync(join(root, "notes.txt"), "utf8").replace("note 200\n", "mine 200\n"),
  )
  expect(await agent({ command: "create", path: "new/made.txt", file_text: lines(50, "made") })).toBe("made")
  expect(
    await agentIn(first, { review: "hold" })({ command: "create", path: "held.txt", file_text: lines(500, "held") }),
  ).toBe("made")
  expect(await agent({ command: "create", path: "rejected.txt", file_text: "rejected\n" })).toBe("made")
  expect(await codeOf(first.as({ actor: "person" }).reject({ path: "rejected.txt" }))).toBe("done")
  const place = (workspace: Workspace): Place => ({
    root,
    workspace,
    person: workspace.as({ actor: "person" }),
    message,
    tree: () => treeOf(root),
    fill: () => fill(join(disk, "ballast")),
    free: () => rmSync(join(disk, "ballast")),
    reopen: async () => {
      await workspace.close()
      open = null
      return place(await opened())
    },
  })
  return place(first)
}

/** Takes the very last byte. */
function fill(path: string): void {
  const file = openSync(path, "w")
  try {
    for (let size = 1 << 20; size >= 1; )
      try {
        writeSync(file, Buffer.alloc(size))
      } catch {
        size >>= 1
      }
  } finally {
    closeSync(file)
  }
}

function treeOf(root: string): Record<string, string> {
  const found = readdirSync(root, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    found
      .filter(entry => entry.isFile() && entry.name !== "ballast")
      .map(entry => join(entry.parentPath, entry.name))
      .map(path => [path.slice(root.length + 1), readFileSync(path, "utf8")]),
  )
}

test.skipIf(refused !== null)(
  "the workspace's disk is full: every deed says so and leaves all as it was; with room again each works",
  async () => {
    const { workspace, person, message, tree, fill, free } = await makePlace("work")
    const deeds: Readonly<Record<string, () => Promise<string>>> = {
      edit: () =>
        agentIn(workspace)({ command: "insert", path: "notes.txt", insert_line: 0, insert_text: lines(3, "more") }),
      "edit of a file with two names, longer than there is room": () =>
        agentIn(workspace)({ command: "insert", path: "linked.txt", insert_line: 0, insert_text: lines(4000, "more") }),
      create: () => agentIn(workspace)({ command: "create", path: "other/new.txt", file_text: "new\n" }),
      accept: () => codeOf(person.accept({ path: "held.txt" })),
      reject: () => codeOf(person.reject({ path: "notes.txt" })),
      write: () => codeOf(person.write({ path: "notes.txt", text: lines(300, "anew") })),
      undo: () => codeOf(person.undo({})),
      rewind: () => codeOf(person.rewind({ message, onConflict: "keep-mine" })),
    }
    fill()
    const before = { tree: tree(), pending: (await person.status({})).files }
    for (const [name, deed] of Object.entries(deeds)) {
      expect(await deed(), name).toBe("NO_SPACE")
      expect({ tree: tree(), pending: (await person.status({})).files }, name).toEqual(before)
    }
    free()
    for (const [name, deed] of Object.entries(deeds)) expect(await deed(), name).toMatch(/^(made|done)$/)
    expect(tree()["notes.txt"]).not.toContain("agent 5")
  },
)

test.skipIf(refused !== null)(
  "the store's disk is full: nothing is decided or lost, what was said stays readable; with room again all works",
  async () => {
    const place = await makePlace("home")
    const { workspace, person, message, tree, fill, free } = place
    fill()
    const before = tree()
    const pending = (await person.status({})).files.map(file => file.path)
    const big = lines(20_000, "noise of a text that needs room")
    expect(await agentIn(workspace)({ command: "create", path: "large.txt", file_text: big })).toBe("NO_SPACE")
    for (const [name, deed] of [
      ["accept", () => codeOf(person.accept({ all: true }))],
      ["reject", () => codeOf(person.reject({ all: true }))],
      ["write", () => codeOf(person.write({ path: "notes.txt", text: big }))],
      ["rewind", () => codeOf(person.rewind({ message, onConflict: "keep-mine" }))],
      ["undo", () => codeOf(person.undo({}))],
    ] as const) {
      expect(await deed(), name).toBe("NO_SPACE")
      expect(tree(), name).toEqual(before)
    }
    writeFileSync(join(place.root, "notes.txt"), `${before["notes.txt"] ?? ""}mine, written meanwhile\n`)
    expect((await person.status({})).files.map(file => file.path)).toEqual(pending)
    const again = await place.reopen()
    expect(
      (await again.person.status({})).files.map(file => file.path),
      "opened on the full disk",
    ).toEqual(pending)
    expect(await codeOf(again.person.reject({ all: true }))).toBe("NO_SPACE")
    expect(
      await agentIn(again.workspace)({ command: "insert", path: "notes.txt", insert_line: 0, insert_text: "x\n" }),
    ).toBe("NO_SPACE")
    free()
    const last = await again.reopen()
    expect(await codeOf(last.person.reject({ all: true, onConflict: "keep-mine" }))).toBe("done")
    const notes = last.tree()["notes.txt"] ?? ""
    expect(notes).toContain("mine, written meanwhile\n")
    expect(notes).toContain("mine 200\n")
    expect(notes).not.toContain("agent 5\n")
    expect(await codeOf(last.person.undo({}))).toBe("done")
  },
)

function whyNotMounted(): string | null {
  const folder = mkdtempSync(join(tmpdir(), "galley-mount-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { stdio: "pipe" })
    execFileSync("umount", [folder], { stdio: "pipe" })
    return null
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[1] ?? error.message) : String(error)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
