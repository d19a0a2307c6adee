import type { Actor, Change, OperationKind } from "@galley/core/history/operation.ts"
import { sameState, type State } from "@galley/core/state.ts"
import type { Files } from "../../src/io/files.ts"
import { blobIdOf } from "../../src/io/hash.ts"
import { openRoot } from "../../src/io/roots.ts"
import type { Writer } from "../../src/session/journal.ts"
import type { Move } from "../../src/session/steps.ts"
import { memoryStore } from "../../src/store/memory.ts"
import type { Batch, NewOperation, Store } from "../../src/store/store.ts"

/**
 * A workspace in a notation: one entry per path. `"text"` is a file 0644; `"0600:text"` one of another mode; `"-> target"` a symlink;
 * `"=other"` another name (hard link) of a file above it; `"folder"` and `"folder:0700"` a folder.
 */
export type Tree = Readonly<Record<string, string>>

/** Clock and ids that count, so that a run can be repeated to the letter. */
export function countingEnv(): Writer["env"] {
  let count = 0
  return {
    now: () => 1_700_000_000_000 + ++count,
    newId: () => `id${String(++count).padStart(6, "0")}`,
  }
}

export async function buildTree(files: Files, root: string, tree: Tree): Promise<void> {
  for (const [path, entry] of Object.entries(tree)) {
    const names = path.split("/")
    for (let count = 1; count < names.length; count++) {
      const folder = `${root}/${names.slice(0, count).join("/")}`
      if (!(await files.lstat(folder))) await files.makeFolder(folder, 0o755)
    }
    const place = `${root}/${path}`
    const folderMode = /^folder(?::([0-7]{4}))?$/.exec(entry)
    if (folderMode) {
      await files.makeFolder(place, 0o755)
      await files.chmod(place, Number.parseInt(folderMode[1] ?? "0755", 8))
    } else if (entry.startsWith("-> ")) await files.symlink(entry.slice(3), place)
    else if (entry.startsWith("=")) await files.link(`${root}/${entry.slice(1)}`, place)
    else {
      const { mode, text } = fileOf(entry)
      await files.create(place, Buffer.from(text), mode)
    }
  }
}

/** Every path with what stands there, folders included, in the notation of {@link Tree} (hard links as files with `(2)`). */
export async function readTree(files: Files, root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {}
  const visit = async (folder: string): Promise<void> => {
    const entries = await files.list(folder === "" ? root : `${root}/${folder}`)
    for (const { name, kind } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === "" ? name : `${folder}/${name}`
      tree[path] = await entryAt(files, `${root}/${path}`)
      if (kind === "folder") await visit(path)
    }
  }
  await visit("")
  return tree
}

export function stateOf(entry: string | null): State {
  if (entry === null) return { kind: "absent" }
  const folder = /^folder(?::([0-7]{4}))?$/.exec(entry)
  if (folder) return { kind: "folder", mode: Number.parseInt(folder[1] ?? "0755", 8) }
  if (entry.startsWith("-> ")) return { kind: "symlink", target: entry.slice(3) }
  const { mode, text } = fileOf(entry)
  return { kind: "file", blob: blobIdOf(Buffer.from(text)), size: Buffer.byteLength(text), mode }
}

/** `{ path: [before, after] }` as moves; null is absent. */
export function movesOf(wanted: Readonly<Record<string, readonly [string | null, string | null]>>): Move[] {
  return Object.entries(wanted).map(([path, [before, after]]) => ({
    path,
    before: stateOf(before),
    after: stateOf(after),
  }))
}

/** Puts the after-contents into the store, as the session does before it asks for the write. */
export async function keepTexts(store: Store, entries: readonly (string | null)[]): Promise<void> {
  const texts = entries.flatMap(entry => (entry === null || stateOf(entry).kind !== "file" ? [] : [fileOf(entry).text]))
  if (texts.length > 0) await store.putBlobs(texts.map(text => ({ bytes: Buffer.from(text) })))
}

/** The facts of an agent's edit in `apply`: one operation and an item per path, the base what was there. */
export function batchOf(moves: readonly Move[], id = "op1"): Batch {
  const kind: OperationKind = "edit"
  const actor: Actor = "agent"
  const changes: Change[] = moves
    .filter(move => !sameState(move.before, move.after))
    .map(({ path, before, after }) => ({
      path,
      before: { base: before, current: before },
      after: { base: before, current: after },
    }))
  const operation: NewOperation = {
    id,
    kind,
    actor,
    changes,
    conversation: null,
    message: null,
    at: 1,
    title: "Edit",
    capture: "recorded",
    head: null,
  }
  const items = changes.map(({ path, after }) => ({
    path,
    base: after.base,
    current: after.current,
    disk: "current" as const,
    revision: 1,
    conversations: [],
  }))
  return { operations: [operation], items }
}

export async function writerOn(files: Files, root: string, store: Store = memoryStore()): Promise<Writer> {
  return { files, store, root: await openRoot(files, root), env: countingEnv() }
}

function fileOf(entry: string): { mode: number; text: string } {
  const match = /^([0-7]{4}):([\s\S]*)$/.exec(entry)
  return match ? { mode: Number.parseInt(match[1] ?? "", 8), text: match[2] ?? "" } : { mode: 0o644, text: entry }
}

async function entryAt(files: Files, place: string): Promise<string> {
  const stat = await files.lstat(place)
  const mode = (stat?.mode ?? 0).toString(8).padStart(4, "0")
  switch (stat?.kind) {
    case "file": {
      const read = await files.read(place, 2 ** 30)
      const text = read === "tooLarge" ? "?" : Buffer.from(read.bytes).toString("latin1")
      const links = stat.links > 1 ? `(${stat.links})` : ""
      return mode === "0644" ? `${text}${links}` : `${mode}:${text}${links}`
    }
    case "folder":
      return mode === "0755" ? "folder" : `folder:${mode}`
    case "symlink":
      return `-> ${await files.readlink(place)}`
    case "fifo":
    case "socket":
    case "device":
      return stat.kind
    case undefined:
      return "absent"
  }
}
