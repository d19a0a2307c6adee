import { lstatSync, readFileSync, writeFileSync } from "node:fs"
import { isWithin, type WorkspacePath } from "@galley/core/path.ts"
import { type CollectedView, collectView } from "./view-collect.ts"
import { absentList, type LayerEntry, makeRunFolder, nulList, removeTree, writeLayer } from "./view-folder.ts"
import { type GitPolicy, gitPlan } from "./view-git.ts"
import {
  foldersToCopyUp,
  isKnownLocal,
  saysCrossDevice,
  saysForeignOwner,
  saysReadOnly,
  viewRefusal,
} from "./view-limits.ts"
import { type LinkedFiles, namedLinks, seedLinks } from "./view-links.ts"
import { mountTable } from "./view-mounts.ts"
import { copyReason, planMounts } from "./view-plan.ts"
import { type EndedView, type FailedView, startView } from "./view-process.ts"
import type { Command, ProcessEnd } from "./processes.ts"
import type { FolderRename } from "./renames.ts"
import type { ByProduct, DiskChange } from "./seen.ts"
import type { RefMove } from "./git-folder.ts"
import { copyOver, copyWorkspace } from "./view-copy.ts"

/** A command to run over the workspace as it should see it, with the person's disk untouched (DESIGN §5, "A view"). */
export interface ViewRequest {
  /** Absolute, symlinks resolved. */
  readonly root: string
  /** What the command sees instead of the disk (hold, ask): the agent's pending text. */
  readonly pending: readonly LayerEntry[]
  /** Folder with the files of `pending` that are `kept` or `isBelow`, under their workspace paths; laid over the disk. */
  readonly below?: string
  readonly command: Command
  /** Absolute; exists in the view. */
  readonly cwd: string
  /** From `commandEnvironment`; `GALLEY_VIEW=1` is added. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number | null
  readonly signal?: AbortSignal
  readonly onOutput?: (chunk: Uint8Array) => void
  /** See `ProcessRequest`. */
  readonly readerGone?: AbortSignal
  readonly outputLimit: number
  /** Folders out of the command's reach: the store. They look empty. */
  readonly mask: readonly string[]
  /**
   * `through`: real git directories, so that commits and the index are the agent's own (apply). `dropped`: what the command does to
   * them is thrown away, and told (hold, ask).
   */
  readonly git: GitPolicy
  /** Folders of the workspace that can be made again (node_modules, target): the command writes the real ones, uncaptured. */
  readonly passThrough: readonly WorkspacePath[]
  /** Folders outside that stay writable (~/.cache, ~/.npm); made where missing. */
  readonly caches: readonly string[]
  /** Names of folders that are one line even outside git. */
  readonly dependencyFolders: readonly string[]
  /** A folder of Galley's own on a disk with xattrs, outside the workspace; runs make and remove folders in it. */
  readonly scratch: string
  /** Part of the run folder's name: from `Env.newId`. */
  readonly id: string
  /** From `surveyWorkspace`: whether files of other owners or groups stand in the workspace; then a private copy is used. */
  readonly owners: "own" | "foreign"
  /** From `surveyWorkspace`: files with several names. Those that the command names are found anew. */
  readonly linked?: readonly WorkspacePath[]
}

export interface ViewRun extends ProcessEnd {
  readonly changes: readonly DiskChange[]
  /** Whole folders that moved, for display; their files are in `changes` with `renamedFrom`. */
  readonly folderRenames: readonly FolderRename[]
  readonly byProducts: readonly ByProduct[]
  /** What a person or the agent must know: "ran twice", "git state not kept: accept first", … */
  readonly remarks: readonly string[]
  /** `through`: refs that moved. `dropped`: those that would have moved; they did not. */
  readonly refsMoved: readonly RefMove[]
  /** The command tried to write outside the workspace and was refused. */
  readonly outsideWrites: "refused" | "none"
  /** Another owner's file was met: ask `surveyWorkspace` again before the next run. */
  readonly foreignOwner: boolean
  /** Removes what the run keeps for `read` and `open`. Call it when all that is wanted was read. */
  close(): Promise<void>
}

/** A view that could not be made. Nothing was run. */
export interface NoView {
  readonly kind: "noView"
  readonly reason: string
  /** The view could be made, but has no such working directory. */
  readonly noCwd?: true
}

export type ViewOutcome = ({ readonly kind: "ran" } & ViewRun) | NoView

/**
 * Runs a command in a view and tells what it changed. Nothing is written to the workspace: the caller decides what becomes of
 * the changes. With `git: "through"` git directories are the exception, also ones the command made.
 *
 * When it fails before the command starts, `noView` says why and nothing is left behind. Timeout and abort end every process of the view;
 * what was changed up to there is told. If this process dies, the kernel ends the view; its folder is swept at the next start.
 */
export async function runInView(request: ViewRequest): Promise<ViewOutcome> {
  const refusal = viewRefusal(request.root, request.env["HOME"] ?? "", request.scratch)
  if (refusal !== null) return { kind: "noView", reason: refusal }
  const upFront = await foldersToCopyUp(request, "git mv")
  const first = await runOnce(request, upFront, request.id)
  if (first.kind === "noView" || !saysCrossDevice(first.output)) return first
  const remark = "a folder could not be renamed inside the view (EXDEV)"
  const folders = isKnownLocal(request.command) ? await foldersToCopyUp(request, "any") : []
  if (folders.length === 0) {
    const advice = `${remark}; the command may have stopped half-way. Copying the folder and removing the old one works.`
    return { ...first, remarks: [...first.remarks, advice] }
  }
  await first.close()
  const second = await runOnce(request, folders, `${request.id}b`)
  if (second.kind === "noView") return second
  return { ...second, remarks: [...second.remarks, `${remark}: ran a second time from the start`] }
}

