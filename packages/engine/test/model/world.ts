import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Loaded } from "@galley/core/change/loaded.ts"
import { parentOf } from "@galley/core/path.ts"
import type { ReviewMode } from "@galley/core/protocol/results.ts"
import { assembleWorkspace } from "../../src/assemble.ts"
import type { Env } from "../../src/io/env.ts"
import type { Files } from "../../src/io/files.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { openRoot } from "../../src/io/roots.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { agentView, beginCall, recordChange } from "../../src/session/record.ts"
import { repairInterrupted } from "../../src/session/repair.ts"
import type { Session } from "../../src/session/session.ts"
import type { WorkspaceLock } from "../../src/store/lock.ts"
import { memoryStore } from "../../src/store/memory.ts"
import type { Store } from "../../src/store/store.ts"
import type { Requests } from "../../src/workspace.ts"

/** A workspace whose parts a model test can see: on a disk in memory, or on the real one under git. The store is in memory. */
export interface World {
  readonly store: Store
  readonly person: Requests
  read(path: string): Promise<string | null>
  /** Somebody outside Galley writes (null: removes) a file. */
  write(path: string, text: string | null): Promise<void>
  /** An agent's tool or command changes a file, from what it sees there. False where it was refused. */
  change(conversation: string, mode: ReviewMode, path: string, edit: (seen: Loaded) => Loaded): Promise<void>
  /** An agent's command moves a file to a name where nothing stands; nothing is done where something does. */
  rename(conversation: string, mode: ReviewMode, from: string, to: string): Promise<void>
  git(...words: string[]): boolean
  /** As another process finds it. */
  reopen(): Promise<void>
  end(): void
}

export async function makeWorld(
  place: "memory" | "git",
  files: Readonly<Record<string, string>>,
  watch: { readonly store?: (store: Store) => Store; readonly files?: (files: Files) => Files } = {},
): Promise<World> {
  let clock = 1_700_000_000_000
  let count = 0
  const env: Env = {
    now: () => ++clock,
    newId: () => `id${String(++count).padStart(6, "0")}`,
    process: { pid: process.pid, startedAt: 0 },
    sleep: () => Promise.resolve(),
    variables: {},
  }
  const disk = place === "memory" ? memoryFiles(() => env.now()) : realFiles()
  const folder = place === "memory" ? null : mkdtempSync(join(tmpdir(), "galley-model-"))
  const top = folder === null ? "/galley-model-root" : join(folder, "work")
  if (folder === null) await disk.makeFolder(top, 0o755)
  else mkdirSync(top)
  const root = await openRoot(disk, top)
  const store = memoryStore()
  for (const [path, text] of Object.entries(files)) await put(disk, root.absolute(path), text)
  const git = (...words: string[]): boolean => runGit(root.path, words)
  if (place === "git") {
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "start")
    git("branch", "other")
  }
  const session: Session = {
    root,
    files: watch.files?.(disk) ?? disk,
    store: watch.store?.(store) ?? store,
    lock: turns(),
    env,
    config: resolveConfig([{ source: "model", values: { "message.idleSeconds": 86_400 } }]),
    scratch: null,
    masked: [],
    unrecorded: [],
    charsetFor: () => Promise.resolve(undefined),
  }
  const open = (): Requests =>
    assembleWorkspace({ session, notices: [], intents: [], watch: () => () => undefined }).as({ actor: "person" })
  const world = {
    store,
    person: open(),
    read: async (path: string) => {
      const stat = await disk.lstat(root.absolute(path))
      if (stat?.kind !== "file") return null
      const read = await disk.read(root.absolute(path), 2 ** 20)
      return read === "tooLarge" ? null : Buffer.from(read.bytes).toString("utf8")
    },
    write: async (path: string, text: string | null) => {
      if (text !== null) return put(disk, root.absolute(path), text)
      if ((await disk.lstat(root.absolute(path))) !== null) await disk.unlink(root.absolute(path))
    },
    change: async (conversation: string, mode: ReviewMode, path: string, edit: (seen: Loaded) => Loaded) => {
      const began = await beginCall(session)
      const { state } = await agentView(session, path)
      await recordChange(session, {
        context: { actor: "agent", conversation, review: mode },
        kind: "edit",
        title: `edit ${path}`,
        capture: "recorded",
        changes: [{ path, after: edit(state), expected: null, from: { state, moved: false } }],
        call: { tool: "model", summary: path },
        began,
      })
    },
    rename: async (conversation: string, mode: ReviewMode, from: string, to: string) => {
      const began = await beginCall(session)
      const [old, now] = [(await agentView(session, from)).state, (await agentView(session, to)).state]
      if (old.kind !== "file" || now.kind !== "absent") return
      await recordChange(session, {
        context: { actor: "agent", conversation, review: mode },
        kind: "command",
        title: `mv ${from} ${to}`,
        capture: "recorded",
        changes: [
          { path: from, after: { kind: "absent" }, expected: null, from: { state: old, moved: false } },
          { path: to, after: old, expected: null, from: { state: now, moved: false }, renamedFrom: from },
        ],
        call: { tool: "model", summary: from },
        began,
      })
    },
    git,
    reopen: async () => {
      await session.lock.hold(() => repairInterrupted(session))
      world.person = open()
    },
    end: () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

/** One at a time within this process, as the lock gives it between processes. */
function turns(): WorkspaceLock {
  let last: Promise<unknown> = Promise.resolve()
  return {
    hold: work => {
      const mine = last.then(work, work)
      last = mine.catch(() => undefined)
      return mine
    },
    close: () => Promise.resolve(),
  }
}

async function put(disk: Files, path: string, text: string): Promise<void> {
  const folder = parentOf(path)
  if ((await disk.lstat(folder)) === null) await disk.makeFolder(folder, 0o755)
  const bytes = Buffer.from(text)
  const stat = await disk.lstat(path)
  if (stat !== null && stat.kind !== "file") await disk.unlink(path)
  if (stat?.kind !== "file") await disk.create(path, bytes, 0o644)
  else await disk.overwrite(path, bytes)
}

function runGit(cwd: string, words: readonly string[]): boolean {
  const env = {
    PATH: process.env["PATH"],
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "P",
    GIT_AUTHOR_EMAIL: "p@example.invalid",
    GIT_COMMITTER_NAME: "P",
    GIT_COMMITTER_EMAIL: "p@example.invalid",
  }
  try {
    execFileSync("git", [...words], { cwd, env, stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
