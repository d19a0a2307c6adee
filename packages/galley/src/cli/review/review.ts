import type { Workspace } from "@galley/engine/workspace.ts"
import type { Context } from "../context.ts"
import { UsageError } from "../exit.ts"
import { lookOf } from "../look.ts"
import type { Desk } from "./desk.ts"
import { tallyOf } from "./frame.ts"
import { reviewFullScreen } from "./full-screen.ts"
import { reviewPlainly } from "./plain.ts"
import type { Shown } from "./sentences.ts"

export interface Asked {
  readonly plain: boolean
  readonly paths: readonly string[] | null
  readonly message: string | null
}

/**
 * Reviews with the person at the terminal: on the whole screen, or plainly where that is asked for or the terminal cannot draw. Says at
 * the end what was decided.
 */
export async function review(context: Context, workspace: Workspace, shown: Shown, asked: Asked): Promise<void> {
  const { surroundings, globals } = context
  const { terminal, variables, stdin, stdout } = surroundings
  const sits = stdin.isTTY === true && stdout.isTTY === true
  const plain = asked.plain || variables["TERM"] === "dumb"
  if (terminal === undefined || (!sits && !plain))
    throw new UsageError(
      "galley review talks with a person at a terminal, and there is none.",
      "With --plain it reads answers line by line; scripts use galley accept and galley reject.",
    )
  const desk: Desk = {
    workspace,
    requests: workspace.as({ actor: "person" }),
    terminal,
    look: plain ? lookOf("never", {}, variables) : lookOf(globals.color, stdout, variables),
    shown,
    signal: surroundings.signal,
    paths: asked.paths,
    message: asked.message,
    editor: firstOf(variables["VISUAL"], variables["EDITOR"]) ?? "vi",
  }
  const state = await (plain ? reviewPlainly(desk) : reviewFullScreen(desk))
  const left = (await desk.requests.status({})).files
  const pending =
    left.length === 0
      ? "Nothing is pending."
      : `${left.length === 1 ? "1 file is" : `${left.length} files are`} still pending.`
  stdout.write(`${tallyOf(state)} ${pending}\n`)
}

function firstOf(...values: readonly (string | undefined)[]): string | undefined {
  return values.find(value => value !== undefined && value.trim() !== "")
}
