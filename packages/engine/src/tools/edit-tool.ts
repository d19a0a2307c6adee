import { Failure, type FailureData } from "@galley/core/failure.ts"
import type { Charset } from "@galley/core/change/loaded.ts"
import {
  decodeDocument,
  encodeDocument,
  isNotText,
  type Encoding,
  type TextDocument,
} from "@galley/core/text/document.ts"
import { type EditCall, parseEditCall } from "@galley/core/tool/arguments.ts"
import { editDocument, type EditOutcome, type EditRequest } from "@galley/core/tool/edit.ts"
import { type EditConfig, editConfig } from "@galley/core/tool/edit-config.ts"
import { type DiffCard, diffCardsOf, type Location, locationsOf } from "@galley/core/tool/edit-cards.ts"
import { editInputSchema, editToolName } from "@galley/core/tool/edit-schema.ts"
import {
  changedText,
  createdText,
  editedText,
  existsFailure,
  fileViewText,
  noMatchText,
  notFileFailure,
  notUniqueText,
  noSuchLineText,
  notTextText,
  shownPath,
  startBeyondText,
  unwritableText,
} from "@galley/core/tool/edit-text.ts"
import { missHint } from "@galley/core/tool/miss-hint.ts"
import { type ViewRange, viewLines } from "@galley/core/tool/view.ts"
import { decideIntent, type ChangeIntent, type IntentHandler } from "../session/intents.ts"
import type { CallContext, ToolFiles, ToolRead, ToolWrite, Version } from "../session/tool-files.ts"
import { viewDirectory } from "./directory-view.ts"

/** The edit tool over a file system, ready to be offered to a model. Usable without the rest of Galley. */
export interface EditTool {
  readonly name: typeof editToolName
  /** For the model. */
  readonly description: string
  /** JSON Schema. */
  readonly inputSchema: typeof editInputSchema
  /**
   * Carries a call out. Every trouble that the caller or a person can act on is a result with `ok: false`, and the file is
   * then as it was. What is thrown is a bug, or the call's own abort before the write.
   */
  call(input: unknown, call: CallContext): Promise<EditResult>
  /** The files a call is about, from its input alone, so before it runs. Empty for an input that is not understood. */
  locations(input: unknown): readonly Location[]
  /** What `create` and `str_replace` mean to change, from the input alone. */
  diffCards(input: unknown): readonly DiffCard[]
}

export interface EditResult {
  readonly ok: boolean
  /** For the model: a view, a short confirmation, or what went wrong and what to do. */
  readonly text: string
  readonly error?: FailureData
  readonly locations: readonly Location[]
  /** What a `create` or `str_replace` did change; empty for a failed one. */
  readonly diffs: readonly DiffCard[]
  readonly changes: readonly { readonly path: string; readonly kind: "create" | "modify" }[]
  /** Of the file viewed, or as it is after the change. */
  readonly version?: Version
  /** The change waits for a person and is not on disk. */
  readonly held?: boolean
}

export interface EditToolParts {
  readonly files: ToolFiles
  readonly config?: Partial<EditConfig>
  /** Asked in order before each change. */
  readonly intents?: readonly IntentHandler[]
}

/** Makes the tool. A bad setting is a `BAD_ARGUMENT` here and now. */
export function createEditTool(parts: EditToolParts): EditTool {
  const config = editConfig(parts.config)
  const tool: ToolState = { files: parts.files, intents: parts.intents ?? [], config, seen: new Map() }
  return {
    name: editToolName,
    description: config.description,
    inputSchema: editInputSchema,
    call: async (input, call) => {
      call.signal?.throwIfAborted()
      try {
        return await carryOut(tool, parseEditCall(input, config, parts.files.root), call)
      } catch (error) {
        if (error instanceof Failure) return failed(error, locationsOf(input))
        throw error
      }
    },
    locations: locationsOf,
    diffCards: diffCardsOf,
  }
}

interface ToolState {
  readonly files: ToolFiles
  readonly intents: readonly IntentHandler[]
  readonly config: EditConfig
  /** What each conversation last saw of a file. Only to say, after a miss, that the file has changed since. */
  readonly seen: Map<string, Version>
}

