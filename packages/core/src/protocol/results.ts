/**
 * What Galley answers, as zod schemas. **Contract** (DESIGN §9): `--json`, the page, the extension and other programs read
 * these shapes. Fields are only ever added.
 */
import * as z from "zod/mini"
import { failureCodes } from "../failure.ts"

const version = z.literal(1)

/** `pathBytes` (base64) is given where the name is not UTF-8. */
export const pathFields = { path: z.string(), pathBytes: z.optional(z.string()) }

export const captureSchema = z.enum(["simulated", "previewed", "recorded", "detected", "none"])
export const reviewModeSchema = z.enum(["hold", "ask", "apply"])
export const policySchema = z.enum(["read-only", "workspace-write", "full-access"])
export const actorSchema = z.enum(["agent", "person", "external", "git"])

export const itemKindSchema = z.enum(["modify", "create", "delete", "rename", "mode", "symlink", "binary", "folder"])

/** Lines count from 1, as in a unified diff; an empty side starts at the line before it (0 at the top). */
export const hunkSchema = z.object({
  id: z.string(),
  /**
   * Equal for hunks that make the same substitution ("foo" → "bar"), in this file and in others; decisions without a path take it in
   * place of ids, and decide all of them.
   */
  same: z.optional(z.string()),
  /** From 1, in file order; valid for this revision only. */
  index: z.int(),
  oldStart: z.int(),
  oldLines: z.int(),
  newStart: z.int(),
  newLines: z.int(),
  /** Holds text of a person beside the agent's. */
  mixed: z.boolean(),
  /** The file moved under it; accepting needs a choice. */
  conflict: z.boolean(),
  /** `foo → bar`: what `same` stands for, for people; given where that is. */
  substitution: z.optional(z.string()),
})

export const fileSchema = z.object({
  ...pathFields,
  /** The old path of a rename. */
  from: z.optional(z.string()),
  kinds: z.array(itemKindSchema),
  /** Stable while the item is pending. */
  id: z.string(),
  revision: z.int(),
  /** The side on disk. */
  disk: z.enum(["base", "current"]),
  hunks: z.array(hunkSchema),
  conflict: z.boolean(),
  /** Set aside because the branch changed. */
  parked: z.boolean(),
  /** For a folder shown as one line. */
  summary: z.optional(z.object({ files: z.int() })),
  /** The diff gave up looking for a shortest one and is coarse. */
  coarse: z.optional(z.boolean()),
  added: z.optional(z.int()),
  removed: z.optional(z.int()),
  /** Named property changes: "encoding utf-8 → utf-16le", "BOM added", "line endings LF → CRLF", "mode 644 → 755". */
  properties: z.optional(z.array(z.string())),
  conversations: z.optional(z.array(z.string())),
  messages: z.optional(z.array(z.string())),
  reviewed: z.optional(z.boolean()),
  branch: z.optional(z.string()),
})

export const waitingSchema = z.object({
  id: z.string(),
  title: z.string(),
  path: z.optional(z.string()),
  command: z.optional(z.string()),
  since: z.optional(z.int()),
  conversation: z.optional(z.string()),
  /** Unified diff of what is asked. */
  diff: z.optional(z.string()),
})

export const statusSchema = z.object({
  version,
  workspace: z.string(),
  review: reviewModeSchema,
  heads: z.array(z.object({ conversation: z.string(), message: z.nullable(z.string()) })),
  waiting: z.array(waitingSchema),
  files: z.array(fileSchema),
  /** Git operations under way, and other things a person should know. */
  notices: z.optional(z.array(z.string())),
  undo: z.optional(z.nullable(z.object({ operation: z.string(), title: z.string() }))),
  redo: z.optional(z.nullable(z.object({ operation: z.string(), title: z.string() }))),
  /** Globs of paths whose changes are accepted at once (`review.accept`). */
  rules: z.optional(z.array(z.string())),
})

export const logSchema = z.object({
  version,
  messages: z.array(
    z.object({
      id: z.string(),
      parent: z.nullable(z.string()),
      conversation: z.string(),
      title: z.string(),
      createdAt: z.int(),
      files: z.array(z.object({ ...pathFields, added: z.int(), removed: z.int() })),
      onHeadPath: z.boolean(),
    }),
  ),
})

export const operationSchema = z.object({
  id: z.string(),
  kind: z.string(),
  actor: actorSchema,
  conversation: z.nullable(z.string()),
  message: z.nullable(z.string()),
  paths: z.array(z.string()),
  capture: captureSchema,
  undone: z.boolean(),
  title: z.optional(z.string()),
  at: z.optional(z.int()),
  remark: z.optional(z.string()),
})

export const operationsSchema = z.object({ version, operations: z.array(operationSchema) })

export const rewindStepSchema = z.object({
  ...pathFields,
  action: z.enum(["write", "delete", "restore", "merge", "conflict", "none", "skip"]),
  reason: z.string(),
  /** Unified diff from disk to what will be there; for a conflict, with both texts marked. */
  diff: z.optional(z.string()),
})

export const rewindSchema = z.object({
  version,
  applied: z.boolean(),
  steps: z.array(rewindStepSchema),
  operation: z.nullable(z.string()),
})

/** Decisions, undo, redo, write, answer, message. `operation` is null when there was nothing to do. */
export const decisionSchema = z.object({
  version,
  operation: z.nullable(z.string()),
  files: z.array(fileSchema),
  message: z.optional(z.string()),
  title: z.optional(z.string()),
})

export const changeKindSchema = z.enum(["create", "modify", "delete", "rename", "mode", "symlink", "folder"])

export const callSchema = z.object({
  version,
  ok: z.boolean(),
  text: z.string(),
  exitCode: z.optional(z.int()),
  capture: captureSchema,
  changes: z.array(z.object({ ...pathFields, kind: changeKindSchema })),
  error: z.optional(z.object({ code: z.enum(failureCodes), message: z.string() })),
  locations: z.optional(z.array(z.object({ path: z.string(), line: z.optional(z.int()) }))),
  diffs: z.optional(z.array(z.object({ path: z.string(), oldText: z.nullable(z.string()), newText: z.string() }))),
  /** Waits for the person's decision; nothing of it is on disk. */
  held: z.optional(z.boolean()),
  /** What stands behind a command's output in `text`, one by one: how it ended, what became of its changes. */
  remarks: z.optional(z.array(z.string())),
})

export const errorSchema = z.object({
  error: z.object({ code: z.enum(failureCodes), message: z.string(), hint: z.optional(z.string()) }),
})

export type Capture = z.infer<typeof captureSchema>
export type ReviewMode = z.infer<typeof reviewModeSchema>
export type Policy = z.infer<typeof policySchema>
export type HunkView = z.infer<typeof hunkSchema>
export type FileView = z.infer<typeof fileSchema>
export type ItemKind = z.infer<typeof itemKindSchema>
export type WaitingView = z.infer<typeof waitingSchema>
export type StatusResult = z.infer<typeof statusSchema>
export type LogResult = z.infer<typeof logSchema>
export type OperationView = z.infer<typeof operationSchema>
export type OperationsResult = z.infer<typeof operationsSchema>
export type RewindStepView = z.infer<typeof rewindStepSchema>
export type RewindResult = z.infer<typeof rewindSchema>
export type DecisionResult = z.infer<typeof decisionSchema>
export type CallResult = z.infer<typeof callSchema>
