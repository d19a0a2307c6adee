import { loadedAbsent, sameLoaded, type Loaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import type { Sides } from "@galley/core/history/operation.ts"
import type { BlobId, State } from "@galley/core/state.ts"
import type { Store } from "../store/store.ts"

/** A state with its content from the store. A missing or damaged content is `STORE_FAILED`, thrown before anything is decided on it. */
export async function loadState(store: Store, state: State): Promise<Loaded> {
  switch (state.kind) {
    case "file":
      return { kind: "file", bytes: await store.blob(state.blob), mode: state.mode }
    case "absent":
      return loadedAbsent
    case "symlink":
    case "folder":
    case "other":
    case "unknown":
      return state
  }
}

export async function loadSides(store: Store, sides: Sides): Promise<LoadedSides> {
  const base = await loadState(store, sides.base)
  const { base: from, current: to } = sides
  const same = from.kind === "file" && to.kind === "file" && from.blob === to.blob
  const current: Loaded = same && base.kind === "file" ? { ...base, mode: to.mode } : await loadState(store, to)
  return { base, current }
}

/** Keeps the content and returns the state that names it. `near` is a content likely to be similar. */
export async function saveState(store: Store, loaded: Loaded, near?: BlobId): Promise<State> {
  if (loaded.kind !== "file") return loaded
  const [blob] = await store.putBlobs([near === undefined ? { bytes: loaded.bytes } : { bytes: loaded.bytes, near }])
  if (blob === undefined) throw new Error("BUG: putBlobs kept nothing")
  return { kind: "file", blob, size: loaded.bytes.length, mode: loaded.mode }
}

export async function saveSides(store: Store, sides: LoadedSides, near?: Sides): Promise<Sides> {
  const base = await saveState(store, sides.base, blobOf(near?.base))
  const current = sameLoaded(sides.base, sides.current)
    ? base
    : await saveState(store, sides.current, blobOf(near?.current) ?? blobOf(base))
  return { base, current }
}

export function blobOf(state: State | undefined): BlobId | undefined {
  return state?.kind === "file" ? state.blob : undefined
}
