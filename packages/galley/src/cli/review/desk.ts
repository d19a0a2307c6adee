import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, extname, join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import type { Requests, Workspace } from "@galley/engine/workspace.ts"
import { endingOf } from "../exit.ts"
import { inertLine } from "../inert.ts"
import type { Look } from "../look.ts"
import type { Terminal } from "../terminal.ts"
import { textToEdit, withEdited } from "./edited.ts"
import type { Effect } from "./effect.ts"
import type { Shown } from "./sentences.ts"
import { type Content, keyOfSpot, namedFile, placeOf, type Spot } from "./spots.ts"
import { contentOfSpot, currentSpot, newReview, type ReviewState, spotsIn } from "./state.ts"
import {
  toldContent,
  toldBack,
  toldDone,
  toldFailure,
  toldFound,
  toldMessages,
  toldOthers,
  toldStatus,
} from "./told.ts"

/** What a review works with. Both manners, full screen and plain, carry out effects here. */
export interface Desk {
  readonly workspace: Workspace
  /** As the person. */
  readonly requests: Requests
  readonly terminal: Terminal
  readonly look: Look
  readonly shown: Shown
  readonly signal: AbortSignal
  /** Only these files and folders; null: all. */
  readonly paths: readonly string[] | null
  readonly message: string | null
  /** A shell text that opens an editor on the file named after it. */
  readonly editor: string
}

export async function beginReview(desk: Desk): Promise<ReviewState> {
  const state = newReview(await statusOf(desk))
  if (desk.message === null) return withContent(desk, state)
  const [message] = (await desk.requests.log({ messages: [desk.message] })).messages
  if (message === undefined)
    throw new Failure("NOT_FOUND", `There is no message ${desk.message}.`, "galley log lists the messages.")
  const paths = message.files.map(file => file.path)
  return withContent(desk, { ...state, message: { id: message.id, title: message.title, paths } })
}

/** Does what a key asked for, and looks at what stands then. What the workspace refuses is told in the state. */
export async function perform(desk: Desk, state: ReviewState, effect: Effect): Promise<ReviewState> {
  try {
    const done = await carryOut(desk, state, effect)
    if (!changes(effect)) return await withContent(desk, done)
    const told = effect.kind === "undo" || effect.kind === "redo" ? toldBack : toldStatus
    return await withContent(desk, told(done, await statusOf(desk)))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const now = toldStatus({ ...state, resume: null }, await statusOf(desk))
    return withContent(desk, toldFailure(now, effect, endingOf(error).data))
  }
}

/** Looks again, after somebody else did something. */
export async function lookAgain(desk: Desk, state: ReviewState): Promise<ReviewState> {
  return withContent(desk, toldOthers(state, await statusOf(desk)))
}

/** Reads the file that is shown, where it is not known as it stands. */
export async function withContent(desk: Desk, before: ReviewState): Promise<ReviewState> {
  let state = before
  // A file that changes between two looks is looked at again; one that never rests is shown as "reading" until the next look.
  for (let tries = 0; tries < 3; tries++) {
    const spot = currentSpot(state)
    if (spot === null || spot.kind === "call" || contentOfSpot(state, spot) !== null) return state
    const content = await contentOf(desk, spot)
    if (content === null) return toldStatus(state, await statusOf(desk))
    state = toldContent(state, content)
    if (contentOfSpot(state, currentSpot(state)) === null) state = toldStatus(state, await statusOf(desk))
  }
  return state
}

