import type { OnConflict } from "@galley/core/protocol/requests.ts"
import type { RewindResult } from "@galley/core/protocol/results.ts"
import { forced, forceOption, onConflictOption } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { type Context, print, printJson, withWorkspace } from "../context.ts"
import { exitCodes, type ExitCode } from "../exit.ts"
import { inertLine } from "../inert.ts"
import { renderPlan } from "../render-plan.ts"

export const command: CommandModule = {
  configure(command) {
    command.argument("<message>", "from log; of any branch")
    command.option("--after", "to behind the message: its own changes stay")
    command.option("--plan", "only show what would be done")
    command.addOption(forceOption())
    command.addOption(onConflictOption())
    command.description(
      "Puts every file back to how it was before the message (or, with --after, behind it), and the conversation there. " +
        "Your own edits since are merged in. The plan is printed first; where you and the agent changed the same lines " +
        "nothing is written until you say which side to keep. A rewind can itself be undone: galley undo.",
    )
    examples(command, [
      "galley rewind MESSAGE --plan",
      "galley rewind MESSAGE",
      "galley rewind MESSAGE --on-conflict keep-mine",
    ])
  },
  run: (context, [message = ""], options) =>
    withWorkspace(context, "person", async ({ requests, io, shown }) => {
      const planOnly = options["plan"] === true
      const wanted = {
        message,
        ...(options["after"] === true ? { after: true } : {}),
        ...forced(options),
        ...(options["onConflict"] === undefined ? {} : { onConflict: options["onConflict"] as OnConflict }),
      }
      if (context.globals.json) {
        const result = await requests.rewind(planOnly ? { ...wanted, plan: true } : wanted, io)
        printJson(context, result)
        return exitOf(result, planOnly)
      }
      const plan = await requests.rewind({ ...wanted, plan: true }, io)
      const place = `${options["after"] === true ? "behind" : "before"} ${inertLine(message)}`
      print(
        context,
        `${context.look.color.bold(`Plan: back to ${place}`)}\n${renderPlan(plan, shown, context.look, planOnly)}`,
      )
      if (planOnly) return exitCodes.done
      const result = await requests.rewind(wanted, io)
      tell(context, result)
      return exitOf(result, false)
    }),
}

function tell(context: Context, result: RewindResult): void {
  const { color } = context.look
  if (result.applied && result.operation !== null)
    print(context, `Done  ${color.dim(`operation ${inertLine(result.operation)}; galley undo takes it back`)}`)
  else if (result.applied) print(context, color.dim("There was nothing to do."))
  else
    print(
      context,
      color.yellow("Nothing was written.") +
        (hasConflict(result)
          ? "\nSettle the conflicts with --on-conflict keep-mine or --on-conflict take-theirs."
          : ""),
    )
}

function exitOf(result: RewindResult, planOnly: boolean): ExitCode {
  if (result.applied || planOnly) return exitCodes.done
  return hasConflict(result) ? exitCodes.conflict : exitCodes.failed
}

function hasConflict(result: RewindResult): boolean {
  return result.steps.some(step => step.action === "conflict")
}
