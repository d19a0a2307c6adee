import type { Item } from "@galley/core/change/item.ts"
import type {
  Conversation,
  ConversationId,
  Message,
  MessageId,
  Operation,
  OperationId,
} from "@galley/core/history/operation.ts"
import type { WorkspacePath } from "@galley/core/path.ts"
import type { BlobId, State } from "@galley/core/state.ts"

/**
 * Where facts are kept: contents by hash, the log, the two sides of each path, conversations. Asynchronous, so that a remote
 * database can follow; one conformance suite (`test/store/conformance.ts`) runs on every implementation.
 *
 * All that changes goes through {@link Store.commit}: one batch, wholly durable or not at all. Writers hold the workspace
 * lock (`lock.ts`) around it; readers need none. Troubles are `Failure("STORE_FAILED")` or `Failure("NO_SPACE")`.
 */
export interface Store {
  /** Keeps contents; durable no later than the commit that names them. `near` is a content likely to be similar (the previous version): a delta base. */
  putBlobs(blobs: readonly { readonly bytes: Uint8Array; readonly near?: BlobId }[]): Promise<readonly BlobId[]>
  /** The content, its hash verified. A missing or damaged one is `STORE_FAILED` naming it. */
  blob(id: BlobId): Promise<Uint8Array>
  /** Those of `ids` that are not there. Does not verify hashes. */
  missingBlobs(ids: readonly BlobId[]): Promise<readonly BlobId[]>

  commit(batch: Batch): Promise<void>

  item(path: WorkspacePath): Promise<Item | null>
  /** By path. `pending`: only those whose sides differ. `under`: the folder itself and all inside. */
  items(query: {
    readonly pending?: boolean
    readonly under?: string
    readonly paths?: readonly WorkspacePath[]
  }): Promise<readonly Item[]>

  operation(id: OperationId): Promise<Operation | null>
  /** In log order (oldest first). `limit` keeps the newest. Only done ones; see {@link Store.intents}. */
  operations(query: {
    readonly path?: WorkspacePath
    readonly conversation?: ConversationId
    readonly message?: MessageId
    readonly actor?: "person"
    readonly afterSeq?: number
    readonly limit?: number
  }): Promise<readonly Operation[]>
  /** Operations whose file steps were begun and not settled: a crash, or another process at work (which then holds the lock). */
  intents(): Promise<readonly Intent[]>

  message(id: MessageId): Promise<Message | null>
  messages(conversation?: ConversationId): Promise<readonly Message[]>
  conversation(id: ConversationId): Promise<Conversation | null>
  /** Newest first. */
  conversations(): Promise<readonly Conversation[]>

  waiting(): Promise<readonly Waiting[]>
  notes(query: { readonly undelivered?: boolean; readonly path?: WorkspacePath }): Promise<readonly Note[]>
  parked(): Promise<readonly Parked[]>
  setting(key: string): Promise<unknown>

  /** Grows with every commit by any process; cheap to poll. */
  revision(): Promise<number>

  /** Removes contents for good (from the file, its journal and free pages), re-encoding those that depended on them. */
  purgeBlobs(ids: readonly BlobId[]): Promise<void>
  /** Drops contents that nothing refers to any more (gc). Their space is reused; unlike a purge, nothing is scrubbed. */
  removeBlobs(ids: readonly BlobId[]): Promise<void>
  /** Ids and stored sizes of all contents, for gc and checks. */
  blobSizes(): Promise<readonly { readonly id: BlobId; readonly storedBytes: number }[]>
  /** Looks for damage: wrong hashes, broken chains, a database that fails its own check. Empty when all is well. */
  check(): Promise<readonly string[]>
  readonly readOnly: boolean
  /** Why it is open for reading only, and how to keep its data; null where it can be written. */
  readonly trouble: { readonly message: string; readonly hint: string } | null
  close(): Promise<void>
}

/** An operation before the store has given it its place in the log. */
export type NewOperation = Omit<Operation, "seq">

/** Everything that becomes true at once. Absent fields change nothing. */
export interface Batch {
  /** Appended to the log in order. */
  readonly operations?: readonly NewOperation[]
  /** File steps about to begin. */
  readonly begin?: Intent
  /** Id of the intent that this batch settles (done or taken back); it is removed. */
  readonly settle?: string
  /** Upserted by path. `forget` drops rows. */
  readonly items?: readonly Item[]
  readonly forget?: readonly WorkspacePath[]
  /** Upserted by id. */
  readonly conversations?: readonly Conversation[]
  readonly messages?: readonly Message[]
  readonly waiting?: readonly Waiting[]
  readonly waitingDone?: readonly string[]
  readonly notes?: readonly Note[]
  readonly parked?: readonly Parked[]
  readonly unparked?: readonly string[]
  readonly settings?: Readonly<Record<string, unknown>>
  /** Log rows replaced by ones without the content (purge, gc); same ids. */
  readonly redacted?: readonly Operation[]
}

/** A change of files that was announced before its first step, so that a crash can be finished or undone. */
export interface Intent {
  readonly id: string
  readonly startedAt: number
  readonly steps: readonly Step[]
  /** What to commit (with `settle`) when the steps are done. */
  readonly then: Batch
}

/** One path's move on disk. The order in the list is the order of the deed. */
export interface Step {
  readonly path: WorkspacePath
  /** What the plan saw on disk, and what will stand there. Never `unknown`. */
  readonly before: State
  readonly after: State
  /** Name of the staged file in the target folder; null where nothing is staged (delete, chmod, folder). */
  readonly temp: string | null
  /** Name under which the old file is linked aside until the step is verified; null where there is none. */
  readonly aside: string | null
  /** Write into the existing inode (hard links, bind mounts). */
  readonly inPlace: boolean
  /** Folders this step makes, outermost first; undo removes those that are empty. */
  readonly makesFolders: readonly WorkspacePath[]
}

/** A call that waits for a person (`ask`). */
export interface Waiting {
  readonly id: string
  readonly title: string
  readonly path?: WorkspacePath
  readonly command?: string
  readonly conversation: ConversationId | null
  readonly message: MessageId | null
  readonly since: number
  /** The process that waits; an entry whose process is gone is answered "held". */
  readonly owner: { readonly pid: number; readonly startedAt: number }
  /** The items that the decision is about. */
  readonly paths: readonly WorkspacePath[]
  /** The agent's operation that the answer lets stand or takes back; absent for one that has not changed anything. */
  readonly operation?: OperationId
  readonly diff: string
  readonly answer: {
    readonly decision: "allow" | "deny"
    readonly reason?: string
    readonly edited?: boolean
    /** The person's text, where no operation holds it. */
    readonly content?: string
  } | null
}

/** Something the agent is told at its next contact, once (DESIGN §3, "Back to the model"). */
export interface Note {
  readonly id: string
  readonly kind: "comment" | "rejected" | "edited" | "rewound" | "denied" | "stale"
  /** The conversation to tell; null: whichever comes first. */
  readonly conversation: ConversationId | null
  readonly path: WorkspacePath | null
  /** From 1, in current. */
  readonly line: number | null
  readonly text: string
  readonly at: number
  readonly deliveredAt: number | null
  /** The person's operation that it tells of; its undo takes the note back, or tells of that. */
  readonly operation?: OperationId
}

/** A pending item set aside because the branch changed under it; offered again when it applies. */
export interface Parked {
  readonly id: string
  readonly branch: string | null
  readonly commit: string | null
  readonly item: Item
  readonly at: number
  readonly reason: string
}
