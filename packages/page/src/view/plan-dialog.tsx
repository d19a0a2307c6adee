import type { OnConflict } from "@galley/core/protocol/requests.ts"
import type { RewindResult, RewindStepView } from "@galley/core/protocol/results.ts"
import { useEffect, useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import { AskError, type Client } from "../wire/client.ts"
import { DiffRows } from "./diff-rows.tsx"
import { Dialog } from "./dialog.tsx"

export interface PlanAsked {
  readonly message: string
  readonly title: string
  readonly after: boolean
}

const words: Readonly<Record<RewindStepView["action"], string>> = {
  write: "changes back",
  restore: "comes back",
  delete: "is removed",
  merge: "keeps your edits",
  conflict: "needs your choice",
  none: "stays as it is",
  skip: "is left alone",
}

/** What going back would do, file by file, before anything is done. */
export function PlanDialog(props: {
  readonly client: Client
  readonly asked: PlanAsked
  readonly close: () => void
  readonly done: (result: RewindResult) => void
}) {
  const { client, asked } = props
  const [plan, setPlan] = useState<RewindResult | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [choice, setChoice] = useState<OnConflict>("stop")
  const [busy, setBusy] = useState(false)
  const [force, setForce] = useState(false)
  useEffect(() => {
    const params = { message: asked.message, after: asked.after, plan: true, onConflict: choice }
    client.ask("rewind", params).then(setPlan, (error: Error) => setProblem(error.message))
  }, [client, asked, choice])
  const steps = plan?.steps ?? []
  const moving = steps.filter(step => step.action !== "none" && step.action !== "skip")
  const conflicts = steps.filter(step => step.action === "conflict")
  const blocked = conflicts.length > 0 && choice === "stop"
  const carryOut = async (): Promise<void> => {
    setBusy(true)
    setProblem(null)
    try {
      const result = await client.ask("rewind", {
        message: asked.message,
        after: asked.after,
        onConflict: choice,
        ...(force ? { force } : {}),
      })
      if (result.applied) props.done(result)
      else {
        setPlan(result)
        setProblem("Nothing was written: something moved meanwhile. This is the plan as it is now.")
      }
    } catch (error) {
      setProblem(
        error instanceof AskError
          ? `${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`
          : String(error),
      )
      setForce(true)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      wide
      title={`${asked.after ? "Go to after" : "Go back to before"} “${inertText(asked.title)}”`}
      close={props.close}
      actions={
        <>
          <span class="fine">You can undo this.</span>
          <button type="button" onClick={props.close}>
            Cancel
          </button>
          <button
            type="button"
            class="primary"
            disabled={plan === null || busy || blocked}
            onClick={() => void carryOut()}
          >
            {force
              ? "Try again"
              : moving.length === 0
                ? "Move there"
                : `Restore ${moving.length} ${moving.length === 1 ? "file" : "files"}`}
          </button>
        </>
      }
    >
      {problem === null ? null : (
        <p class="problem" role="alert">
          {inertText(problem)}
        </p>
      )}
      {plan === null && problem === null ? <p class="nothing">Working out what would be done…</p> : null}
      {plan !== null && steps.length === 0 ? <p class="nothing">No file has to change.</p> : null}
      {conflicts.length > 0 || choice !== "stop" ? (
        <fieldset class="choice">
          <legend>Where you and the agent changed the same lines</legend>
          {(["stop", "keep-mine", "take-theirs"] as const).map(how => (
            <label key={how}>
              <input type="radio" name="how" checked={choice === how} onChange={() => setChoice(how)} />
              {
                { stop: "Ask: write nothing", "keep-mine": "Keep my lines", "take-theirs": "Put the old lines back" }[
                  how
                ]
              }
            </label>
          ))}
        </fieldset>
      ) : null}
      <ul class="steps">
        {steps.slice(0, 500).map(step => (
          <Step key={step.path} step={step} open={steps.length <= 3 || step.action === "conflict"} />
        ))}
      </ul>
      {steps.length > 500 ? <p class="fine">and {steps.length - 500} more files</p> : null}
    </Dialog>
  )
}

function Step({ step, open }: { readonly step: RewindStepView; readonly open: boolean }) {
  const [shown, setShown] = useState(open)
  const diff = step.diff ?? ""
  return (
    <li class={`step step-${step.action}`}>
      <button
        type="button"
        class="step-head"
        aria-expanded={shown}
        disabled={diff === ""}
        onClick={() => setShown(!shown)}
      >
        <span class="twisty" aria-hidden="true">
          {diff === "" ? "" : shown ? "▾" : "▸"}
        </span>
        <span class="name">{inertText(step.path)}</span>
        <span class={`chip chip-${step.action}`}>{words[step.action]}</span>
      </button>
      {step.reason === "" ? null : <p class="fine step-reason">{inertText(step.reason)}</p>}
      {shown && diff !== "" ? <DiffRows diff={diff} label={`What happens to ${inertText(step.path)}`} /> : null}
    </li>
  )
}
