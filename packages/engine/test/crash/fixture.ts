import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createHash } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Item } from "@galley/core/change/item.ts"
import type { State } from "@galley/core/state.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { identify } from "../../src/store/disk.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import type { Deed } from "./deeds.ts"

/** A workspace with something of everything, made once and copied for each point. */
export interface Fixture {
  readonly folder: string
  /** What `WAITING`, `MESSAGE` and `HUNK` in a deed stand for. */
  readonly names: Readonly<Record<string, string>>
  end(): void
}

const lines = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at + 1}\n`).join("")

/** A large content that does not compress, so that the store keeps it as a file. */
const largeText = Array.from(
  { length: 2500 },
  (_, at) => `row ${at} ${createHash("sha256").update(`${at}`).digest("hex")}\n`,
).join("")

export async function makeFixture(kind: Deed["fixture"]): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), "galley-crash-"))
  const root = join(folder, "work")
  const home = join(folder, "home")
  mkdirSync(join(root, "mine"), { recursive: true })
  const put = (path: string, text: string): void => writeFileSync(join(root, path), text)
  put("mixed.txt", lines(40, "line"))
  put("plain.txt", lines(10, "line"))
  put("gone.txt", lines(5, "going"))
  put("asked.txt", "before asking\n")
  put("decided.txt", "what was there first\n")
  put("linked.txt", lines(2000, "a line of a hard-linked file"))
  put("large.txt", largeText)
  put("script.sh", "echo\n")
  put("mine/notes.txt", "nobody's but the person's\n")
  put("key.txt", "secret\n")
  chmodSync(join(root, "key.txt"), 0o600)
  linkSync(join(root, "linked.txt"), join(root, "linked-too.txt"))
  const git = (...words: string[]): unknown =>
    execFileSync("git", ["-c", "user.name=p", "-c", "user.email=p@example.invalid", ...words], {
      cwd: root,
      stdio: "pipe",
    })
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-q", "-m", "start")

  const config = resolveConfig([{ source: "test", values: { "view.enabled": false, "ask.waitSeconds": 600 } }])
  const workspace = await openWorkspace({ root, home, config, env: realEnv() })
  const person = workspace.as({ actor: "person" })
  const agent = workspace.as({ actor: "agent", conversation: "c1" })
  const held = workspace.as({ actor: "agent", conversation: "c1", review: "hold" })
  const asking = workspace.as({ actor: "agent", conversation: "c1", review: "ask" })
  const edit = async (by: typeof agent, input: Record<string, unknown>): Promise<void> => {
    const result = await by.call({ tool: "str_replace_editor", input })
    if (!result.ok) throw new Error(result.text)
  }
  await agent.message({ text: "first" })
  await edit(agent, { command: "str_replace", path: "decided.txt", old_str: "first", new_str: "second" })
  await person.accept({ path: "decided.txt" })
  const message = (await agent.message({ text: "second" })).message ?? ""
  for (const at of [3, 20, 30])
    await edit(agent, { command: "str_replace", path: "mixed.txt", old_str: `line ${at}\n`, new_str: `agent ${at}\n` })
  put("mixed.txt", readFileSync(join(root, "mixed.txt"), "utf8").replace("line 19\n", "the person's 19\n"))
  await edit(agent, { command: "create", path: "made/by/agent.txt", file_text: "made\n" })
  await edit(agent, { command: "insert", path: "linked.txt", insert_line: 3, insert_text: "from the agent\n" })
  await edit(agent, { command: "str_replace", path: "large.txt", old_str: "row 5 ", new_str: "ROW 5 " })
  await edit(agent, { command: "str_replace", path: "key.txt", old_str: "secret", new_str: "secret, a key" })
  await agent.call({ tool: "bash", input: { command: "rm gone.txt" } })
  await edit(held, { command: "create", path: "held.txt", file_text: "held\n" })
  await agent.message({ text: "third" })
  await edit(agent, { command: "str_replace", path: "mixed.txt", old_str: "line 33\n", new_str: "agent 33\n" })
  await edit(agent, { command: "create", path: "taken-back.txt", file_text: "taken back\n" })
  await person.reject({ path: "taken-back.txt" })
  if (kind === "undone") await person.undo({})
  const stop = new AbortController()
  const asked = asking.call(
    {
      tool: "str_replace_editor",
      input: { command: "str_replace", path: "asked.txt", old_str: "before", new_str: "after" },
    },
    { signal: stop.signal },
  )
  let waiting = (await person.status({})).waiting
  while (waiting.length === 0) {
    await new Promise(resolve => setTimeout(resolve, 20))
    waiting = (await person.status({})).waiting
  }
  const hunk = (await person.status({ paths: ["mixed.txt"] })).files[0]?.hunks[0]?.id ?? ""
  const copied = `${folder}-fixture`
  // Nothing writes meanwhile: the store is written by this process alone, and it stands still while `cp` runs.
  copyPlace(folder, copied)
  stop.abort()
  await asked
  await workspace.close()
  rmSync(folder, { recursive: true, force: true })
  if (kind === "old schema") asFirstSchema(storeFolder(copied))
  return {
    folder: copied,
    names: { WAITING: waiting[0]?.id ?? "", MESSAGE: message, HUNK: hunk },
    end: () => rmSync(copied, { recursive: true, force: true }),
  }
}

/** A store is found by its folder's inode, which a copy has another of. */
export function copyPlace(from: string, to: string): void {
  execFileSync("cp", ["-a", from, to])
  writeFileSync(join(storeFolder(to), "workspace.json"), JSON.stringify(identify(join(to, "work"))))
}

export function storeFolder(place: string): string {
  const stores = join(place, "home", "workspaces")
  return join(stores, readdirSync(stores)[0] ?? "")
}

/** As a Galley of the first schema left it. */
function asFirstSchema(folder: string): void {
  const db = new DatabaseSync(join(folder, "galley.db"))
  const { user_version: version } = db.prepare("PRAGMA user_version").get() ?? {}
  if (version !== 4) throw new Error(`The schema is ${String(version)} now: say here how the first one differs.`)
  db.exec(
    "DROP TABLE operation_paths; DROP TABLE purges; DROP INDEX operations_of_person; ALTER TABLE operations DROP COLUMN actor; PRAGMA user_version = 1",
  )
  db.close()
}

/** All that a request may change, without what differs from run to run (ids, times). */
export interface Seen {
  readonly tree: Readonly<Record<string, string>>
  readonly items: Readonly<Record<string, string>>
  readonly operations: readonly string[]
  readonly rest: string
}

/** What the place holds, from the disk and the store's own rows, and what is wrong with it. */
export async function lookAtPlace(place: string): Promise<{ readonly seen: Seen; readonly wrong: readonly string[] }> {
  const tree = readTree(join(place, "work"))
  const wrong = Object.keys(tree)
    .filter(path => path.includes(".galley"))
    .map(path => `a temporary name is left: ${path}`)
  const store = await openSqliteStore({ folder: storeFolder(place) })
  wrong.push(...(await store.check()))
  if ((await store.intents()).length > 0) wrong.push("an intent is left open")
  const items = await store.items({})
  const operations = await store.operations({})
  const messages = (await store.messages()).map(message => message.title)
  const waiting = (await store.waiting()).map(call => call.answer?.decision ?? "waits")
  const notes = (await store.notes({})).map(note => note.text)
  // Time goes by between two runs: heads by their titles.
  await store.close()
  for (const item of items) {
    const standing = item.disk === "base" ? item.base : item.current
    const there = tree[item.path] ?? "absent"
    if (brief(standing) !== there && standing.kind !== "folder")
      wrong.push(`${item.path}: on disk is ${there}, by the log ${brief(standing)}`)
  }
  const views = join(storeFolder(place), "views")
  if (existsSync(views) && readdirSync(views).length > 0)
    wrong.push(`scratch folders are left: ${readdirSync(views).join()}`)
  const loose = join(storeFolder(place), "blobs", "tmp")
  const staged = existsSync(loose) ? readdirSync(loose).length : 0
  return {
    seen: {
      tree,
      items: Object.fromEntries(items.map(item => [item.path, itemLine(item)])),
      operations: operations.map(
        operation =>
          `${operation.kind} ${operation.actor} ${operation.title}: ${operation.changes
            .map(change => `${change.path} ${brief(change.before.current)}>${brief(change.after.current)}`)
            .toSorted()
            .join(", ")}`,
      ),
      rest: JSON.stringify({ messages, waiting, notes }),
    },
    wrong: staged > 200 ? [...wrong, `${staged} staged contents are left`] : wrong,
  }
}

function itemLine(item: Item): string {
  return `${brief(item.base)} ${brief(item.current)} ${item.disk}`
}

function brief(state: State): string {
  switch (state.kind) {
    case "file":
      return `${state.mode.toString(8)} ${state.blob.slice(0, 10)}`
    case "symlink":
      return `-> ${state.target}`
    case "folder":
      return "folder"
    case "absent":
    case "other":
    case "unknown":
      return state.kind
  }
}

function readTree(root: string): Record<string, string> {
  const tree: Record<string, string> = {}
  const walk = (folder: string): void => {
    for (const name of readdirSync(join(root, folder))) {
      const path = folder === "" ? name : `${folder}/${name}`
      if (path === ".git") continue
      const stat = lstatSync(join(root, path))
      if (stat.isDirectory()) {
        tree[path] = "folder"
        walk(path)
      } else if (stat.isSymbolicLink()) tree[path] = `-> ${readlinkSync(join(root, path))}`
      else {
        const hash = createHash("sha256")
          .update(readFileSync(join(root, path)))
          .digest("hex")
          .slice(0, 10)
        tree[path] = `${(stat.mode & 0o7777).toString(8)} ${hash}`
      }
    }
  }
  walk("")
  return tree
}