async function contentOf(desk: Desk, spot: Exclude<Spot, { kind: "call" }>): Promise<Content | null> {
  try {
    const content = await desk.requests.file(namedFile(spot.file))
    if (content.file.hunks.length > 0 || content.file.parked) return content
    const { diff } = await desk.requests.diff(namedFile(spot.file))
    return { ...content, diff: `${diff}${spot.file.kinds.includes("symlink") ? await leads(desk, spot) : ""}` }
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

/** Where a link led, and where it is to lead. */
async function leads(desk: Desk, spot: Exclude<Spot, { kind: "call" }>): Promise<string> {
  const target = async (side: "base" | "current", sign: string): Promise<string> => {
    const { absent, text } = await desk.requests.cat({ ...namedFile(spot.file), side })
    return absent || text === undefined ? "" : `${sign} leads to ${inertLine(text)}\n`
  }
  return `${await target("base", "-")}${await target("current", "+")}`
}

function statusOf({ requests, paths }: Desk) {
  return requests.status(paths === null ? {} : { paths: [...paths] })
}

function changes(effect: Effect): boolean {
  return !["find", "listMessages", "redraw", "suspend", "quit"].includes(effect.kind)
}

async function carryOut(desk: Desk, state: ReviewState, effect: Effect): Promise<ReviewState> {
  const { requests } = desk
  switch (effect.kind) {
    case "decide": {
      const result = await requests[effect.decision](effect.selection)
      return toldDone(state, effect, result.operation === null ? null : (result.title ?? "Done"))
    }
    case "answer": {
      const { id, decision, reason } = effect
      await requests.answer({ id, decision, ...(reason === "" ? {} : { reason }) })
      return toldDone(state, effect, null)
    }
    case "undo":
    case "redo": {
      const how = effect.onConflict === null ? {} : { onConflict: effect.onConflict }
      const result = await requests[effect.kind](how)
      const title = effect.kind === "undo" ? state.undo : state.redo
      return toldDone(
        state,
        effect,
        result.operation === null ? null : (title ?? result.title ?? "the newest decision"),
      )
    }
    case "comment": {
      const line = effect.line === null ? {} : { line: effect.line }
      await requests.comment({ ...namedFile(effect.file), ...line, text: effect.text })
      const contents = new Map(state.contents)
      contents.delete(effect.file.id)
      return toldDone({ ...state, contents }, effect, null)
    }
    case "mark": {
      const off = effect.file.reviewed === true
      await requests.mark({ ...namedFile(effect.file), ...(off ? { off } : {}) })
      return toldDone(state, effect, off ? "No longer marked as looked at." : null)
    }
    case "edit":
      return toldDone(state, effect, await edit(desk, state, effect))
    case "find":
      return find(desk, state, effect.text)
    case "listMessages":
      return toldMessages(state, await requests.log({}))
    case "redraw":
    case "suspend":
    case "quit":
      return state
  }
}

/** Searches from the spot after the shown one, around to it; files are read as they are come to. */
async function find(desk: Desk, before: ReviewState, text: string): Promise<ReviewState> {
  const wanted = text.toLowerCase()
  const spots = spotsIn(before)
  let state = before
  for (let step = 1; step <= spots.length; step++) {
    const spot = spots[(before.at + step) % spots.length]
    if (spot === undefined) break
    if (spot.kind !== "call" && contentOfSpot(state, spot) === null) {
      const content = await contentOf(desk, spot)
      if (content !== null) state = toldContent(state, content)
    }
    if (textOf(state, spot).toLowerCase().includes(wanted)) return toldFound(state, text, keyOfSpot(spot))
  }
  return toldFound(state, text, null)
}

function textOf(state: ReviewState, spot: Spot): string {
  if (spot.kind === "call") return [spot.call.title, spot.call.command, spot.call.diff].join("\n")
  const content = contentOfSpot(state, spot)
  if (spot.kind === "whole" || content === null) return `${spot.file.path}\n${content?.diff ?? ""}`
  const place = placeOf(spot.hunk)
  const old = (content.base ?? "").split("\n").slice(place.fromBase, place.toBase)
  const now = (content.current ?? "").split("\n").slice(place.fromCurrent, place.toCurrent)
  return [spot.file.path, ...old, ...now].join("\n")
}

/** Opens the person's editor on the proposed lines. Null where they came back as they were. */
async function edit(desk: Desk, state: ReviewState, effect: Extract<Effect, { kind: "edit" }>): Promise<string | null> {
  const spot: Spot = { kind: "hunk", file: effect.file, hunk: effect.hunk }
  const content = contentOfSpot(state, spot)
  if (content === null || content.current === null) throw new Failure("NOT_TEXT", "There is no text to edit here.")
  const place = placeOf(effect.hunk)
  const folder = await mkdtemp(join(tmpdir(), "galley-edit-"))
  try {
    const name = basename(effect.file.path).replace(/[^A-Za-z0-9._-]/g, "_")
    const file = join(folder, name === "" || name === extname(name) ? `hunk${extname(name)}` : name)
    await writeFile(file, textToEdit(content.current, place), { mode: 0o600 })
    const code = await desk.terminal.foreground(["/bin/sh", "-c", `${desk.editor} "$1"`, "sh", file])
    if (code !== 0) throw new Failure("DENIED", `The editor ended with exit code ${code}; nothing was changed.`)
    const text = withEdited(content.current, place, decoded(await readFile(file)))
    if (text === null) return null
    await desk.requests.write({ ...namedFile(effect.file), text, revision: effect.file.revision })
    return "Edited: what you wrote is yours. y takes the hunk, u takes the edit back"
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Failure("NOT_TEXT", "What came back from the editor is not UTF-8; nothing was changed.")
  }
}
