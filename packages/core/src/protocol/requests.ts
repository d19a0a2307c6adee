/**
 * The closed set of requests that every surface makes of a session: command line, MCP, page, extension, embedder. One table;
 * an entry point validates with `params`, calls the session's method of the same name, and passes the result on.
 */
import * as z from "zod/mini"
import {
  callSchema,
  captureSchema,
  changeKindSchema,
  decisionSchema,
  fileSchema,
  logSchema,
  operationSchema,
  operationsSchema,
  pathFields,
  policySchema,
  rewindSchema,
  reviewModeSchema,
  statusSchema,
} from "./results.ts"

const onConflict = z.enum(["stop", "keep-mine", "take-theirs"])
export type OnConflict = z.infer<typeof onConflict>

/** Half-open nothing: both ends count from 1 and are included, as a person types them (`old:3-5`). */
const lineRange = z.object({ from: z.int().check(z.minimum(1)), to: z.int().check(z.minimum(1)) })

/** A path inside the workspace, or absolute; `pathBytes` (base64) in its place for a name that is not UTF-8. */
const namedPath = { path: z.string(), pathBytes: z.optional(z.string()) }
const maybePath = { path: z.optional(z.string()), pathBytes: z.optional(z.string()) }

/** Files may be written although a rebase, merge or bisect is under way: the person was told of it and wants it. */
const force = { force: z.optional(z.boolean()) }

/** What a decision is about. Without a path, `files`, `message`, `hunks` or `all` must be given. */
export const selectionSchema = z.object({
  ...maybePath,
  /** Several files whole, as one decision; each with the revision that was seen. In place of `path`. */
  files: z.optional(z.array(z.object({ path: z.string(), revision: z.optional(z.int()) }))),
  /** Hunk ids, or bare numbers as strings; numbers need `revision`, or the item's revision must not matter (one process). */
  hunks: z.optional(z.array(z.string())),
  lines: z.optional(z.object({ old: z.optional(lineRange), new: z.optional(lineRange) })),
  /** Named properties alone: "mode", "encoding", "existence". */
  properties: z.optional(z.array(z.string())),
  message: z.optional(z.string()),
  all: z.optional(z.boolean()),
  /** The revision of the file (with `path`) that the request was made from. */
  revision: z.optional(z.int()),
  onConflict: z.optional(onConflict),
  ...force,
})
export type Selection = z.infer<typeof selectionSchema>

/** What an agent's own tool was seen to do. */
const afterSchema = z.object({
  version: z.literal(1),
  operation: z.nullable(z.string()),
  capture: captureSchema,
  changes: z.array(z.object({ ...pathFields, kind: changeKindSchema })),
  /** The person had allowed it beforehand. */
  allowed: z.optional(z.boolean()),
  /** What a person and the agent must know: "cannot be undone: …". */
  remarks: z.array(z.string()),
})

const side = z.string().check(z.regex(/^(disk|base|current|message:.+)$/))

