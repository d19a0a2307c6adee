import { loadedAbsent, sameLoaded, type Loaded, type LoadedSides } from "@galley/core/change/loaded.ts"
import type { Sides } from "@galley/core/history/operation.ts"
import { sameState, type BlobId, type State } from "@galley/core/state.ts"
import { blobIdOf } from "../io/hash.ts"
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

/** Whether what was found is the state, told by hash: the stored content need not be read. */
export function isLoadedAs(found: Loaded, state: State): boolean {
  if (found.kind !== "file" || state.kind !== "file")
    return found.kind !== "file" && state.kind !== "file" && sameState(found, state)
  return found.mode === state.mode && found.bytes.length === state.size && blobIdOf(found.bytes) === state.blob
}

/** Keeps the content and returns the state that names it. `near` is a content likely to be similar. */
export async function saveState(store: Store, loaded: Loaded, near?: BlobId): Promise<State> {
  const saving = startSaving(store)
  const state = saving.state(loaded, near)
  await saving.flush()
  return state
}

/**
 * Contents on their way to the store. States are named at once, by hash; the contents of many are then kept together, which costs
 * one flush of the disk and not one each. Nothing may be committed that names them before {@link Saving.flush}.
 */
export interface Saving {
  state(loaded: Loaded, near?: BlobId): State
  sides(sides: LoadedSides, near?: Sides): Sides
  flush(): Promise<void>
}

export function startSaving(store: Store): Saving {
  const waiting = new Map<BlobId, { readonly bytes: Uint8Array; readonly near?: BlobId }>()
  const state = (loaded: Loaded, near?: BlobId): State => {
    if (loaded.kind !== "file") return loaded
    const blob = blobIdOf(loaded.bytes)
    if (!waiting.has(blob))
      waiting.set(blob, near === undefined ? { bytes: loaded.bytes } : { bytes: loaded.bytes, near })
    return { kind: "file", blob, size: loaded.bytes.length, mode: loaded.mode }
  }
  return {
    state,
    sides: (sides, near) => {
      const base = state(sides.base, blobOf(near?.base))
      const current = sameLoaded(sides.base, sides.current)
        ? base
        : state(sides.current, blobOf(near?.current) ?? blobOf(base))
      return { base, current }
    },
    flush: async () => {
      if (waiting.size === 0) return
      await store.putBlobs([...waiting.values()])
      waiting.clear()
    },
  }
}

export function blobOf(state: State | undefined): BlobId | undefined {
  return state?.kind === "file" ? state.blob : undefined
}
