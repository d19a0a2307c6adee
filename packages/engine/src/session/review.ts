import { decideSides, type Decision } from "@galley/core/change/sides-decision.ts"
import type { OnOverlap } from "@galley/core/change/state-merge.ts"
import { Failure } from "@galley/core/failure.ts"
import { showPath } from "@galley/core/path.ts"
import type { RequestContext, Selection } from "@galley/core/protocol/requests.ts"
import type { DecisionResult } from "@galley/core/protocol/results.ts"
import type { Parked } from "../store/store.ts"
import { authorshipOf } from "./authors.ts"
import { type ByProductsDecided, decideByProducts } from "./by-products.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { rejectedNotes } from "./feedback.ts"
import { deriveView, fileViews, type SubjectView } from "./file-view.ts"
import { lookAtGit } from "./git.ts"
import { decideMessage } from "./message-decision.ts"
import { decideParked, parkedUnder } from "./park.ts"
import { refuseAgent } from "./policy.ts"
import { repairInterrupted } from "./repair.ts"
import { chosenIn, isPartial, selectSubjects, type SelectedSubject } from "./selection.ts"
import type { Session } from "./session.ts"
import { turnsOfSubject } from "./subject-turns.ts"

/**
 * Accepts or rejects what a selection names: hunks, lines or properties of a file, a file, a folder, a message, everything.
 *
 * One operation, wholly or not at all. `CONFLICT` where the person must choose (or, by message, where another message is needed
 * too), `STALE_REVISION` where the selection was made from an older state; nothing is changed then.
 */
export async function decide(
  session: Session,
  context: RequestContext,
  selection: Selection,
  decision: Decision,
): Promise<DecisionResult> {
  refuseAgent(context, decision === "accept" ? "Accepting" : "Rejecting")
  return session.lock.hold(async () => {
    await repairInterrupted(session)
    await lookAtGit(session)
    return decideLocked(session, selection, decision)
  })
}

/** {@link decide} for a caller that holds the lock (an answer to a waiting call). */
export async function decideLocked(
  session: Session,
  selection: Selection,
  decision: Decision,
  facts: { readonly kind?: "answer"; readonly title?: string } = {},
): Promise<DecisionResult> {
  const onOverlap = selection.onConflict ?? "stop"
  const parked = await parkedOnly(session, selection)
  if (parked.length > 0) {
    const done = await decideParked(session, parked, decision, onOverlap, selection.force === true)
    return {
      version: 1,
      operation: done.operation?.id ?? null,
      title: done.title,
      files: await fileViews(session, done.items),
    }
  }
  const aside = await decideByProducts(session, selection, decision)
  if (aside === null) return decideItems(session, selection, decision, facts, null)
  try {
    const only = await onlyByProducts(session, selection)
    const done = only
      ? await recordByProducts(session, aside, facts.kind ?? decision)
      : await decideItems(session, selection, decision, facts, aside)
    if (done.operation !== null) aside.recorded(done.operation)
    return done
  } catch (error) {
    aside.takeBack()
    throw error
  }
}

async function recordByProducts(
  session: Session,
  { title, remark }: ByProductsDecided,
  kind: Decision | "answer",
): Promise<DecisionResult> {
  const facts = { kind, actor: "person", conversation: null, message: null, title, capture: "none", remark } as const
  const { operation } = await commitTurns(session, [], facts, {}, { always: true })
  return { version: 1, operation: operation?.id ?? null, title, files: [] }
}

async function decideItems(
  session: Session,
  selection: Selection,
  decision: Decision,
  facts: { readonly kind?: "answer"; readonly title?: string },
  aside: ByProductsDecided | null,
): Promise<DecisionResult> {
  const onOverlap = selection.onConflict ?? "stop"
  const selected = await selectSubjects(session, selection)
  const decided: { shown: SelectedSubject; turns: Turn[]; hunks: number }[] = []
  for (const subject of selected) {
    const outcome =
      selection.message === undefined
        ? await decideSubject(session, subject, selection, decision, onOverlap)
        : await decideMessage(session, subject, selection.message, decision, onOverlap)
    if (outcome !== null) decided.push({ shown: subject, ...outcome })
  }
  const own = titleOf(decision, selection, decided)
  const title = facts.title ?? (aside === null ? own : decided.length === 0 ? aside.title : `${own}; ${aside.title}`)
  const notes =
    decision === "reject" && facts.kind === undefined
      ? await rejectedNotes(
          session,
          decided.map(one => ({ shown: one.shown.shown, turns: one.turns })),
        )
      : []
  const { operation, items } = await commitTurns(
    session,
    decided.flatMap(one => one.turns),
    {
      kind: facts.kind ?? decision,
      actor: "person",
      conversation: null,
      message: null,
      title,
      capture: "none",
      ...(aside === null ? {} : { remark: aside.remark }),
    },
    notes.length === 0 ? {} : { notes },
    { always: aside !== null, force: selection.force === true },
  )
  return { version: 1, operation: operation?.id ?? null, title, files: await fileViews(session, items) }
}