export const requests = {
  status: { params: z.object({ paths: z.optional(z.array(z.string())) }), result: statusSchema },
  /** `counts: false` leaves `files` empty, which costs nothing by message; `messages` asks for these alone. */
  log: {
    params: z.object({
      conversation: z.optional(z.string()),
      counts: z.optional(z.boolean()),
      messages: z.optional(z.array(z.string())),
    }),
    result: logSchema,
  },
  operations: {
    params: z.object({ limit: z.optional(z.int()), ...maybePath }),
    result: operationsSchema,
  },
  /** An operation, a message or a pending file by id: what it did, as unified diffs. */
  show: {
    params: z.object({ id: z.string() }),
    result: z.object({
      version: z.literal(1),
      kind: z.enum(["operation", "message", "file"]),
      operation: z.optional(operationSchema),
      title: z.string(),
      diff: z.string(),
      files: z.array(z.object({ ...pathFields, added: z.int(), removed: z.int() })),
    }),
  },
  /** Pending changes (or one message's) as a unified diff. */
  diff: {
    params: z.object({ ...maybePath, message: z.optional(z.string()) }),
    result: z.object({ version: z.literal(1), diff: z.string(), files: z.array(fileSchema) }),
  },
  /** One side of a file; `text` where it is text, else `base64`. With `raw` always `base64`: its very bytes. */
  cat: {
    params: z.object({ ...namedPath, side, raw: z.optional(z.boolean()) }),
    result: z.object({
      version: z.literal(1),
      path: z.string(),
      absent: z.boolean(),
      text: z.optional(z.string()),
      base64: z.optional(z.string()),
    }),
  },
  /** All a review surface needs of one file: both texts, hunks, whose lines, conflicts. With `message`, which hunks are of that message. */
  file: {
    params: z.object({ ...namedPath, message: z.optional(z.string()) }),
    result: z.object({
      version: z.literal(1),
      file: fileSchema,
      /** Ids of the hunks that hold what the message did, where one was named. */
      ofMessage: z.optional(z.array(z.string())),
      base: z.nullable(z.string()),
      current: z.nullable(z.string()),
      /** Author of each line of current: what the base had, an agent, a person, or a person over an agent's line. */
      authors: z.array(z.enum(["base", "agent", "person", "altered"])),
      /** The three texts of each conflicting region, whole lines. Lines of `current` count from 1. */
      conflicts: z.array(
        z.object({
          hunk: z.nullable(z.string()),
          reason: z.string(),
          mine: z.string(),
          theirs: z.string(),
          origin: z.string(),
        }),
      ),
      comments: z.array(
        z.object({ id: z.string(), line: z.nullable(z.int()), text: z.string(), delivered: z.boolean() }),
      ),
    }),
  },
  accept: { params: selectionSchema, result: decisionSchema },
  reject: { params: selectionSchema, result: decisionSchema },
  /** The person edits a proposal. `base64` or `text`. */
  write: {
    params: z.object({
      ...namedPath,
      text: z.optional(z.string()),
      base64: z.optional(z.string()),
      revision: z.optional(z.int()),
      ...force,
    }),
    result: decisionSchema,
  },
  answer: {
    params: z.object({
      id: z.string(),
      decision: z.enum(["allow", "deny"]),
      reason: z.optional(z.string()),
      /** The person's own text of the file. Made from `revision`, it is taken as it is; else what came since is merged in. */
      content: z.optional(z.string()),
      revision: z.optional(z.int()),
      ...force,
    }),
    result: decisionSchema,
  },
  comment: {
    params: z.object({
      ...namedPath,
      line: z.optional(z.int()),
      text: z.string(),
      conversation: z.optional(z.string()),
    }),
    result: decisionSchema,
  },
  /** Marks what is pending in a file, as it is now, as looked at; `off` takes the mark back. */
  mark: { params: z.object({ ...namedPath, off: z.optional(z.boolean()) }), result: decisionSchema },
  /** The person renamed files or folders, on disk already: what is pending in them, and known of them, goes on at the new paths. */
  renamed: {
    params: z.object({ files: z.array(z.object({ from: z.string(), to: z.string() })) }),
    result: decisionSchema,
  },
  rewind: {
    params: z.object({
      message: z.string(),
      after: z.optional(z.boolean()),
      plan: z.optional(z.boolean()),
      onConflict: z.optional(onConflict),
      /** Write although a rebase, merge or bisect is under way, or HEAD moved since. */
      ...force,
    }),
    result: rewindSchema,
  },
  undo: {
    params: z.object({ operation: z.optional(z.string()), onConflict: z.optional(onConflict), ...force }),
    result: decisionSchema,
  },
  redo: { params: z.object({ onConflict: z.optional(onConflict), ...force }), result: decisionSchema },
  message: {
    params: z.object({
      text: z.string(),
      conversation: z.optional(z.string()),
      id: z.optional(z.string()),
      /**
       * The message it follows; by default the conversation's head. Of another conversation: this one is a fork that leaves there. An
       * earlier one of its own: the chat goes on from there, the files stay as they are.
       */
      parent: z.optional(z.string()),
    }),
    result: decisionSchema,
  },
  call: { params: z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }), result: callSchema },
  /**
   * A command of a person, or of an agent's own shell as its hook hands it over. `command`: a text for the shell, or a program with
   * its arguments. `cwd`: absolute, inside the workspace; else its root.
   */
  run: {
    params: z.object({
      command: z.union([z.string(), z.array(z.string()).check(z.minLength(1))]),
      cwd: z.optional(z.string()),
      timeoutMs: z.optional(z.int()),
    }),
    result: callSchema,
  },
  /**
   * An agent's own tool is about to act, as its hook says: what stands at `paths` (absolute, or relative to the root) is kept first;
   * with `command` (its shell), what may be at risk. `callId` joins it to `after`.
   */
  before: {
    params: z.object({
      callId: z.string(),
      tool: z.string(),
      title: z.string(),
      paths: z.array(z.string()),
      command: z.optional(z.string()),
    }),
    result: z.object({
      version: z.literal(1),
      kept: z.array(z.string()),
      /** Not in this workspace, so not recorded. */
      outside: z.array(z.string()),
      /** What could not be kept, and so cannot be undone. */
      trouble: z.optional(z.string()),
    }),
  },
  /** It is done. `originals`: texts that the agent says stood there before, for paths that nobody looked at. */
  after: {
    params: z.object({
      callId: z.string(),
      tool: z.string(),
      title: z.string(),
      paths: z.array(z.string()),
      originals: z.optional(z.record(z.string(), z.string())),
    }),
    result: afterSchema,
  },
  /**
   * An agent's own tool is about to change a file, as its hook says, and may only if the person allows it. Waits `waitSeconds` at most.
   * `content`: the person's own version of the whole text. "none": nobody answered. With `callId`, `after` of an allowed call says so.
   */
  ask: {
    params: z.object({
      callId: z.optional(z.string()),
      title: z.string(),
      path: z.string(),
      diff: z.string(),
      waitSeconds: z.optional(z.number()),
    }),
    result: z.object({
      version: z.literal(1),
      answer: z.enum(["allowed", "denied", "none"]),
      reason: z.optional(z.string()),
      content: z.optional(z.string()),
    }),
  },
  /** Records what calls left behind whose end nobody told. */
  settle: { params: z.object({}), result: afterSchema },
  /** Something could not be recorded: `log` and the page say so. */
  trouble: { params: z.object({ title: z.string(), text: z.string() }), result: afterSchema },
  /** Whose a call of Galley's own tools is that is about to arrive on a connection which cannot tell. */
  claim: {
    params: z.object({
      callId: z.optional(z.string()),
      tool: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
    result: z.object({ version: z.literal(1) }),
  },
  /** What the person did since the conversation's last contact, for the model, once. */
  notes: { params: z.object({}), result: z.object({ version: z.literal(1), text: z.nullable(z.string()) }) },
  purge: {
    params: z.object({ ...namedPath }),
    result: z.object({ version: z.literal(1), operations: z.int(), blobs: z.int(), text: z.string() }),
  },
  gc: {
    params: z.object({
      dryRun: z.optional(z.boolean()),
      keepDays: z.optional(z.number()),
      maxBytes: z.optional(z.number()),
      abandoned: z.optional(z.boolean()),
    }),
    result: z.object({ version: z.literal(1), removedBlobs: z.int(), freedBytes: z.number(), reach: z.string() }),
  },
} as const

export type RequestName = keyof typeof requests
export type Params<N extends RequestName> = z.infer<(typeof requests)[N]["params"]>
export type Result<N extends RequestName> = z.infer<(typeof requests)[N]["result"]>

/** Who asks and how: said once per connection or command, not in each request. */
export const contextSchema = z.object({
  actor: z.enum(["agent", "person"]),
  conversation: z.optional(z.string()),
  message: z.optional(z.string()),
  review: z.optional(reviewModeSchema),
  policy: z.optional(policySchema),
  callId: z.optional(z.string()),
  /** The conversation is read off the connection only: a hook's claim of the same call knows better. */
  guessed: z.optional(z.boolean()),
})
export type RequestContext = z.infer<typeof contextSchema>
