import { padColumns } from "../columns.ts"
import { type CommandModule, examples } from "../command.ts"
import { type Context, print, printJson } from "../context.ts"
import { exitCodes } from "../exit.ts"
import { inertLine } from "../inert.ts"
import type { Look } from "../look.ts"

/** One finding about this machine or workspace. `bad` is what keeps Galley from working; `note` is what it must do without. */
export interface Finding {
  readonly name: string
  readonly state: "good" | "note" | "bad"
  readonly detail: string
  /** What to do about it. */
  readonly hint?: string
}

/** A setting as it stands. */
export interface Setting {
  readonly key: string
  readonly value: unknown
  readonly fallback: unknown
  readonly doc: string
}

export const command: CommandModule = {
  configure(command) {
    command.option("--settings", "list every setting with its value, default and meaning")
    command.description(
      "Says what this machine can do, whether the workspace's store is sound, and what could be better.",
    )
    examples(command, ["galley doctor", "galley doctor --settings"])
  },
  async run(context, _operands, options) {
    const findings = await context.engine.examine(context.globals)
    const settings = options["settings"] === true || context.globals.json ? settingsOf(context, findings) : []
    if (context.globals.json) printJson(context, { version: 1, findings, settings })
    else
      print(
        context,
        renderFindings(findings, context.look) +
          (settings.length === 0 ? "" : `\n${renderSettings(settings, context.look)}`),
      )
    return findings.some(finding => finding.state === "bad") ? exitCodes.failed : exitCodes.done
  },
}

/** Broken settings are a finding already; the list is then empty rather than a second complaint. */
function settingsOf(context: Context, findings: readonly Finding[]): readonly Setting[] {
  return findings.some(finding => finding.name === "settings" && finding.state === "bad")
    ? []
    : context.engine.settings(context.globals)
}

export function renderFindings(findings: readonly Finding[], { color }: Look): string {
  const width = Math.max(...findings.map(finding => finding.name.length))
  const lines = findings.flatMap(finding => {
    const mark =
      finding.state === "good"
        ? color.green("ok  ")
        : finding.state === "note"
          ? color.yellow("note")
          : color.red("BAD ")
    const first = `${mark}  ${padColumns(finding.name, width)}  ${inertLine(finding.detail)}`
    return finding.hint === undefined
      ? [first]
      : [first, color.dim(`      ${" ".repeat(width)}  ${inertLine(finding.hint)}`)]
  })
  return `${lines.join("\n")}\n`
}

function renderSettings(settings: readonly Setting[], { color }: Look): string {
  const show = (value: unknown): string => inertLine(JSON.stringify(value) ?? "")
  const lines = settings.flatMap(setting => {
    const changed = show(setting.value) !== show(setting.fallback)
    const value = changed
      ? `${color.bold(show(setting.value))}  ${color.dim(`(default ${show(setting.fallback)})`)}`
      : show(setting.value)
    return [`${setting.key} = ${value}`, color.dim(`    ${setting.doc}`)]
  })
  return `${lines.join("\n")}\n`
}
