import { applySedToBytesSteps } from "@galley/core/sed/bytes.ts"
import { parseSedCommand } from "@galley/core/sed/command.ts"
import { sedLocaleOf } from "@galley/core/sed/locale.ts"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import type { Loaded } from "@galley/core/change/loaded.ts"
import { diffOfSides } from "../session/diff-text.ts"
import { changeView } from "../session/history-views.ts"
import { commandLocale } from "../session/command-locale.ts"
import type { SessionCall } from "../session/session-files.ts"
import type { Session } from "../session/session.ts"
import type { ToolFiles } from "../session/tool-files.ts"

/** A `sed -i` computed in memory: what stands there, and what will. */
export interface SedPreview {
  /** Absolute. */
  readonly path: string
  readonly before: Uint8Array
  readonly after: Uint8Array
  readonly version: string
  readonly replacements: number
}

/**
 * Computes a `sed -i` without starting a process; null where that cannot be done exactly: it then runs as a command. Also null where
 * the file is not a plain one (a symlink or one of several hard links, whose other names sed would leave behind).
 */
export async function previewSed(
  session: Session,
  files: ToolFiles,
  command: string,
  cwd: string,
  call: SessionCall,
): Promise<SedPreview | null> {
  const edit = parseSedCommand(command)
  if (edit.kind === "notSimulated" || (session.env.variables["POSIXLY_CORRECT"] ?? "") !== "") return null
  const path = edit.path.startsWith("/") ? edit.path : `${cwd}/${edit.path}`
  const locale = sedLocaleOf(commandLocale(session.env.variables))
  if (locale === undefined) return null
  try {
    const inside = await session.root.resolveEntry(path)
    if (inside !== (await session.root.resolve(path))) return null
    const stat = await session.files.lstat(session.root.absolute(inside))
    if (stat !== null && (stat.kind !== "file" || stat.links > 1)) return null
    const read = await files.read(path, call)
    if (read.kind !== "file") return null
    const steps = applySedToBytesSteps(edit, read.bytes, locale)
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        if (step.value.kind === "notSimulated") return null
        return {
          path,
          before: read.bytes,
          after: step.value.bytes,
          version: read.version,
          replacements: step.value.replacements,
        }
      }
      await session.env.sleep(0)
    }
  } catch (error) {
    // A path outside, unreadable or odd: sed itself says what is wrong with it.
    if (error instanceof Failure) return null
    throw error
  }
}

/** The call's result if the command is a `sed -i` that can be simulated, written through the same path as the edit tool; else null. */
export async function simulateSed(
  session: Session,
  files: ToolFiles,
  command: string,
  cwd: string,
  call: SessionCall,
): Promise<CallResult | null> {
  const preview = await previewSed(session, files, command, cwd, call)
  if (preview === null) return null
  return writeSed(session, files, preview, preview.after, { ...call, capture: "simulated" })
}

export async function writeSed(
  session: Session,
  files: ToolFiles,
  preview: SedPreview,
  bytes: Uint8Array,
  call: SessionCall,
): Promise<CallResult> {
  const plain = { version: 1 as const, exitCode: 0, capture: "simulated" as const, locations: [{ path: preview.path }] }
  if (bytes === preview.before)
    return {
      ...plain,
      ok: true,
      text: `No line of ${showPath(preview.path)} matched; the file is unchanged.`,
      changes: [],
    }
  if (call.policy === "read-only")
    return {
      ...plain,
      ok: false,
      text: `The sandbox policy is read-only: this edit was not made.\n${await sedDiff(session, preview, bytes)}`,
      changes: [],
      error: { code: "DENIED", message: "The sandbox policy of this session is read-only. Nothing was changed." },
    }
  const written = await files.write(preview.path, bytes, preview.version, call)
  if (written.kind !== "written")
    throw new Failure(
      "FILE_CHANGED_SINCE_READ",
      `${showPath(preview.path)} was changed while sed -i was computed. Nothing was written.`,
      "Repeat the command.",
    )
  const count = preview.replacements === 1 ? "1 replacement" : `${preview.replacements} replacements`
  return {
    ...plain,
    ok: true,
    text: [`${count} in ${showPath(preview.path)}.`, ...(written.remark === undefined ? [] : [written.remark])].join(
      " ",
    ),
    changes: call.recorded.flatMap(outcome => outcome.operation?.changes ?? []).map(changeView),
    diffs: cardsOf(preview, bytes),
    ...(written.held === true ? { held: true } : {}),
  }
}

async function sedDiff(session: Session, preview: SedPreview, bytes: Uint8Array): Promise<string> {
  const path = await session.root.resolve(preview.path)
  const side = (content: Uint8Array): Loaded => ({ kind: "file", bytes: content, mode: 0o644 })
  const diff = await diffOfSides(session, path, { base: side(preview.before), current: side(bytes) })
  return diff.length > diffLimit ? `${diff.slice(0, diffLimit)}\n[… cut …]` : diff
}

/** Characters of a diff in an answer to a model. */
const diffLimit = 20_000

function cardsOf(preview: SedPreview, bytes: Uint8Array): NonNullable<CallResult["diffs"]> {
  const decoder = new TextDecoder()
  // Beyond this a card would be a burden to whoever draws it; the diff is in the review.
  if (bytes.length > 256 * 1024) return []
  return [{ path: preview.path, oldText: decoder.decode(preview.before), newText: decoder.decode(bytes) }]
}
