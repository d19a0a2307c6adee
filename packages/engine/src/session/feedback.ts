import type { ConversationId, Operation } from "@galley/core/history/operation.ts"
import { showPath, type WorkspacePath } from "@galley/core/path.ts"
import type { Note } from "../store/store.ts"
import type { Turn } from "./commit.ts"
import { diffOfSides } from "./diff-text.ts"
import type { SubjectView } from "./file-view.ts"
import type { Session } from "./session.ts"

/** An agent is told at most this much at once; the rest is counted. */
const mostCharacters = 2000

/**
 * What the person did since the agent's last contact, in a few lines for the model, and marks it as told: each thing is told once.
 * Null when there is nothing.
 */
export async function takeNotes(session: Session, conversation: ConversationId): Promise<string | null> {
  const waiting = await session.store.notes({ undelivered: true })
  const mine = waiting.filter(note => note.conversation === null || note.conversation === conversation)
  if (mine.length === 0) return null
  return session.lock.hold(async () => {
    // Another contact of the same conversation may have taken them meanwhile.
    const still = new Set((await session.store.notes({ undelivered: true })).map(note => note.id))
    const notes = mine.filter(note => still.has(note.id))
    if (notes.length === 0) return null
    await session.store.commit({ notes: notes.map(note => ({ ...note, deliveredAt: session.env.now() })) })
    return wordNotes(notes)
  })
}

export function wordNotes(notes: readonly Note[]): string {
  const lines: string[] = []
  let length = 0
  for (const [at, note] of notes.entries()) {
    const line = `- ${wordNote(note)}`
    if (length + line.length > mostCharacters && at > 0) {
      lines.push(`- … and ${notes.length - at} more.`)
      break
    }
    lines.push(line)
    length += line.length
  }
  return `Since your last call the person reviewed your work:\n${lines.join("\n")}`
}

/** Notes on what was rejected, one for each file, with the text that did not please. */
export async function rejectedNotes(
  session: Session,
  decided: readonly { readonly shown: SubjectView; readonly turns: readonly Turn[] }[],
): Promise<Note[]> {
  const notes: Note[] = []
  for (const { shown, turns } of decided) {
    const path = shown.subject.path
    const after = turns.find(turn => turn.standing.path === path)
    if (after === undefined) continue
    const diff = await diffOfSides(session, path, { base: after.standing.sides.current, current: after.sides.current })
    const conversations = shown.subject.item.conversations
    for (const conversation of conversations.length === 0 ? [null] : conversations)
      notes.push(makeNote(session, "rejected", conversation, path, shorten(diff)))
  }
  return notes
}

export function rewoundNote(
  session: Session,
  conversation: ConversationId,
  title: string,
  paths: readonly WorkspacePath[],
): Note {
  const some = paths.slice(0, 8).map(showPath).join(", ")
  const files =
    paths.length === 0
      ? "No file changed."
      : `Files put back: ${some}${paths.length > 8 ? ` and ${paths.length - 8} more` : ""}.`
  return makeNote(session, "rewound", conversation, null, `${title}. ${files} Read them again before you change them.`)
}

/**
 * What becomes of the notes on an operation that is undone: those that nobody was told yet are not told; of the others it is told that they
 * hold no longer. Done again, they are told again.
 */
export async function notesOfRepeat(
  session: Session,
  operation: Pick<Operation, "id" | "title">,
  direction: "back" | "forward",
): Promise<Note[]> {
  const about = (await session.store.notes({})).filter(note => note.operation === operation.id)
  if (direction === "forward") {
    return about.map(note => makeNote(session, note.kind, note.conversation, note.path, note.text, note.line))
  }
  const now = session.env.now()
  const untold = about.filter(note => note.deliveredAt === null)
  const told = new Set(about.filter(note => note.deliveredAt !== null).map(note => note.conversation))
  return [
    ...untold.map(note => ({ ...note, deliveredAt: now })),
    ...[...told].map(conversation =>
      makeNote(session, "stale", conversation, null, `The person took back: ${operation.title}. Read the files again.`),
    ),
  ]
}

export function makeNote(
  session: Session,
  kind: Note["kind"],
  conversation: ConversationId | null,
  path: WorkspacePath | null,
  text: string,
  line: number | null = null,
): Note {
  return { id: session.env.newId(), kind, conversation, path, line, text, at: session.env.now(), deliveredAt: null }
}

function wordNote(note: Note): string {
  const place = note.path === null ? "" : `${showPath(note.path)}${note.line === null ? "" : `:${note.line}`}`
  switch (note.kind) {
    case "comment":
      return place === "" ? `Comment: ${note.text}` : `Comment on ${place}: ${note.text}`
    case "rejected":
      return `Rejected in ${place}; do not write it again:\n${note.text}`
    case "edited":
      return `Edited by the person in ${place}; keep their text:\n${note.text}`
    case "rewound":
      return note.text
    case "denied":
      return `Denied${place === "" ? "" : ` in ${place}`}: ${note.text}`
    case "stale":
      return note.text
  }
}

/** The changed lines of a diff, bounded. */
function shorten(diff: string): string {
  const changed = diff.split("\n").filter(line => /^[-+]/.test(line) && !/^(---|\+\+\+) /.test(line))
  const few = changed.slice(0, 12).map(line => (line.length > 160 ? `${line.slice(0, 160)}…` : line))
  return [...few, ...(changed.length > 12 ? [`… ${changed.length - 12} more lines`] : [])].join("\n")
}
