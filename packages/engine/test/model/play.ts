import type { Loaded } from "@galley/core/change/loaded.ts"
import { Failure } from "@galley/core/failure.ts"
import type { OnConflict } from "@galley/core/protocol/requests.ts"
import { joinLines, splitLines } from "@galley/core/text/lines.ts"
import * as fc from "fast-check"
import { expect } from "vitest"
import { keptTexts, marksIn, shownIsSo, snapshot } from "./laws.ts"
import { makeWorld, type World } from "./world.ts"

export const paths = ["a.txt", "b.txt", "dir/new.txt"] as const

const start = {
  "a.txt": "B1\nB2\nB3\nB4\nB5\nB6\nB7\n",
  "b.txt": "{\n  B11\n}\n\n{\n  B12\n}\n\n{\n  B13\n}",
}

/** An edit of lines; `at` counts modulo what is there. */
interface LineEdit {
  readonly how:
    | "insert"
    | "alter"
    | "delete"
    | "replace"
    | "file"
    /** A line that others are equal to. */
    | "brace"
    /** Lines change places. */
    | "swap"
    /** The last line loses or gets its end; all ends change to CRLF and back. */
    | "open"
    | "ends"
  readonly at: number
  readonly count: number
}

export type Command =
  | {
      readonly do: "agent"
      readonly who: "c1" | "c2"
      readonly hold: boolean
      readonly path: number
      readonly edit: LineEdit
    }
  | {
      readonly do: "turn"
      readonly who: "c1" | "c2"
      readonly hold: boolean
      readonly path: number
      readonly into: "symlink" | "binary" | "mode" | "rename"
    }
  | { readonly do: "outside"; readonly path: number; readonly edits: readonly LineEdit[] }
  | { readonly do: "write"; readonly path: number; readonly edit: LineEdit }
  | {
      readonly do: "decide"
      readonly decision: "accept" | "reject"
      readonly what: "hunk" | "lines" | "file" | "message" | "all"
      readonly at: number
      readonly path: number
      readonly on: OnConflict
    }
  | {
      readonly do: "rewind"
      readonly at: number
      readonly after: boolean
      readonly on: OnConflict
    }
  | { readonly do: "undo"; readonly on: OnConflict }
  | { readonly do: "redo"; readonly on: OnConflict }
  | { readonly do: "message"; readonly who: "c1" | "c2" }
  | { readonly do: "look" }
  | { readonly do: "reopen" }
  | {
      readonly do: "git"
      readonly what: "commit" | "commitFile" | "switch" | "stash" | "pop" | "restore" | "amend" | "reset"
    }

const number = fc.nat(40)
const lineEdit = fc.record({
  how: fc.constantFrom<LineEdit["how"][]>(
    ...(["insert", "insert", "insert", "alter", "alter", "alter", "delete", "delete", "replace", "replace"] as const),
    ...(["file", "brace", "swap", "open", "ends"] as const),
  ),
  at: number,
  count: fc.integer({ min: 1, max: 3 }),
})
const who = fc.constantFrom("c1" as const, "c2" as const)
const on = fc.constantFrom<OnConflict[]>("stop", "stop", "keep-mine", "take-theirs")
const path = fc.nat(paths.length - 1)

export function commands(options: {
  readonly git: boolean
  readonly hold: "never" | "always" | "both"
  readonly accept: boolean
}): fc.Arbitrary<Command> {
  const hold = options.hold === "both" ? fc.boolean() : fc.constant(options.hold === "always")
  const decision = options.accept
    ? fc.constantFrom("accept" as const, "reject" as const)
    : fc.constant("reject" as const)
  const all: fc.WeightedArbitrary<Command>[] = [
    { weight: 8, arbitrary: fc.record({ do: fc.constant("agent" as const), who, hold, path, edit: lineEdit }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("turn" as const),
        who,
        hold,
        path,
        into: fc.constantFrom("symlink" as const, "binary" as const, "mode" as const, "rename" as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("outside" as const),
        path,
        edits: fc.array(lineEdit, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("write" as const), path, edit: lineEdit }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("decide" as const),
        decision,
        what: fc.constantFrom(
          "hunk" as const,
          "hunk" as const,
          "lines" as const,
          "file" as const,
          "message" as const,
          "all" as const,
        ),
        at: number,
        path,
        on,
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("rewind" as const), at: number, after: fc.boolean(), on }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("undo" as const), on }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("redo" as const), on }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("message" as const), who }) },
    { weight: 1, arbitrary: fc.constant({ do: "look" as const }) },
    { weight: 1, arbitrary: fc.constant({ do: "reopen" as const }) },
  ]
  if (options.git)
    all.push({
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant("git" as const),
        what: fc.constantFrom("commit", "commitFile", "switch", "stash", "pop", "restore", "amend", "reset"),
      }),
    })
  return fc.oneof(...all)
}

