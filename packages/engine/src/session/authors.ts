import { applyMove, authorsOf, emptyWeave, type Authorship, type TextMove } from "@galley/core/change/authorship.ts"
import { linesOf, type Loaded } from "@galley/core/change/loaded.ts"
import type { SidesView } from "@galley/core/change/sides-view.ts"
import type { Change, Operation } from "@galley/core/history/operation.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import { sameState, type State } from "@galley/core/state.ts"
import type { Line } from "@galley/core/text/lines.ts"
import { loadState } from "./contents.ts"
import type { Session } from "./session.ts"

/**
 * Whose lines a pending item has, replayed from the log since nothing was pending at the path. Null where a side is no text.
 */
export async function authorshipOf(session: Session, path: WorkspacePath, view: SidesView): Promise<Authorship | null> {
  if (view.text === null) return null
  const moves = await movesSinceQuiet(session, path)
  const [first] = moves
  if (first === undefined) return null
  const read = await lineReader(session, path)
  let weave = emptyWeave((await read(first.change.before.base)) ?? [])
  for (const { operation, change } of moves) {
    const move = await textMove(read, operation, change)
    if (move === null) return null
    weave = applyMove(weave, move)
  }
  // What the log does not tell (a gap) counts as a person's: it is never removed unasked.
  const { base, current } = view.text
  weave = applyMove(weave, {
    base: { before: base, after: base },
    current: { before: current, after: current },
    actor: "person",
  })
  return authorsOf(weave, view.text.diff.hunks)
}

interface LoggedMove {
  readonly operation: Operation
  readonly change: Change
}

/** The path's changes since its base and current were last equal, oldest first. */
async function movesSinceQuiet(session: Session, path: WorkspacePath): Promise<LoggedMove[]> {
  const operations = await session.store.operations({ path })
  const moves = operations.flatMap(operation =>
    operation.changes.filter(change => change.path === path).map(change => ({ operation, change })),
  )
  // An undo or rewind that makes something pending again brings back lines whose authors stand earlier in the log.
  const quiet = moves.findLastIndex(
    ({ operation, change }) => moverOf(operation) !== "history" && sameState(change.before.base, change.before.current),
  )
  return moves.slice(Math.max(quiet, 0))
}

async function textMove(read: LineReader, operation: Operation, change: Change): Promise<TextMove | null> {
  const sides: { base?: Required<TextMove>["base"]; current?: Required<TextMove>["current"] } = {}
  for (const side of ["base", "current"] as const) {
    if (sameState(change.before[side], change.after[side])) continue
    const before = await read(change.before[side])
    const after = await read(change.after[side])
    if (before === null || after === null) return null
    sides[side] = { before, after }
  }
  return { ...sides, actor: moverOf(operation) }
}

function moverOf(operation: Operation): TextMove["actor"] {
  switch (operation.kind) {
    case "edit":
    case "command":
      return operation.actor === "person" ? "person" : "agent"
    case "external":
    case "git":
    case "write":
    case "recover":
      return "person"
    case "accept":
    case "reject":
    case "answer":
    case "rewind":
    case "undo":
    case "redo":
    case "park":
    case "unpark":
      return "history"
  }
}

type LineReader = (state: State) => Promise<readonly Line[] | null>

async function lineReader(session: Session, path: WorkspacePath): Promise<LineReader> {
  const charset = await session.charsetFor(path)
  const known = new Map<string, readonly Line[] | null>()
  return async state => {
    const key = state.kind === "file" ? state.blob : state.kind
    const found = known.get(key)
    if (found !== undefined) return found
    const loaded: Loaded = await loadState(session.store, state)
    const lines = linesOf(loaded, charset)
    known.set(key, lines)
    return lines
  }
}