async function onlyByProducts(session: Session, selection: Selection): Promise<boolean> {
  if (selection.path === undefined) return false
  const path = await session.root.resolveEntry(selection.path)
  return (await session.store.items({ pending: true, under: path })).length === 0
}

/** What is parked at a path where nothing is pending; everything else never touches parked items. */
async function parkedOnly(session: Session, selection: Selection): Promise<readonly Parked[]> {
  if (selection.path === undefined || selection.message !== undefined || isPartial(selection)) return []
  const path = await session.root.resolveEntry(selection.path)
  const pending = await session.store.items({ pending: true, under: path })
  return pending.length > 0 ? [] : parkedUnder(session, path)
}

async function decideSubject(
  session: Session,
  { shown, standings }: SelectedSubject,
  selection: Selection,
  decision: Decision,
  onOverlap: OnOverlap,
): Promise<{ turns: Turn[]; hunks: number } | null> {
  const charset = await session.charsetFor(shown.subject.path)
  let now = shown
  let hunks = 0
  // Of a renamed file "existence" is its name, which has no part in the text.
  const renamed = shown.subject.partner !== null && selection.properties?.includes("existence") === true
  const asked = renamed
    ? { ...selection, properties: selection.properties?.filter(name => name !== "existence") ?? [] }
    : selection
  // Lines that span several hunks are decided hunk by hunk, from the last, so that the earlier ones keep their places.
  for (const chosen of chosenIn(shown, asked)) {
    const authorship = decision === "reject" ? await authorshipOf(session, shown.subject.path, now.view) : null
    const outcome = decideSides(now.sides, chosen, decision, onOverlap, {
      charset,
      authorship,
      conflicting: now.conflicting,
      movedWhole: now.movedWhole,
    })
    if (outcome.kind === "conflict") throw conflict(shown, outcome.reason, outcome.hunks.length)
    hunks += chosen.kind === "hunks" ? chosen.hunks.length : chosen.kind === "all" ? Math.max(shown.hunks.length, 1) : 1
    now = await deriveView(session, shown.subject, outcome.sides)
  }
  const turns = turnsOfSubject(
    shown.subject,
    standings,
    now,
    decision,
    renamed || !isPartial(selection) ? "name" : "text",
  )
  return { turns, hunks }
}

function conflict(shown: SubjectView, reason: string, hunks: number): Failure {
  const where = hunks > 1 ? ` (${hunks} hunks)` : ""
  return new Failure(
    "CONFLICT",
    `${showPath(shown.subject.path)}${where}: ${reason} Nothing was changed.`,
    "Choose --on-conflict keep-mine (the person's text stays) or take-theirs; either settles only what overlaps.",
  )
}

function titleOf(
  decision: Decision,
  selection: Selection,
  decided: readonly { readonly shown: SelectedSubject; readonly hunks: number }[],
): string {
  const verb = decision === "accept" ? "Accept" : "Reject"
  const [first] = decided
  if (first === undefined) return `${verb} nothing`
  const path = showPath(first.shown.shown.subject.path)
  if (selection.message !== undefined)
    return `${verb} message ${selection.message} in ${decided.length === 1 ? path : `${decided.length} files`}`
  if (decided.length > 1) return `${verb} all in ${decided.length} files`
  if (!isPartial(selection)) return `${verb} all of ${path}`
  if (selection.lines !== undefined) return `${verb} lines in ${path}`
  if (selection.properties !== undefined) return `${verb} ${selection.properties.join(" and ")} of ${path}`
  return `${verb} ${first.hunks === 1 ? "1 hunk" : `${first.hunks} hunks`} in ${path}`
}
