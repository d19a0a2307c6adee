import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { OnConflict, Params, Result } from "@galley/core/protocol/requests.ts"
import type { RewindStepView } from "@galley/core/protocol/results.ts"
import { commands, EventEmitter, type Uri, window } from "vscode"
import { patched, sectionsOf } from "../review/patched.ts"
import { effectiveSteps, planSummary } from "../review/plan-summary.ts"
import { type Session, shortTitle } from "../session.ts"
import { keepMine, savedBefore, takeTheirs, told } from "./decide.ts"
import { type PlannedTexts, sideUri } from "./virtual-texts.ts"

/** A restore that was looked at and not yet done. */
export interface Plan {
  readonly session: Session
  readonly message: string
  readonly after: boolean
  readonly title: string
  readonly steps: readonly RewindStepView[]
}

/** The one restore that is being looked at. */
export class Plans {
  current: Plan | null = null
  private readonly emitter = new EventEmitter<void>()
  readonly onDidChange = this.emitter.event

  put(plan: Plan | null): void {
    this.current = plan
    void commands.executeCommand("setContext", "galley.planning", plan !== null)
    this.emitter.fire()
  }
}

/** Shows what restoring would do, and asks. Nothing is written before the answer. */
export async function planRestore(
  session: Session,
  message: string,
  after: boolean,
  plans: Plans,
  planned: PlannedTexts,
): Promise<void> {
  await told(async () => {
    const first = await session.request("rewind", { message, after, plan: true })
    const paths = effectiveSteps(first.steps).map(step => step.path)
    if (!(await savedBefore(session, paths, "go on"))) return
    // Planned anew: what was saved is merged in.
    const { steps } = await session.request("rewind", { message, after, plan: true })
    const found = session.log?.messages.find(one => one.id === message)
    const plan: Plan = {
      session,
      message,
      after,
      title: shortTitle(session, found?.title ?? message),
      steps: effectiveSteps(steps),
    }
    plans.put(plan)
    await showPlan(plan, planned)
    await askPlan(plan, plans)
  })
}

/** The plan as a multi-file diff: the disk on the left, what will be there on the right. */
export async function showPlan(plan: Plan, planned: PlannedTexts): Promise<void> {
  const parts: (readonly [Uri, Uri | undefined, Uri | undefined])[] = []
  for (const step of plan.steps) {
    const real = plan.session.uriOf(step.path)
    const before = sideUri(real, { kind: "planned", plan: `before:${plan.message}` })
    const after = sideUri(real, { kind: "planned", plan: `after:${plan.message}` })
    const disk = await plan.session.request("cat", { path: step.path, side: "disk" }).catch(() => null)
    const text = disk?.text ?? ""
    const whole = step.diff === undefined ? text : patched(text, step.diff)
    // The diff of a conflict is made from a text that is on no disk: its sections are shown alone.
    const shown = whole === null ? sectionsOf(step.diff ?? "") : { before: text, after: whole }
    planned.set(before.toString(), shown.before)
    planned.set(after.toString(), shown.after)
    parts.push([real, disk?.absent === true ? undefined : before, step.action === "delete" ? undefined : after])
  }
  if (parts.length > 0) await commands.executeCommand("vscode.changes", `Restore “${plan.title}”: plan`, parts)
}

async function askPlan(plan: Plan, plans: Plans): Promise<void> {
  const conflicts = plan.steps.filter(step => step.action === "conflict")
  const where = plan.after ? "after" : "before"
  const text = `Restore to ${where} “${plan.title}”? ${planSummary(plan.steps)}`
  if (conflicts.length === 0) {
    const choice = await window.showInformationMessage(text, "Restore", "Cancel")
    if (choice === "Restore") await carryOut(plan, null, plans)
    else if (choice === "Cancel" && plans.current === plan) plans.put(null)
    return
  }
  const names = conflicts.map(step => showPath(step.path)).join(", ")
  const choice = await window.showWarningMessage(
    `${text} Your edits and the agent's meet in the same lines of ${names}.`,
    keepMine,
    takeTheirs,
    "Cancel",
  )
  if (choice === keepMine) await carryOut(plan, "keep-mine", plans)
  else if (choice === takeTheirs) await carryOut(plan, "take-theirs", plans)
  else if (choice === "Cancel" && plans.current === plan) plans.put(null)
}

/** Restores as planned. A plan that is not the current one was answered elsewhere. */
export async function carryOut(plan: Plan, onConflict: OnConflict | null, plans: Plans): Promise<void> {
  if (plans.current !== plan) return
  await told(async () => {
    const { session, message, after } = plan
    const paths = plan.steps.map(step => step.path)
    if (!(await savedBefore(session, paths, "restore"))) return
    const choice = onConflict === null ? {} : { onConflict }
    try {
      const done = await rewindOrForce(session, { message, after, ...choice })
      if (done === null) return
      if (!done.applied && done.steps.some(step => step.action === "conflict"))
        throw new Failure(
          "CONFLICT",
          "Your edits changed since the plan was made and meet the agent's now. Plan again.",
        )
    } finally {
      await session.refresh().catch(() => {})
    }
    plans.put(null)
    await closePlanTabs()
    void window.showInformationMessage(`Restored “${plan.title}”. ${planSummary(plan.steps)}`, "Undo").then(choice => {
      if (choice === "Undo") void commands.executeCommand("galley.undo")
    })
  })
}

/** Restores; in the middle of a rebase or merge only after a word of its own. Null where the person would rather not. */
async function rewindOrForce(session: Session, params: Params<"rewind">): Promise<Result<"rewind"> | null> {
  try {
    return await session.request("rewind", params)
  } catch (error) {
    // Only git under way is refused with this hint; texts that overlap have choices of their own.
    if (!(error instanceof Failure) || error.code !== "CONFLICT" || error.hint?.includes("--force") !== true)
      throw error
    const what = /A (\w[\w -]*) is under way/.exec(error.message)?.[1] ?? "git operation"
    const choice = await window.showWarningMessage(
      `A ${what} is under way in this repository.`,
      {
        modal: true,
        detail: `Restoring now writes files that the ${what} is working on, and may mix the two. It is safer to finish or abort it first. The restore can be undone.`,
      },
      restoreAnyway,
    )
    return choice === restoreAnyway ? session.request("rewind", { ...params, force: true }) : null
  }
}

const restoreAnyway = "Restore Anyway"

/** The multi-file diff of a plan has no public type; it is told by its label, which nothing else of ours has. */
export async function closePlanTabs(): Promise<void> {
  const tabs = window.tabGroups.all.flatMap(group => group.tabs).filter(tab => /^Restore “.*”: plan/.test(tab.label))
  if (tabs.length > 0) await window.tabGroups.close(tabs, true)
}