/** Files remembered over all conversations; the oldest is forgotten. */
const mostSeen = 1000

function carryOut(tool: ToolState, call: EditCall, context: CallContext): Promise<EditResult> {
  switch (call.command) {
    case "view":
      return view(tool, call.path, call.range, context)
    case "create":
      return create(tool, call.path, call.fileText, context)
    case "str_replace":
    case "insert":
      return edit(tool, call, context)
  }
}

async function view(tool: ToolState, path: string, range: ViewRange | null, call: CallContext): Promise<EditResult> {
  const read = await tool.files.read(path, call)
  if (read.kind === "folder") {
    if (range !== null) throw new Failure("BAD_ARGUMENT", `${shownPath(path)} is a directory; view_range is for files.`)
    const text = await viewDirectory(tool.files, path, tool.config.maxOutputChars, call)
    return { ok: true, text, locations: [{ path }], diffs: [], changes: [] }
  }
  const { document, version } = await textFile(tool, path, read, call)
  const shown = viewLines(document.text, range, tool.config.maxOutputChars)
  if (shown.kind === "startBeyond") throw new Failure("BAD_ARGUMENT", startBeyondText(path, shown.lines))
  remember(tool, call, path, version)
  const locations = [range === null ? { path } : { path, line: shown.first }]
  return { ok: true, text: fileViewText(path, shown, range !== null), locations, diffs: [], changes: [], version }
}

async function create(tool: ToolState, path: string, fileText: string, call: CallContext): Promise<EditResult> {
  const required = await asked(tool, { name: "fs/write-intent", command: "create", path, call })
  const charset = await tool.files.charsetFor(path, call)
  const bytes = encoded(path, fileText, { name: charset?.charset ?? "utf-8", bom: false }, charset, "file_text")
  call.signal?.throwIfAborted()
  const write =
    required === null ? await tool.files.create(path, bytes, call) : await tool.files.write(path, bytes, required, call)
  switch (write.kind) {
    case "exists":
      throw existsFailure(path, write.what)
    case "changed":
      throw changed(path, null, "create")
    case "written":
      remember(tool, call, path, write.version)
      return done(write, createdText(path), {
        locations: [{ path }],
        diffs: [{ path, oldText: null, newText: fileText }],
        changes: [{ path, kind: required === null ? "create" : "modify" }],
      })
  }
}

async function edit(tool: ToolState, request: EditRequest & { path: string }, call: CallContext): Promise<EditResult> {
  const { path, command } = request
  const required = await asked(tool, { name: "fs/edit-intent", command, path, call })
  const { document, version, charset } = await textFile(tool, path, await tool.files.read(path, call), call)
  const outcome = editDocument(document, request, tool.config.expandTabsOnMutation)
  if (required !== null && required !== version) throw changed(path, outcome, command)
  if (outcome.kind !== "edited") throw refusal(tool, request, document, outcome, { call, version })
  const bytes = encoded(
    path,
    outcome.text,
    document.encoding,
    charset,
    command === "insert" ? "insert_text" : "new_str",
  )
  call.signal?.throwIfAborted()
  const write = await tool.files.write(path, bytes, version, call)
  switch (write.kind) {
    case "exists":
    case "changed":
      throw changed(path, await outcomeNow(tool, request, call), command)
    case "written":
      remember(tool, call, path, write.version)
      return done(write, editedText(path, outcome, command), {
        locations: [{ path, line: outcome.line }],
        diffs: command === "insert" ? [] : [{ path, oldText: outcome.removed, newText: outcome.inserted }],
        changes: [{ path, kind: "modify" }],
      })
  }
}

function asked(tool: ToolState, intent: ChangeIntent): Promise<Version | null> {
  return decideIntent(tool.intents, intent)
}

interface TextFile {
  readonly document: TextDocument
  readonly version: Version
  readonly charset: Charset | undefined
}

