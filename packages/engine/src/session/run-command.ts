import { showPath } from "@galley/core/path.ts"
import type { CallResult } from "@galley/core/protocol/results.ts"
import { asideTree } from "../io/aside.ts"
import { commandEnvironment, shellPath } from "../io/environment.ts"
import { askOnDisk } from "../io/ignored.ts"
import { type Survey, surveyWorkspace } from "../io/view-copy.ts"
import { probeViews, type ViewSupport } from "../io/view-probe.ts"
import { runInView, type ViewRequest, type ViewRun } from "../io/view.ts"
import { byProductLayer } from "./by-products.ts"
import { writableCaches } from "./caches.ts"
import { diffOfSides } from "./diff-text.ts"
import { failureFrom } from "./disk-trouble.ts"
import { reviewModeOf } from "./policy.ts"
import { loadSeen, pendingLayer, recordRun } from "./run.ts"
import { runDirectly } from "./run-directly.ts"
import { afterReview, type CommandRequest, noFolder, outputLimit, outputTo, resultOf } from "./run-result.ts"
import type { SessionCall } from "./session-files.ts"
import type { Session } from "./session.ts"

/** What is known of this machine's views; found out once for a process. */
export interface ViewFacts {
  support: ViewSupport | null
  survey: Survey | null
}

/**
 * Runs a command so that what it changes can be reviewed (DESIGN §5): in a view of the workspace with the agent's pending text,
 * or, where there is none and changes are applied at once, directly between two looks at the disk.
 */
export async function runCommand(
  session: Session,
  facts: ViewFacts,
  request: CommandRequest,
  call: SessionCall,
): Promise<{ readonly result: CallResult; readonly cwd: string | null }> {
  const support = await supportOf(session, facts)
  if (support.kind === "unavailable") return runDirectly(session, request, call, support.reason)
  const outcome = await runInView({
    ...(await viewRequest(session, facts, request, call)),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
    onOutput: outputTo(call),
    ...(call.io.readerGone === undefined ? {} : { readerGone: call.io.readerGone }),
  }).catch((error: unknown) => {
    // No space for the view, before the command or while what it left was read.
    throw failureFrom(error, "The view of the command could not be made or read. Nothing of it is kept.") ?? error
  })
  if (outcome.kind === "noView" && outcome.noCwd === true) return { result: noFolder(request), cwd: session.root.path }
  if (outcome.kind === "noView") return runDirectly(session, request, call, outcome.reason)
  if (outcome.foreignOwner) facts.survey = null
  try {
    return { result: await resultOfView(session, request, call, outcome), cwd: outcome.cwd }
  } finally {
    await outcome.close()
  }
}

/** The view that a command of this call runs in. */
export async function viewRequest(
  session: Session,
  facts: ViewFacts,
  request: CommandRequest,
  call: SessionCall,
): Promise<ViewRequest> {
  const { scratch } = session
  if (scratch === null) throw new Error("BUG: views are available without a scratch folder")
  facts.survey ??= await surveyWorkspace(session.root.path, session.config["view.regenerable"])
  const applies = reviewModeOf(session, call.context) === "apply" && call.policy !== "read-only"
  const aside = applies ? [] : byProductLayer(session)
  return {
    root: session.root.path,
    pending: await pendingLayer(session, aside),
    ...(aside.length === 0 ? {} : { below: asideTree(scratch) }),
    command: request.argv ?? request.text,
    cwd: request.cwd,
    env: commandEnvironment(session.env.variables),
    timeoutMs: request.timeoutMs,
    outputLimit,
    mask: [scratch, ...session.masked],
    git: applies ? "through" : "dropped",
    passThrough: applies ? await regenerableFolders(session) : [],
    caches: await writableCaches(session),
    dependencyFolders: session.config["view.regenerable"],
    scratch: `${scratch}/views`,
    id: session.env.newId(),
    owners: facts.survey.owners,
    linked: facts.survey.linked,
  }
}

/** Whether texts are run by bash; else it is the machine's sh. */
export function runsBash(): boolean {
  return shellPath().endsWith("/bash")
}

export async function supportOf(session: Session, facts: ViewFacts): Promise<ViewSupport> {
  if (!session.config["view.enabled"]) return { kind: "unavailable", reason: "views are switched off (view.enabled)" }
  if (session.scratch === null) return { kind: "unavailable", reason: "no scratch folder was given" }
  facts.support ??= await probeViews(`${session.scratch}/views`, session.env.newId())
  return facts.support
}

/** Folders at the top that can be made again and that git ignores: commands write the real ones, unrecorded. */
async function regenerableFolders(session: Session): Promise<string[]> {
  const names = (await session.files.list(session.root.path))
    .filter(entry => entry.kind === "folder" && session.config["view.regenerable"].includes(entry.name))
    .map(entry => entry.name)
  if (names.length === 0) return []
  const ignored = await askOnDisk(session.root.path)(names.map(name => `./${name}/`))
  return names.filter(name => ignored?.has(`./${name}/`) === true)
}

async function resultOfView(
  session: Session,
  request: CommandRequest,
  call: SessionCall,
  run: ViewRun,
): Promise<CallResult> {
  const capture = "previewed"
  if (call.policy === "read-only") {
    const changed = run.changes.length + run.byProducts.length > 0
    const note = changed
      ? [`The sandbox policy is read-only: what the command changed was not kept.\n${await refusedDiff(session, run)}`]
      : []
    return resultOf(request, run, { capture, remarks: [...note, ...run.remarks], denied: changed })
  }
  const recorded = await recordRun(session, call, {
    capture,
    changes: run.changes,
    byProducts: run.byProducts,
    remarks: run.remarks,
    refsMoved: run.refsMoved,
    refsDropped: reviewModeOf(session, call.context) !== "apply",
    onDisk: false,
  })
  return afterReview(session, request, call, run, { capture, remarks: recorded.remarks, outcome: recorded })
}

/** What was not kept, as a diff, within {@link refusedDiffLimit} characters. */
async function refusedDiff(session: Session, run: ViewRun): Promise<string> {
  let text = ""
  for (const [at, change] of run.changes.entries()) {
    if (text.length > refusedDiffLimit) {
      text = `${text.slice(0, refusedDiffLimit)}\n[… and ${run.changes.length - at} more files …]\n`
      break
    }
    const sides = { base: await loadSeen(change.before), current: await loadSeen(change.after) }
    text += await diffOfSides(session, change.path, sides)
  }
  const whole = text.length > refusedDiffLimit ? `${text.slice(0, refusedDiffLimit)}\n[… cut …]\n` : text
  return whole + run.byProducts.map(product => `${showPath(product.folder)}/: ${product.paths} paths\n`).join("")
}

const refusedDiffLimit = 20_000
