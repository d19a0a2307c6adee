import type { LogResult, StatusResult } from "@galley/core/protocol/results.ts"
import type { FailureData } from "@galley/core/failure.ts"
import type { DecideEffect, Effect } from "./effect.ts"
import { type Content, keyOfSpot } from "./spots.ts"
import {
  complainOf,
  contentOfSpot,
  currentSpot,
  goTo,
  goToKey,
  partsIn,
  type ReviewState,
  say,
  spotsIn,
} from "./state.ts"

/** The state with what stands now, at the same spot if it is still there, else at the one that took its place. */
export function toldStatus(before: ReviewState, status: StatusResult): ReviewState {
  const shown = currentSpot(before)
  const state: ReviewState = {
    ...before,
    waiting: status.waiting,
    files: status.files,
    notices: status.notices ?? [],
    contents: new Map([...before.contents].filter(([id]) => status.files.some(file => file.id === id))),
    undo: status.undo?.title ?? null,
    redo: status.redo?.title ?? null,
    resume: null,
  }
  const kept = shown === null ? -1 : spotsIn(state).findIndex(spot => keyOfSpot(spot) === keyOfSpot(shown))
  if (kept >= 0 && before.resume === null) return { ...state, at: kept }
  const { part, mode } = before
  const moved = goTo(state, resumeAt(state, before))
  // Parts go on in what is left of the hunk that they were made of; a half-typed comment is not lost by what others do.
  const inParts = part !== null && before.resume !== null && currentSpot(moved)?.kind === "hunk"
  return {
    ...moved,
    part: inParts ? 0 : null,
    mode: mode.kind === "lines" || mode.kind === "choosing" ? { kind: "browse" } : mode,
  }
}

function resumeAt(state: ReviewState, before: ReviewState): number {
  const { resume, at } = before
  if (resume === null) return at
  const spots = spotsIn(state)
  const found = spots.findIndex(
    spot =>
      spot.kind === "hunk" &&
      spot.file.id === resume.file &&
      (spot.hunk.newLines === 0 ? spot.hunk.newStart : spot.hunk.newStart - 1) >= resume.fromCurrent,
  )
  return found >= 0 ? found : at
}

/** A file's texts arrived. */
export function toldContent(state: ReviewState, content: Content): ReviewState {
  const next = { ...state, contents: new Map(state.contents).set(content.file.id, content) }
  // Parts of a hunk that has only one line left are the hunk.
  return next.part !== null && contentOfSpot(next, currentSpot(next)) !== null && partsIn(next).length < 2
    ? { ...next, part: null }
    : next
}

/** After an undo: at what came back, so that the next key is about that. */
export function toldBack(before: ReviewState, status: StatusResult): ReviewState {
  const known = new Set(spotsIn(before).map(keyOfSpot))
  const state = toldStatus(before, status)
  const back = spotsIn(state).find(spot => !known.has(keyOfSpot(spot)))
  return (back === undefined ? null : goToKey(state, keyOfSpot(back))) ?? state
}

/** Somebody else decided or changed something. Says so where it is about what is shown. */
export function toldOthers(before: ReviewState, status: StatusResult): ReviewState {
  const shown = currentSpot(before)
  const state = toldStatus(before, status)
  const now = currentSpot(state)
  if (shown === null) return now === null ? state : say(state, "There is something new to review.")
  if (now === null || keyOfSpot(now) !== keyOfSpot(shown)) return say(state, "What was shown was decided elsewhere.")
  const revised = shown.kind !== "call" && now.kind !== "call" && shown.file.revision !== now.file.revision
  return revised ? say(state, "The file was changed meanwhile; this is how it stands now.") : state
}

export function toldDone(state: ReviewState, effect: Effect, title: string | null): ReviewState {
  switch (effect.kind) {
    case "decide": {
      const { decision, count, resume } = effect
      if (title === null) return say(state, "There was nothing to decide.")
      const tally =
        decision === "accept"
          ? { ...state.tally, accepted: state.tally.accepted + count }
          : { ...state.tally, rejected: state.tally.rejected + count }
      const past = title.replace(/^Accept /, "Accepted ").replace(/^Reject /, "Rejected ")
      return say({ ...state, tally, resume }, `${past}. u takes it back.`)
    }
    case "answer":
      return say(state, effect.decision === "allow" ? "Allowed." : "Denied; it is taken back.")
    case "undo":
      return title === null
        ? say(state, "There is nothing to undo.")
        : say(
            { ...state, tally: { ...state.tally, undone: state.tally.undone + 1 } },
            `Undone: ${title}. U does it again.`,
          )
    case "redo":
      return title === null
        ? say(state, "There is nothing to redo.")
        : say(
            { ...state, tally: { ...state.tally, undone: Math.max(0, state.tally.undone - 1) } },
            `Done again: ${title}.`,
          )
    case "comment":
      return say(state, "The agent is told at its next contact.")
    case "edit":
      return say(state, title ?? "It was not changed.")
    case "mark":
      return say(state, title ?? "Marked as looked at.")
    case "find":
    case "listMessages":
    case "redraw":
    case "suspend":
    case "quit":
      return state
  }
}

/** A refusal: nothing was changed. Where a choice settles it, the choice is offered. */
export function toldFailure(state: ReviewState, effect: Effect, failure: FailureData): ReviewState {
  const chosen =
    effect.kind === "decide" ? effect.selection.onConflict : "onConflict" in effect ? effect.onConflict : null
  if (failure.code === "CONFLICT" && isDecision(effect) && (chosen === undefined || chosen === null))
    return { ...state, mode: { kind: "choosing", effect, reason: failure.message } }
  if (failure.code === "STALE_REVISION")
    return complainOf(state, "It has changed since it was shown; nothing was decided. This is how it stands now.")
  return complainOf(state, failure.hint === undefined ? failure.message : `${failure.message} ${failure.hint}`)
}

function isDecision(effect: Effect): effect is DecideEffect {
  return effect.kind === "decide" || effect.kind === "undo" || effect.kind === "redo"
}

export function toldFound(state: ReviewState, text: string, key: string | null): ReviewState {
  const found = key === null ? null : goToKey(state, key)
  return found ?? complainOf(state, `Nothing pending has ${text}.`)
}

/** The messages whose files are pending, newest first. */
export function toldMessages(state: ReviewState, log: LogResult): ReviewState {
  const pending = new Set(state.files.map(file => file.path))
  const options = log.messages
    .filter(message => message.files.some(file => pending.has(file.path)))
    .sort((a, b) => b.createdAt - a.createdAt)
    .map(message => ({ label: message.title, value: message.id, paths: message.files.map(file => file.path) }))
  if (options.length === 0) return complainOf(state, "No message has changes that are pending.")
  return { ...state, mode: { kind: "picking", what: "message", options, at: 0 } }
}
