import type { WorkspacePath } from "../path.ts"
import type { State } from "../state.ts"

export type OperationId = string
export type MessageId = string
export type ConversationId = string

/** Who did it. `external` is somebody we did not see: an editor, a tool, the person's shell. */
export type Actor = "agent" | "person" | "external" | "git"

/** How well the change was seen. Truthful everywhere it is shown (DESIGN §5). */
export type Capture = "simulated" | "previewed" | "recorded" | "detected" | "none"

export type OperationKind =
  | "edit" // an agent's or embedder's edit tool
  | "command" // an agent's or person's shell command
  | "external" // somebody else wrote the file; folded in
  | "git" // HEAD moved and files with it
  | "accept"
  | "reject"
  | "write" // the person edited a proposal
  | "answer" // the person allowed or denied a waiting call
  | "rewind"
  | "undo"
  | "redo"
  | "park" // pending set aside because the branch changed
  | "unpark"
  | "recover" // a crash was repaired

/** The two sides of a path at one moment: what is agreed on (`base`) and what is proposed (`current`). */
export interface Sides {
  readonly base: State
  readonly current: State
  /** The item's conflict origin at the time (`change/item.ts`), so that an undo knows again what was in conflict. */
  readonly origin?: State
}

/**
 * What one operation did to one path: a move of both sides. With nothing pending, base and current are equal.
 *
 * Every change of a file can be told as such a move: an agent's edit moves `current`, an accept moves `base`, a reject
 * moves `current` back, a person's edit outside pending hunks moves both, a rewind moves both.
 */
export interface Change {
  readonly path: WorkspacePath
  readonly before: Sides
  readonly after: Sides
  /** The old path, when the operation is known to have renamed it (the old path is another change, to absent). */
  readonly renamedFrom?: WorkspacePath
  /**
   * Where the file stood until somebody other than an agent renamed it: what the log knows of that path, and what is pending, goes on here.
   * Nothing else is in such a change (both sides come over as they were); the old path is another change, to absent.
   */
  readonly carriedFrom?: WorkspacePath
  /** Folders that came into being with it, outermost first: they go again when it is taken back, if nothing else is in them. */
  readonly madeFolders?: readonly WorkspacePath[]
  /** Folders that a command took away with it, outermost first: they go when its absence is made true, if nothing else is in them. */
  readonly goneFolders?: readonly WorkspacePath[]
  /** The file had other names (hard links), and the change was made to this one alone: they keep their text. */
  readonly breaksLink?: true
}

/**
 * One fact of the append-only log. Nothing of it is ever changed after it is done; what was undone is derived from
 * later operations (`undoes`, `redoes`, `tookBack`).
 */
export interface Operation {
  readonly id: OperationId
  /** Place in the log, from 1, without gaps per workspace; given by the store. */
  readonly seq: number
  readonly kind: OperationKind
  readonly actor: Actor
  readonly conversation: ConversationId | null
  readonly message: MessageId | null
  /** Milliseconds since the epoch. */
  readonly at: number
  /** A few words for people: "Accept 2 hunks in cart.ts". Shown by log, undo and redo. */
  readonly title: string
  readonly capture: Capture
  /** Commit and branch of the person's repository at the time; null outside git or on an unborn or detached head. */
  readonly head: GitHead | null
  readonly changes: readonly Change[]
  readonly undoes?: OperationId
  readonly redoes?: OperationId
  /** Heads moved by a rewind (or by its undo). */
  readonly heads?: readonly HeadMove[]
  /** Messages whose operations a rewind took back, newest first, and those it brought forward again, oldest first. */
  readonly tookBack?: readonly MessageId[]
  readonly broughtBack?: readonly MessageId[]
  /** What a tool call asked for, in short, for display: the tool's name and the command or path. */
  readonly call?: { readonly tool: string; readonly summary: string; readonly callId?: string }
  /** A remark the person must see: "cannot be undone: …", "EXDEV: ran twice", "git state not kept". */
  readonly remark?: string
}

export interface GitHead {
  readonly commit: string | null
  readonly branch: string | null
  readonly worktree: string
}

export interface HeadMove {
  readonly conversation: ConversationId
  /** The message the conversation stands at; null before its first message. */
  readonly before: MessageId | null
  readonly after: MessageId | null
}

/** A message of a conversation: a restore point. Messages form a tree by `parent`. */
export interface Message {
  readonly id: MessageId
  readonly conversation: ConversationId
  readonly parent: MessageId | null
  readonly title: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Nobody said that a message begins here; it was read off a pause between calls (DESIGN §8). */
  readonly inferred?: true
}

export interface Conversation {
  readonly id: ConversationId
  readonly title: string
  /** The message it stands at; null before its first message, or when it was rewound to before it. */
  readonly head: MessageId | null
  readonly createdAt: number
  /** For a forked conversation: the message of another conversation where it left. */
  readonly forkedFrom?: MessageId
}
