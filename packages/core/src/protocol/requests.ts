/**
 * The closed set of requests that every surface makes of a session: command line, MCP, page, extension, embedder. One table;
 * an entry point validates with `params`, calls the session's method of the same name, and passes the result on.
 */
import * as z from "zod/mini"
import {
  callSchema,
  decisionSchema,
  fileSchema,
  logSchema,
  operationSchema,
  operationsSchema,
  policySchema,
  rewindSchema,
  reviewModeSchema,
  statusSchema,
} from "./results.ts"

const onConflict = z.enum(["stop", "keep-mine", "take-theirs"])
export type OnConflict = z.infer<typeof onConflict>

/** Half-open nothing: both ends count from 1 and are included, as a person types them (`old:3-5`). */
const lineRange = z.object({ from: z.int().check(z.minimum(1)), to: z.int().check(z.minimum(1)) })

/** What a decision is about. Without a path, `message` or `all` must be given. */
export const selectionSchema = z.object({
  path: z.optional(z.string()),
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
})
export type Selection = z.infer<typeof selectionSchema>

const side = z.string().check(z.regex(/^(disk|base|current|message:.+)$/))

export const requests = {
  status: { params: z.object({ paths: z.optional(z.array(z.string())) }), result: statusSchema },
  log: { params: z.object({ conversation: z.optional(z.string()) }), result: logSchema },
  operations: {
    params: z.object({ limit: z.optional(z.int()), path: z.optional(z.string()) }),
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
      files: z.array(z.object({ path: z.string(), added: z.int(), removed: z.int() })),
    }),
  },
  /** Pending changes (or one message's) as a unified diff. */
  diff: {
    params: z.object({ path: z.optional(z.string()), message: z.optional(z.string()) }),
    result: z.object({ version: z.literal(1), diff: z.string(), files: z.array(fileSchema) }),
  },
  /** One side of a file; `text` where it is text, else `base64`. With `raw` always `base64`: its very bytes. */
  cat: {
    params: z.object({ path: z.string(), side, raw: z.optional(z.boolean()) }),
    result: z.object({
      version: z.literal(1),
      path: z.string(),
      absent: z.boolean(),
      text: z.optional(z.string()),
      base64: z.optional(z.string()),
    }),
  },
  /** All a review surface needs of one file: both texts, hunks, whose lines, conflicts. */
  file: {
    params: z.object({ path: z.string() }),
    result: z.object({
      version: z.literal(1),
      file: fileSchema,
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
      path: z.string(),
      text: z.optional(z.string()),
      base64: z.optional(z.string()),
      revision: z.optional(z.int()),
    }),
    result: decisionSchema,
  },
  answer: {
    params: z.object({
      id: z.string(),
      decision: z.enum(["allow", "deny"]),
      reason: z.optional(z.string()),
      content: z.optional(z.string()),
    }),
    result: decisionSchema,
  },
  comment: {
    params: z.object({
      path: z.string(),
      line: z.optional(z.int()),
      text: z.string(),
      conversation: z.optional(z.string()),
    }),
    result: decisionSchema,
  },
  /** Marks what is pending in a file, as it is now, as looked at; `off` takes the mark back. */
  mark: { params: z.object({ path: z.string(), off: z.optional(z.boolean()) }), result: decisionSchema },
  rewind: {
    params: z.object({
      message: z.string(),
      after: z.optional(z.boolean()),
      plan: z.optional(z.boolean()),
      onConflict: z.optional(onConflict),
      /** Write although a rebase, merge or bisect is under way, or HEAD moved since. */
      force: z.optional(z.boolean()),
    }),
    result: rewindSchema,
  },
  undo: {
    params: z.object({ operation: z.optional(z.string()), onConflict: z.optional(onConflict) }),
    result: decisionSchema,
  },
  redo: { params: z.object({ onConflict: z.optional(onConflict) }), result: decisionSchema },
  message: {
    params: z.object({ text: z.string(), conversation: z.optional(z.string()), id: z.optional(z.string()) }),
    result: decisionSchema,
  },
  call: { params: z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) }), result: callSchema },
  run: { params: z.object({ command: z.string(), timeoutMs: z.optional(z.int()) }), result: callSchema },
  purge: {
    params: z.object({ path: z.string() }),
    result: z.object({ version: z.literal(1), operations: z.int(), blobs: z.int(), text: z.string() }),
  },
  gc: {
    params: z.object({
      dryRun: z.optional(z.boolean()),
      keepDays: z.optional(z.number()),
      maxBytes: z.optional(z.number()),
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
})
export type RequestContext = z.infer<typeof contextSchema>