/** Plays the commands and holds the laws after each; throws what breaks one. */
export async function play(
  script: readonly Command[],
  options: { readonly git: boolean; readonly accept: boolean },
): Promise<void> {
  const world = await makeWorld(options.git ? "git" : "memory", start)
  const game: Game = { world, wrote: new Set(), gone: new Set(), marks: 0 }
  try {
    for (const command of script) {
      await act(game, command)
      await shownIsSo(world)
      await nothingLost(game)
    }
    // Once the person has kept a line of an agent that they had altered, it is theirs.
    const kept = script.some(command => "on" in command && command.on === "keep-mine")
    if (!options.accept && !options.git) await rejectingAllLeavesNothing(game, kept ? "keep-mine" : "take-theirs")
  } finally {
    world.end()
  }
}

interface Game {
  readonly world: World
  /** Marks of lines that the person wrote and did not take out themselves. */
  readonly wrote: Set<string>
  /** Marks of lines of the start that the person took out. */
  readonly gone: Set<string>
  marks: number
}

async function act(game: Game, command: Command): Promise<void> {
  const { world } = game
  switch (command.do) {
    case "agent":
      return allowed(() =>
        world.change(command.who, command.hold ? "hold" : "apply", paths[command.path] ?? "a.txt", seen =>
          loadedOf(edited(game, textOf(seen), command.edit, "A")),
        ),
      )
    case "turn":
      return allowed(() => turnInto(game, command))
    case "outside": {
      const name = paths[command.path] ?? "a.txt"
      const before = await world.read(name)
      if (before?.includes("\0") === true) return
      let after = before
      for (const edit of command.edits) after = edited(game, after, edit, "P")
      await world.write(name, after)
      // With the file go all its lines, those too that an agent's proposal had taken out; a file made anew is the person's.
      if (after === null || before === null)
        for (const mark of marksIn(Object.values(start).join(""), "B")) game.gone.add(mark)
      return changedByPerson(game, before, after)
    }
    case "write":
      return allowed(() => writeProposal(game, command))
    case "decide":
      return allowed(() => decide(game, command))
    case "rewind":
      return allowed(() => rewindAndBack(game, command))
    case "undo":
      await allowed(() => world.person.undo({ onConflict: command.on }))
      return
    case "redo":
      await allowed(() => world.person.redo({ onConflict: command.on }))
      return
    case "message":
      await world.person.message({ text: `message of ${command.who}`, conversation: command.who })
      return
    case "look":
      return
    case "reopen":
      return world.reopen()
    case "git":
      return moveGit(game, command.what)
  }
}

async function turnInto(game: Game, command: Extract<Command, { do: "turn" }>): Promise<void> {
  const name = paths[command.path] ?? "a.txt"
  const mode = command.hold ? ("hold" as const) : ("apply" as const)
  switch (command.into) {
    case "symlink":
      return game.world.change(command.who, mode, name, () => ({ kind: "symlink", target: `A${++game.marks}` }))
    case "binary":
      return game.world.change(command.who, mode, name, seen => ({
        kind: "file",
        bytes: new Uint8Array([0, 255, ++game.marks % 256]),
        mode: seen.kind === "file" ? seen.mode : 0o644,
      }))
    case "mode":
      return game.world.change(command.who, mode, name, seen =>
        seen.kind === "file" ? { ...seen, mode: seen.mode === 0o644 ? 0o755 : 0o644 } : seen,
      )
    case "rename":
      return game.world.rename(command.who, mode, name, paths[(command.path + 1) % paths.length] ?? "b.txt")
  }
}

async function writeProposal(game: Game, command: Extract<Command, { do: "write" }>): Promise<void> {
  const { person } = game.world
  const name = paths[command.path] ?? "a.txt"
  await person.status({})
  const seen = await person.cat({ path: name, side: "current" })
  if (!seen.absent && (seen.text === undefined || (await isLink(game, name)))) return
  const before = seen.absent ? null : (seen.text ?? "")
  const after = edited(
    game,
    before,
    command.edit.how === "file" ? { ...command.edit, how: "insert" } : command.edit,
    "P",
  )
  await person.write({ path: name, text: after ?? "" })
  changedByPerson(game, before, after)
}