async function runOnce(
  request: ViewRequest,
  copyUp: readonly WorkspacePath[],
  id: string,
  ownProc = true,
): Promise<ViewOutcome> {
  const run = makeRunFolder(request.scratch, id)
  try {
    const outcome = await runIn(run, request, copyUp, ownProc)
    if (outcome !== "noProc" && outcome.kind === "ran") return outcome
    removeTree(run)
    // Nothing was run: the /proc of a container is masked and may not be mounted anew. The view then shows the machine's.
    return outcome === "noProc" ? await runOnce(request, copyUp, `${id}p`, false) : outcome
  } catch (error) {
    removeTree(run)
    throw error
  }
}

async function runIn(
  run: string,
  request: ViewRequest,
  copyUp: readonly WorkspacePath[],
  ownProc: boolean,
): Promise<ViewOutcome | "noProc"> {
  const git = await gitPlan(request.root, request.cwd, request.git)
  const why = copyReason(request.root, request.owners)
  const copy = why === null ? null : await copyWorkspace(request.root, `${run}/upper`, why)
  const plan = planMounts(run, request, git, copy !== null)
  if (copy !== null && request.below !== undefined) await copyOver(request.below, `${run}/upper`)
  const links = copy ?? linksFor(run, request)
  writeLayer(`${run}/upper`, request.root, request.pending)
  writeFileSync(`${run}/table`, mountTable(plan.steps))
  writeFileSync(`${run}/absent`, absentList(request.pending))
  writeFileSync(`${run}/copyup`, nulList(copy === null ? copyUp : []))
  const startedNs = lstatSync(`${run}/copyup`, { bigint: true }).ctimeNs
  const view = await startView({
    command: request.command,
    cwd: request.cwd,
    env: { ...request.env, GALLEY_VIEW: "1", TMPDIR: "/tmp" },
    timeoutMs: request.timeoutMs,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
    ...(request.onOutput === undefined ? {} : { onOutput: request.onOutput }),
    ...(request.readerGone === undefined ? {} : { readerGone: request.readerGone }),
    outputLimit: request.outputLimit,
    run,
    root: request.root,
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    closing: plan.closing,
    endsWithUs: plan.endsWithUs,
    ownProc,
  })
  if ("failed" in view && view.failed === "proc" && ownProc) return "noProc"
  if ("failed" in view)
    return {
      kind: "noView",
      reason: failureReason(run, view),
      ...(view.failed === "cwd" ? { noCwd: true as const } : {}),
    }
  try {
    const collected = await collectView({ run, request, git, plan, copy, links, view, startedNs })
    return { kind: "ran", ...view.end, ...collected, ...noticed(view, collected), close: closer(run) }
  } finally {
    await view.release()
  }
}

function linksFor(run: string, request: ViewRequest): LinkedFiles {
  const bound = (path: WorkspacePath): boolean => request.passThrough.some(folder => isWithin(path, folder))
  const paths = [...namedLinks(request.root, request.cwd, request.command), ...(request.linked ?? [])]
  const pending = new Set(request.pending.map(entry => entry.path))
  return seedLinks(
    request.root,
    `${run}/upper`,
    paths.filter(path => !bound(path)),
    pending,
  )
}

/** Limits of views that show in what a command says. */
function noticed(
  view: EndedView,
  collected: CollectedView,
): Pick<ViewRun, "remarks" | "outsideWrites" | "foreignOwner"> {
  const refused = saysReadOnly(view.end.output)
  const foreignOwner = saysForeignOwner(view.end.output)
  const remarks = [...collected.remarks]
  if (refused) remarks.push("outside the workspace the disk is read-only in a view, but for /tmp (private) and caches")
  if (foreignOwner) remarks.push("a file of another owner or group could not be written in the view")
  if (view.open) remarks.push("writes outside the workspace could not be prevented")
  return { remarks, outsideWrites: refused ? "refused" : "none", foreignOwner }
}

function closer(run: string): () => Promise<void> {
  return async () => {
    removeTree(run)
    await Promise.resolve()
  }
}

function failureReason(run: string, view: FailedView): string {
  const said = readLog(run)
  return `${failedSteps[view.failed] ?? `the view failed (${view.failed})`}${said === "" ? "" : `: ${said}`}`
}

/** What mount and xargs said first; one failure makes others. */
function readLog(run: string): string {
  const lines = readFileSync(`${run}/io/log`, { encoding: "utf8", flag: "a+" }).split("\n")
  return lines
    .filter(line => line !== "" && !line.includes("dmesg(1)"))
    .slice(0, 2)
    .join("; ")
}

const failedSteps: Readonly<Record<string, string>> = {
  killed: "the view was killed from outside",
  proc: "no process could be started in the view",
  start: "unshare could not make a user namespace",
  mount: "the overlay could not be mounted",
  pending: "pending deletes could not be shown in the view",
  copyup: "a folder could not be copied up in the view",
  cwd: "the working directory does not exist in the view",
  folder: "the view's own folder could not be entered",
}
