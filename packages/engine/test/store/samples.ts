import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Item } from "@galley/core/change/item.ts"
import type { BlobId, State } from "@galley/core/state.ts"
import { absent } from "@galley/core/state.ts"
import type { Intent, NewOperation, Note, Parked, Waiting } from "../../src/store/store.ts"

export function file(blob: BlobId, size = 1): State {
  return { kind: "file", blob, size, mode: 0o644 }
}

/** An edit of paths from absent to the content. */
export function operation(
  id: string,
  blob: BlobId,
  paths: readonly string[],
  more: Partial<NewOperation> = {},
): NewOperation {
  const sides = { base: absent, current: absent }
  return {
    id,
    kind: "edit",
    actor: "agent",
    conversation: null,
    message: null,
    at: 1,
    title: `Edit ${id}`,
    capture: "recorded",
    head: null,
    changes: paths.map(path => ({ path, before: sides, after: { base: absent, current: file(blob) } })),
    ...more,
  }
}

export function item(path: string, base: State, current: State): Item {
  return { path, base, current, disk: "current", revision: 1, conversations: ["c"] }
}

export function note(id: string, path: string | null, deliveredAt: number | null): Note {
  return { id, kind: "comment", conversation: null, path, line: 1, text: "why?", at: 1, deliveredAt }
}

export function waiting(id: string): Waiting {
  return {
    id,
    title: "Edit a",
    conversation: null,
    message: null,
    since: 1,
    owner: { pid: 1, startedAt: 1 },
    paths: ["a"],
    diff: "",
    answer: null,
  }
}

export function parked(id: string, of: Item): Parked {
  return { id, branch: "main", commit: null, item: of, at: 1, reason: "checkout" }
}

export function intent(id: string, then: Intent["then"], after: State = absent): Intent {
  return {
    id,
    startedAt: 1,
    // oxlint-disable-next-line unicorn/no-thenable -- the contract's word; an intent is never awaited
    then,
    steps: [{ path: "a", before: absent, after, temp: null, aside: null, inPlace: false, makesFolders: [] }],
  }
}

/** A text of `lines` lines that differs by `seed`; compresses like prose, not like zeros. */
export function prose(lines: number, seed: number): string {
  const words =
    "the a store keeps every version of each file so that nothing a person wrote is lost when agents edit".split(" ")
  let state = seed + 1
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16
  return Array.from(
    { length: lines },
    (_, at) => `${at} ${Array.from({ length: 8 }, () => words[next() % words.length]).join(" ")} ${next()}\n`,
  ).join("")
}

/** Bytes that do not compress, so that their presence in a raw file can be looked for. */
export function noise(length: number, seed: number): Uint8Array {
  let state = seed + 1
  return Uint8Array.from({ length }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0xff
  })
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