async function isLink(game: Game, name: string): Promise<boolean> {
  const item = await game.world.store.item(name)
  return item !== null && (item.current.kind === "symlink" || item.base.kind === "symlink")
}

async function decide(game: Game, command: Extract<Command, { do: "decide" }>): Promise<void> {
  const { person } = game.world
  const { files } = await person.status({})
  const pending = files.filter(file => !file.parked)
  const file = pending[command.at % Math.max(pending.length, 1)]
  const hunk = file?.hunks[command.path % Math.max(file.hunks.length, 1)]
  const request = person[command.decision]
  switch (command.what) {
    case "all":
      await request({ all: true, onConflict: command.on })
      return
    case "message": {
      const { messages } = await person.log({})
      const message = messages[command.at % Math.max(messages.length, 1)]
      if (message !== undefined) await request({ message: message.id, onConflict: command.on })
      return
    }
    case "file":
      if (file !== undefined) await request({ path: file.path, onConflict: command.on })
      return
    case "hunk":
      if (file !== undefined && hunk !== undefined)
        await request({ path: file.path, hunks: [hunk.id], onConflict: command.on })
      return
    case "lines":
      if (file === undefined || hunk === undefined || hunk.newLines === 0) return
      await request({
        path: file.path,
        lines: { new: { from: hunk.newStart, to: hunk.newStart } },
        revision: file.revision,
        onConflict: command.on,
      })
      return
  }
}

/** Rewinds; at once undoes it, which must bring everything back, and does it again, which must lead to where it led. */
async function rewindAndBack(game: Game, command: Extract<Command, { do: "rewind" }>): Promise<void> {
  const { world } = game
  const { messages } = await world.person.log({})
  const message = messages[command.at % Math.max(messages.length, 1)]
  if (message === undefined) return
  await world.person.status({})
  const before = await snapshot(world, paths)
  const done = await world.person.rewind({ message: message.id, after: command.after, onConflict: command.on })
  if (done.operation === null) return
  const there = await snapshot(world, paths)
  await world.person.undo({ operation: done.operation })
  expect(await snapshot(world, paths), "rewind, then undo").toEqual(before)
  await world.person.redo({})
  expect(await snapshot(world, paths), "undo, then redo").toEqual(there)
}

async function moveGit(game: Game, what: Extract<Command, { do: "git" }>["what"]): Promise<void> {
  const { world } = game
  const before = new Map<string, string | null>()
  for (const name of paths) before.set(name, await world.read(name))
  switch (what) {
    case "commit":
      world.git("add", "-A")
      world.git("commit", "-q", "-m", "all")
      break
    case "commitFile":
      world.git("commit", "-q", "-m", "a", "a.txt")
      break
    case "switch":
      if (!world.git("switch", "-q", "other")) world.git("switch", "-q", "main")
      break
    case "stash":
      world.git("stash", "-q", "-u")
      break
    case "pop":
      world.git("stash", "pop", "-q")
      break
    case "restore":
      world.git("checkout", "-q", "--", "a.txt")
      break
    case "amend":
      world.git("commit", "-q", "-a", "--amend", "-m", "again")
      break
    case "reset":
      world.git("reset", "-q", "--hard")
      break
  }
  // What the person's own git command took off the disk is git's to keep, or was thrown away on purpose.
  for (const name of paths) changedByPerson(game, before.get(name) ?? null, await world.read(name))
}

async function nothingLost(game: Game): Promise<void> {
  let there = ""
  for (const name of paths) there += `${(await game.world.read(name)) ?? ""}\n`
  const missing = [...game.wrote].filter(mark => !marksIn(there, "P").has(mark))
  if (missing.length === 0) return
  const kept = marksIn(await keptTexts(game.world), "P")
  expect(
    missing.filter(mark => !kept.has(mark)),
    "lines of the person that are nowhere",
  ).toEqual([])
}