async function textFile(tool: ToolState, path: string, read: ToolRead, call: CallContext): Promise<TextFile> {
  if (read.kind !== "file") throw notFileFailure(path, read)
  const charset = await tool.files.charsetFor(path, call)
  const document = decodeDocument(read.bytes, charset)
  if (isNotText(document)) throw new Failure("NOT_TEXT", notTextText(path, document.message))
  return { document, version: read.version, charset }
}

/**
 * The text in its encoding. What could not be read back as the same text (a NUL, half a surrogate pair, a character the
 * encoding lacks) is refused before anything is touched.
 */
function encoded(
  path: string,
  text: string,
  encoding: Encoding,
  charset: Charset | undefined,
  field: string,
): Uint8Array {
  const bytes = encodeDocument(text, encoding, charset?.codec)
  if (isNotText(bytes)) throw new Failure("NOT_TEXT", unwritableText(path, field, bytes.message))
  const again = decodeDocument(bytes, charset)
  if (isNotText(again)) throw new Failure("NOT_TEXT", unwritableText(path, field, again.message))
  if (again.text !== text && `\uFEFF${again.text}` !== text)
    throw new Failure("NOT_TEXT", unwritableText(path, field, "It would be taken for another encoding"))
  return bytes
}

function refusal(
  tool: ToolState,
  request: EditRequest & { path: string },
  document: TextDocument,
  outcome: Exclude<EditOutcome, { kind: "edited" }>,
  at: { readonly call: CallContext; readonly version: Version },
): Failure {
  const { path } = request
  switch (outcome.kind) {
    case "noMatch": {
      if (request.command === "insert") throw new Error("BUG: an insert has nothing to match")
      const seen = tool.seen.get(seenKey(at.call, path))
      const hint = missHint(document.text, request.oldStr, request.newStr)
      const changedSince = seen !== undefined && seen !== at.version
      const text = noMatchText(path, document.text, request, hint, changedSince)
      return new Failure("NO_MATCH", text.message, text.hint)
    }
    case "manyMatches": {
      const text = notUniqueText(path, document.text, outcome)
      return new Failure("NOT_UNIQUE", text.message, text.hint)
    }
    case "unchanged":
      return new Failure("BAD_ARGUMENT", `${shownPath(path)} would not change: it already reads so.`)
    case "noSuchLine":
      return new Failure("BAD_ARGUMENT", noSuchLineText(path, outcome.lines))
  }
}

/** What the request would meet in what is there by now. A trouble in looking must not hide that the file changed. */
async function outcomeNow(
  tool: ToolState,
  request: EditRequest & { path: string },
  call: CallContext,
): Promise<EditOutcome | null> {
  try {
    const { document } = await textFile(tool, request.path, await tool.files.read(request.path, call), call)
    return editDocument(document, request, tool.config.expandTabsOnMutation)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

function changed(path: string, now: EditOutcome | null, command: "create" | "str_replace" | "insert"): Failure {
  const text = changedText(path, now, command)
  return new Failure("FILE_CHANGED_SINCE_READ", text.message, text.hint)
}

function done(
  write: Extract<ToolWrite, { kind: "written" }>,
  text: string,
  what: Pick<EditResult, "locations" | "diffs" | "changes">,
): EditResult {
  return {
    ok: true,
    text: write.remark === undefined ? text : `${text} ${write.remark}`,
    ...what,
    version: write.version,
    ...(write.held === undefined ? {} : { held: write.held }),
  }
}

function failed(failure: Failure, locations: readonly Location[]): EditResult {
  const error = failure.toData()
  const text = error.hint === undefined ? error.message : `${error.message}\n${error.hint}`
  return { ok: false, text, error, locations, diffs: [], changes: [] }
}

function remember(tool: ToolState, call: CallContext, path: string, version: Version): void {
  const key = seenKey(call, path)
  tool.seen.delete(key)
  tool.seen.set(key, version)
  if (tool.seen.size <= mostSeen) return
  const [oldest] = tool.seen.keys()
  if (oldest !== undefined) tool.seen.delete(oldest)
}

function seenKey(call: CallContext, path: string): string {
  return `${call.conversation ?? ""}\0${path}`
}
