import type { StatusResult } from "@galley/core/protocol/results.ts"
import { commands, Disposable, window } from "vscode"
import { patched, sectionsOf } from "../review/patched.ts"
import { type Session, shortTitle } from "../session.ts"
import type { Sessions } from "../sessions.ts"
import { told } from "./decide.ts"
import { openReview } from "./review-tabs.ts"
import { type PlannedTexts, sideUri } from "./virtual-texts.ts"

export type Waiting = StatusResult["waiting"][number]

/** Puts each question to the person once; it stays in the view until it is answered. */
export function putQuestions(sessions: Sessions, planned: PlannedTexts): Disposable {
  const put = new Set<string>()
  return sessions.onDidChange(() => {
    for (const session of sessions.all)
      for (const waiting of session.status?.waiting ?? []) {
        if (put.has(waiting.id)) continue
        put.add(waiting.id)
        void question(session, waiting, planned)
      }
  })
}

async function question(session: Session, waiting: Waiting, planned: PlannedTexts): Promise<void> {
  const choice = await window.showInformationMessage(
    `The agent asks: ${shortTitle(session, waiting.title)}`,
    "Review",
    "Allow",
    "Deny…",
  )
  // It may have been answered meanwhile, here or on another surface.
  if (choice === undefined || session.status?.waiting.every(one => one.id !== waiting.id) === true) return
  if (choice === "Review") await reviewAsk(session, waiting, planned)
  else if (choice === "Allow") await allow(session, waiting)
  else await deny(session, waiting)
}

/** Shows what is asked: the pending file if there is one, so that it can be edited; else its diff; else the command. */
export async function reviewAsk(session: Session, waiting: Waiting, planned: PlannedTexts): Promise<void> {
  await told(async () => {
    const file = waiting.path === undefined ? null : session.fileAt(waiting.path)
    if (file !== null) return openReview(session, file)
    const real = session.uriOf(waiting.path ?? `command.${waiting.id}.sh`)
    const before = sideUri(real, { kind: "planned", plan: `asked-before:${waiting.id}` })
    const after = sideUri(real, { kind: "planned", plan: `asked:${waiting.id}` })
    if (waiting.path === undefined || waiting.diff === undefined) {
      planned.set(after.toString(), [waiting.command, waiting.diff].filter(text => text !== undefined).join("\n\n"))
      await commands.executeCommand("vscode.open", after, {}, waiting.title)
      return
    }
    const disk = await session.request("cat", { path: waiting.path, side: "current" })
    const text = disk.text ?? ""
    const whole = patched(text, waiting.diff)
    const shown = whole === null ? sectionsOf(waiting.diff) : { before: text, after: whole }
    planned.set(before.toString(), shown.before)
    planned.set(after.toString(), shown.after)
    await commands.executeCommand("vscode.diff", before, after, shortTitle(session, waiting.title))
  })
}

export async function allow(session: Session, waiting: Waiting): Promise<void> {
  await answer(session, { id: waiting.id, decision: "allow" })
}

/** Asks for a reason, which the agent is told. An empty one is a reason not to give one; leaving the box is no answer. */
export async function deny(session: Session, waiting: Waiting): Promise<void> {
  const reason = await window.showInputBox({
    title: `Deny: ${shortTitle(session, waiting.title)}`,
    prompt: "What should the agent know? It is told at once.",
    placeHolder: "Reason (may be empty)",
    ignoreFocusOut: true,
  })
  if (reason === undefined) return
  await answer(session, { id: waiting.id, decision: "deny", ...(reason === "" ? {} : { reason }) })
}

async function answer(
  session: Session,
  params: { id: string; decision: "allow" | "deny"; reason?: string },
): Promise<void> {
  await told(async () => {
    try {
      await session.request("answer", params)
    } finally {
      await session.refresh().catch(() => {})
    }
  })
}