/** Where nothing was accepted, rejecting everything leaves no agent's line and no hole where an agent took a line out. */
async function rejectingAllLeavesNothing(game: Game, onConflict: "keep-mine" | "take-theirs"): Promise<void> {
  const { world } = game
  await world.person.reject({ all: true, onConflict })
  const { files } = await world.person.status({})
  expect(
    files.map(file => file.path),
    "pending after all was rejected",
  ).toEqual([])
  const texts: string[] = []
  for (const name of paths) texts.push((await world.read(name)) ?? "")
  const lines = texts.flatMap(splitLines)
  expect(
    lines.filter(
      line => marksIn(line, "A").size > 0 && (onConflict === "take-theirs" || marksIn(line, "P").size === 0),
    ),
    "lines of agents after all was rejected",
  ).toEqual([])
  // An agent's line that a person altered, and keeps, stands in the place of the line that the agent had replaced.
  if (onConflict === "keep-mine") return
  const there = marksIn(texts.join("\n"), "B")
  const lost = [...marksIn(Object.values(start).join(""), "B")].filter(mark => !there.has(mark) && !game.gone.has(mark))
  expect(lost, "lines of the start that nobody but an agent took out").toEqual([])
}

/** Runs what may be refused: a refusal is a `Failure`, anything else is a bug. */
async function allowed(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    expect(
      ["CONFLICT", "NOT_FOUND", "STALE_REVISION", "BAD_ARGUMENT", "FILE_CHANGED_SINCE_READ"],
      error.message,
    ).toContain(error.code)
  }
}

function edited(game: Game, text: string | null, edit: LineEdit, by: "A" | "P"): string | null {
  const lines = text === null ? [] : splitLines(text)
  const fresh = (): string => `${by}${++game.marks}`
  const at = lines.length === 0 ? 0 : edit.at % lines.length
  const count = Math.min(edit.count, lines.length - at)
  const some = (): string[] => Array.from({ length: edit.count }, () => `${fresh()}\n`)
  switch (edit.how) {
    case "brace":
      return joinLines([...lines.slice(0, at), "}\n", ...lines.slice(at)])
    case "swap": {
      const moved = lines.slice(at, at + count)
      const rest = [...lines.slice(0, at), ...lines.slice(at + count)]
      const closed = [...rest, ...moved].map(line => (line.endsWith("\n") ? line : `${line}\n`))
      const place = (at + 2) % (rest.length + 1)
      return joinLines([...closed.slice(0, place), ...closed.slice(rest.length), ...closed.slice(place, rest.length)])
    }
    case "open":
      return text === null ? null : text.endsWith("\n") ? text.slice(0, -1) : `${text}\n`
    case "ends":
      return text === null
        ? null
        : text.includes("\r\n")
          ? text.replaceAll("\r\n", "\n")
          : text.replaceAll("\n", "\r\n")
    case "insert": {
      const place = edit.at % (lines.length + 1)
      const last = place === lines.length ? lines.at(-1) : undefined
      const closed = last !== undefined && !last.endsWith("\n") ? [...lines.slice(0, -1), `${last}\n`] : lines
      return joinLines([...closed.slice(0, place), ...some(), ...closed.slice(place)])
    }
    case "alter":
      return joinLines(
        lines.map((line, index) =>
          index >= at && index < at + count ? line.replace(/(\r?\n)?$/, ` ~${fresh()}$1`) : line,
        ),
      )
    case "delete":
      return joinLines([...lines.slice(0, at), ...lines.slice(at + count)])
    case "replace":
      return joinLines([...lines.slice(0, at), ...some(), ...lines.slice(at + count)])
    case "file":
      return text === null ? joinLines(some()) : null
  }
}

/** The person made one text of another: what they wrote in it counts from now, what they took out no longer. */
function changedByPerson(game: Game, before: string | null, after: string | null): void {
  const stood = marksIn(before, "P")
  for (const mark of marksIn(after, "P")) if (!stood.has(mark)) game.wrote.add(mark)
  for (const letter of ["P", "B"] as const) {
    const left = marksIn(after, letter)
    for (const mark of marksIn(before, letter))
      if (!left.has(mark)) {
        game.wrote.delete(mark)
        game.gone.add(mark)
      }
  }
}

function textOf(state: Loaded): string | null {
  return state.kind === "file" && !state.bytes.includes(0) ? Buffer.from(state.bytes).toString("utf8") : null
}

function loadedOf(text: string | null): Loaded {
  return text === null ? { kind: "absent" } : { kind: "file", bytes: new Uint8Array(Buffer.from(text)), mode: 0o644 }
}
