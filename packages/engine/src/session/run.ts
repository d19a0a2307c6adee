import type { Loaded } from "@galley/core/change/loaded.ts"
import type { Capture } from "@galley/core/history/operation.ts"
import { showPath } from "@galley/core/path.ts"
import { isPending } from "@galley/core/change/item.ts"
import type { ByProduct, DiskChange, Seen } from "../io/seen.ts"
import type { LayerEntry } from "../io/view-folder.ts"
import type { ViewRun } from "../io/view.ts"
import { loadState } from "./contents.ts"
import { errorCode } from "./disk-trouble.ts"
import { keepByProducts } from "./by-products.ts"
import { largestContent } from "./look.ts"
import { reviewModeOf } from "./policy.ts"
import { recordChange, type ChangeOutcome, type ProposedChange } from "./record.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/** What a command should see instead of the disk: everything that is held back. */
export async function pendingLayer(session: Session, aside: readonly LayerEntry[] = []): Promise<LayerEntry[]> {
  const layer = [...aside]
  for (const item of await session.store.items({ pending: true })) {
    if (item.disk !== "base" || !isPending(item)) continue
    const state = await loadState(session.store, item.current)
    switch (state.kind) {
      case "file": {
        // When it was last changed, so that a build does not take it for newer than what was made from it.
        const [last] = await session.store.operations({ path: item.path, limit: 1 })
        layer.push({ path: item.path, state: last === undefined ? state : { ...state, mtimeMs: last.at } })
        break
      }
      case "absent":
      case "symlink":
      case "folder":
        layer.push({ path: item.path, state })
        break
      case "other":
      case "unknown":
        break
    }
  }
  return layer
}

export interface CapturedRun {
  readonly capture: Capture
  readonly changes: readonly DiskChange[]
  readonly byProducts: readonly ByProduct[]
  readonly remarks: readonly string[]
  readonly refsMoved: ViewRun["refsMoved"]
  /** `refsMoved` are those that would have moved: they did not. */
  readonly refsDropped?: boolean
  /** The command wrote the disk itself (no view): it is only recorded. */
  readonly onDisk: boolean
}

/** Turns what a command changed into one operation of its message, made true as the review mode says. */
export async function recordRun(session: Session, call: SessionCall, run: CapturedRun): Promise<ChangeOutcome> {
  const mode = reviewModeOf(session, call.context)
  let changes: ProposedChange[] = []
  const special: string[] = []
  let unread = false
  for (const change of run.changes) {
    const after = await loadWithin(change.after, largestContent)
    const { state: before, moved } = await loadFound(session, change)
    const name = showPath(change.path)
    if (after.kind === "unknown") {
      const stays = run.onDisk ? "is on disk and cannot be reviewed" : "was not kept"
      special.push(`${name} ${stays}: it cannot be read, or is too large.`)
      unread ||= !run.onDisk
      continue
    }
    // It could not be taken back.
    if (before.kind === "unknown" && !moved && !run.onDisk) {
      special.push(`${name} was left as it was: what stands there cannot be read, or is larger than file.maxBytes.`)
      continue
    }
    if (after.kind === "other" && !run.onDisk) {
      special.push(`${name} (a ${after.what}) was not kept: only files, folders and symlinks are.`)
      continue
    }
    changes.push({
      path: change.path,
      after,
      expected: null,
      ...(change.renamedFrom === undefined ? {} : { renamedFrom: change.renamedFrom }),
      ...(change.goneFolders === undefined ? {} : { goneFolders: change.goneFolders }),
      ...(change.madeFolders === undefined ? {} : { madeFolders: change.madeFolders }),
      ...(change.link === undefined || change.link === "written" ? {} : { breaksLink: true }),
      ...(run.onDisk ? { onDisk: { seen: before } } : { from: { state: before, moved } }),
    })
  }
  if (unread) {
    // What was not kept may be what a deleted file was moved to: its text would be nowhere.
    for (const { path } of changes.filter(isDeletion))
      special.push(`${showPath(path)} was left as it was: it may have gone to what was not kept.`)
    changes = changes.filter(change => !isDeletion(change))
  }
  const kept = await keepByProducts(session, run.byProducts, {
    write: mode === "apply" && !run.onDisk,
    title: call.title,
    conversation: call.context.conversation ?? null,
  })
  const moves = run.refsMoved.map(move => refMove(move, run.refsDropped === true))
  const movedGit = run.refsMoved.length > 0 && run.refsDropped !== true
  const remarks = [...run.remarks, ...special, ...kept]
  const outcome = await recordChange(session, {
    context: call.context,
    kind: "command",
    title: call.title,
    capture: run.capture,
    changes,
    call: call.tool,
    began: call.began,
    movedGit,
    always: changes.length + run.refsMoved.length + kept.length > 0,
    ...(remarks.length + moves.length === 0 ? {} : { remark: [...moves, ...remarks].join("; ") }),
  })
  call.recorded.push(outcome)
  return { ...outcome, remarks: [...remarks, ...outcome.remarks] }
}

function isDeletion({ after }: ProposedChange): boolean {
  return after.kind === "absent"
}

function refMove({ ref, before, after }: ViewRun["refsMoved"][number], dropped: boolean): string {
  const from = before?.slice(0, 10) ?? "nothing"
  const to = after?.slice(0, 10) ?? "nothing"
  return dropped ? `${ref} would have moved from ${from} to ${to}; it did not` : `${ref} moved from ${from} to ${to}`
}

/** What a change began with: its bytes first, then whether they may be newer than that. */
async function loadFound(
  session: Session,
  change: DiskChange,
): Promise<{ readonly state: Loaded; readonly moved: boolean }> {
  try {
    const state = await loadWithin(change.before, session.config["file.maxBytes"])
    return { state, moved: change.movedSince() }
  } catch (error) {
    // It went, or became something else, since it was seen.
    if (change.movedSince()) return { state: { kind: "unknown" }, moved: true }
    throw error
  }
}

/** Unknown where it is too large to be kept, or the system does not let us read it: one such file must not cost the others. */
async function loadWithin(seen: Seen, limit: number): Promise<Loaded> {
  if (seen.kind === "file" && seen.size > limit) return { kind: "unknown" }
  try {
    return await loadSeen(seen)
  } catch (error) {
    if (["EACCES", "EPERM", "EIO"].includes(errorCode(error))) return { kind: "unknown" }
    throw error
  }
}

export async function loadSeen(seen: Seen): Promise<Loaded> {
  return seen.kind === "file" ? { kind: "file", bytes: await seen.read(), mode: seen.mode } : seen
}
