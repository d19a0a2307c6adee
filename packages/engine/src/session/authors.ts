import { applyMove, authorsOf, emptyWeave, type Authorship, type TextMove } from "@galley/core/change/authorship.ts"
import { linesOf, type Loaded } from "@galley/core/change/loaded.ts"
import type { SidesView } from "@galley/core/change/sides-view.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import { sameState, type State } from "@galley/core/state.ts"
import type { Line } from "@galley/core/text/lines.ts"
import { loadState } from "./contents.ts"
import { movesSinceQuiet, moverOf, type LoggedMove } from "./moves.ts"
import type { Session } from "./session.ts"

/**
 * Whose lines a pending item has, replayed from the log since nothing was pending at the path. Null where a side is no text, and where no
 * line differs.
 */
export async function authorshipOf(session: Session, path: WorkspacePath, view: SidesView): Promise<Authorship | null> {
  // Where no line differs (a mode, an encoding) there is nobody's line to tell, in files of megabytes too.
  if (view.text === null || view.text.diff.hunks.length === 0) return null
  const moves = await movesSinceQuiet(session, path)
  const [first] = moves
  if (first === undefined) return null
  const read = await lineReader(session, path)
  let known: Known = { base: (await read(first.change.before.base)) ?? [], current: [] }
  known = { ...known, current: (await read(first.change.before.current)) ?? known.base }
  let weave = emptyWeave(known.base)
  for (const logged of moves) {
    const move = await textMove(read, logged, known)
    known = { base: move.base?.after ?? known.base, current: move.current?.after ?? known.current }
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

interface Known {
  readonly base: readonly Line[]
  readonly current: readonly Line[]
}

/** A side that is no text for a while (binary, expired, purged) stands still meanwhile, in the form it last had. */
async function textMove(read: LineReader, { operation, change }: LoggedMove, known: Known): Promise<TextMove> {
  const sides: { base?: Required<TextMove>["base"]; current?: Required<TextMove>["current"] } = {}
  for (const side of ["base", "current"] as const) {
    if (sameState(change.before[side], change.after[side])) continue
    const before = (await read(change.before[side])) ?? known[side]
    const after = await read(change.after[side])
    if (after !== null) sides[side] = { before, after }
  }
  return { ...sides, actor: moverOf(operation) }
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
