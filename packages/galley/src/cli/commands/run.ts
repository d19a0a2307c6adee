import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { CallResult, ReviewMode } from "@galley/core/protocol/results.ts"
import type { RequestIo } from "@galley/engine/session/request-io.ts"
import { textOf } from "../args.ts"
import { type CommandModule, examples } from "../command.ts"
import { type Context, printJson, type Session, withQuietWorkspace } from "../context.ts"
import { endingOf, UsageError } from "../exit.ts"
import { inert, inertLine } from "../inert.ts"
import { plainOutput, terminalOutput } from "../live-output.ts"
import { renderUnified } from "../render-diff.ts"
import type { Globals } from "../args.ts"
import { review } from "../review/review.ts"
import { readLines, type Terminal } from "../terminal.ts"

/** As env(1), nice(1) and their kin: what was to run was not run. */
const notRun = 125

export const command: CommandModule = {
  configure(command) {
    command.argument("<command...>", "a program and its arguments, behind --")
    command.option("--accept", "take what it changed, without asking")
    command.option("--reject", "show what it would change and take it back: a dry run")
    command.option("--keep", "leave what it changed pending, not on disk, without asking")
    command.option("--quiet-review", "print its output and nothing else (for hooks)")
    command.option("--call <id>", "the agent's id of the call (for hooks)")
    command.description(
      "Runs a command so that what it changes in the workspace can be reviewed: it works in a view of your files, with what is\n" +
        "pending, and your files stay as they are until you accept. On a terminal its diff is shown and you are asked; elsewhere, and\n" +
        "with --review apply, changes are written at once and reviewed after.\n\n" +
        "The words are passed on exactly, as env and nice do. For pipes, redirections or && give a shell its text: see the last example.\n" +
        "The command has no terminal and no input; its output and its errors come in one stream.\n\n" +
        `Exits with the command's own code, ${notRun} if Galley failed before it started.`,
    )
    examples(command, [
      "galley run -- perl -pi -e 's/colour/color/g' src/*.js",
      "galley run --reject -- npm run format      what would it change?",
      "galley run -- sh -c 'make gen && make test'",
    ])
  },
  run: async (context, words, options) => {
    if (words.length === 0 || words[0] === "")
      throw new UsageError("Say which command to run.", "galley run -- COMMAND [ARG...]")
    const manner = mannerOf(context, options)
    try {
      const asking = { ...context, globals: manner.globals }
      return await withQuietWorkspace(asking, "agent", session => run(asking, session, words, manner))
    } catch (error) {
      const { data } = endingOf(error)
      if (context.globals.json) printJson(context, { error: data })
      else complain(context, data.code, data.hint === undefined ? data.message : `${data.message}\n${data.hint}`)
      return notRun
    }
  },
}

/** How a run is reviewed, decided before it starts. */
interface Manner {
  /** Who answers the question whether its changes are kept; null: nobody is asked. */
  readonly answer: "allow" | "deny" | Terminal | null
  readonly review: ReviewMode | undefined
  readonly quiet: boolean
  readonly call: string | undefined
  readonly globals: Globals
}

function mannerOf(context: Context, options: Readonly<Record<string, unknown>>): Manner {
  const { globals, surroundings } = context
  const flags = ["accept", "reject", "keep"].filter(flag => options[flag] === true)
  const [flag] = flags
  if (flags.length > 1) throw new UsageError("--accept, --reject and --keep exclude each other.")
  if (flag !== undefined && options["quietReview"] === true)
    throw new UsageError(`--quiet-review leaves decisions to the person; it cannot stand beside --${flag}.`)
  if (flag !== undefined && globals.review !== undefined && globals.review !== (flag === "keep" ? "hold" : "ask"))
    throw new UsageError(`--${flag} decides what --review ${globals.review} would decide otherwise: give one of them.`)
  const plain = { quiet: options["quietReview"] === true, call: textOf(options["call"]), globals }
  // The question stands for as long as the person takes.
  const patient = {
    ...plain,
    review: "ask" as const,
    globals: { ...globals, set: ["ask.waitSeconds=86400", ...globals.set] },
  }
  if (flag === "keep") return { ...plain, answer: null, review: "hold" }
  if (flag !== undefined) return { ...patient, answer: flag === "accept" ? "allow" : "deny" }
  const { terminal, stdin, stdout } = surroundings
  const mayAsk = !plain.quiet && !globals.json && (globals.review ?? "ask") === "ask"
  if (mayAsk && terminal !== undefined && stdin.isTTY === true && stdout.isTTY === true)
    return { ...patient, answer: terminal }
  return { ...plain, answer: null, review: globals.review }
}

/** What the person said, here, to the question whether changes are kept. */
type Said = "allow" | "deny" | "hunks" | "leave"

async function run(context: Context, session: Session, words: readonly string[], manner: Manner): Promise<number> {
  const { surroundings, globals } = context
  const { workspace } = session
  const shown = globals.json ? null : outputOf(context)
  const stop = new AbortController()
  const onSignal = (): void => stop.abort()
  surroundings.signal.addEventListener("abort", onSignal)
  const over = new AbortController()
  const gone = new AbortController()
  // To the end: what is still to be recorded must not end with whoever reads.
  surroundings.stdout.onGone?.(() => gone.abort())
  let asking: Promise<Said> | null = null
  const io: RequestIo = {
    signal: stop.signal,
    readerGone: gone.signal,
    ...(shown === null ? {} : { output: chunk => (gone.signal.aborted ? undefined : shown.add(chunk)) }),
    asked: question => {
      shown?.end()
      asking = ask(context, session, question, { manner, over: over.signal, leave: () => stop.abort() })
    },
  }
  const { cwd } = surroundings
  const inside = cwd.startsWith(workspace.root === "/" ? "/" : `${workspace.root}/`)
  try {
    const requests = workspace.as(callContext(manner))
    const result = await requests.run({ command: [...words], ...(inside ? { cwd } : {}) }, io)
    shown?.end()
    over.abort()
    const said = await (asking as Promise<Said> | null)
    if (globals.json) printJson(context, result)
    else tell(context, session, result, manner, said)
    if (said === "hunks" && !surroundings.signal.aborted) {
      const paths = result.changes.map(change => change.path)
      await review(context, workspace, session.shown, { plain: false, paths, message: null })
    }
    return exitOf(result, said)
  } finally {
    surroundings.signal.removeEventListener("abort", onSignal)
  }
}

function callContext({ globals, review, call }: Manner): RequestContext {
  const { conversation, message, policy } = globals
  return {
    actor: "agent",
    ...(conversation === undefined ? {} : { conversation }),
    ...(message === undefined ? {} : { message }),
    ...(policy === undefined ? {} : { policy }),
    ...(review === undefined ? {} : { review }),
    ...(call === undefined ? {} : { callId: call }),
  }
}

function outputOf({ surroundings }: Context) {
  const { stdout } = surroundings
  return stdout.isTTY === true ? terminalOutput(text => stdout.write(text)) : plainOutput(bytes => stdout.write(bytes))
}

interface Asking {
  readonly manner: Manner
  /** Aborted when the call is over: somebody answered elsewhere, or the wait ended. */
  readonly over: AbortSignal
  /** Ends the wait; what was changed stays pending. */
  readonly leave: () => void
}

async function ask(
  context: Context,
  { workspace }: Session,
  question: Parameters<NonNullable<RequestIo["asked"]>>[0],
  { manner, over, leave }: Asking,
): Promise<Said> {
  const { answer } = manner
  const person = workspace.as({ actor: "person" })
  if (answer === null) return "leave"
  const { stdout } = context.surroundings
  if (typeof answer === "string") {
    if (answer === "deny" && !context.globals.json) stdout.write(renderUnified(question.diff, context.look))
    await person.answer({ id: question.id, decision: answer })
    return answer
  }
  const lines = readLines(answer, over)
  try {
    stdout.write(renderUnified(question.diff, context.look))
    for (;;) {
      const said = readSaid(
        await lines.ask(
          context.look.color.bold("Keep these changes? [a]ll, by [h]unk, [r]eject, [l]eave pending, [d]iff, [?] "),
        ),
      )
      if (said === "diff") stdout.write(renderUnified(question.diff, context.look))
      else if (said === "help") stdout.write(help)
      else if (said === "hunks" || said === "leave") {
        leave()
        return said
      } else {
        const trouble = await person.answer({ id: question.id, decision: said }).then(() => null, endingOf)
        if (trouble === null || over.aborted) return said
        complain(context, trouble.data.code, trouble.data.message)
      }
    }
  } finally {
    lines.close()
  }
}

function readSaid(line: string | null): Said | "diff" | "help" {
  switch (line?.trim().toLowerCase()) {
    case "a":
    case "y":
    case "yes":
    case "all":
    case "accept":
      return "allow"
    case "r":
    case "n":
    case "no":
    case "reject":
      return "deny"
    case "h":
    case "hunk":
      return "hunks"
    case "l":
    case "q":
    case "leave":
    case undefined:
      return "leave"
    case "d":
    case "diff":
      return "diff"
    default:
      return "help"
  }
}

const help = `a  accept all: the changes are written to your files
h  decide hunk by hunk
r  reject: your files stay as they are
l  leave it pending; galley status and galley review find it again (q, Ctrl-D)
d  show the diff again
`

/** What is to be said beside the output: on standard error, where it does not mix with it. */
function tell(context: Context, session: Session, result: CallResult, manner: Manner, said: Said | null): void {
  const say = (text: string): void => context.surroundings.stderr.write(`galley: ${text}\n`)
  if (!result.ok && result.exitCode === undefined && said !== "deny") {
    complain(context, result.error?.code ?? "STORE_FAILED", result.text)
    return
  }
  const names = result.changes.map(change => session.shown(change.path))
  const listed = names.length > 5 ? `${names.slice(0, 5).join(", ")} and ${names.length - 5} more` : names.join(", ")
  const remarks = (result.remarks ?? []).filter(remark => !known.test(remark))
  if (manner.quiet) {
    // Held: the agent must know that its files do not stand on the disk.
    if (remarks.length > 0) say(remarks.map(inertLine).join(" "))
    else if (result.held === true) say("The change is held for review: not on disk until the person accepts it.")
    return
  }
  if (result.capture === "simulated" && said === null) say(inertLine(result.text))
  else for (const remark of remarks) say(inertLine(remark))
  if (said === "deny") say("Rejected: your files are as they were.")
  else if (names.length > 0) {
    const count = names.length === 1 ? "1 file" : `${names.length} files`
    const next =
      result.held === true
        ? "Pending: galley review decides."
        : "See it with galley diff, take it back with galley reject."
    if (said === "allow") say(`Accepted: ${count} (${listed}).`)
    else say(`${count} changed (${result.capture}): ${listed}. ${next}`)
  }
}

/** What whoever sees this knows already: the exit code, and what they said themselves. */
const known = /^(Exit code \d+\.|The person (allowed|denied) its changes.*)$/

function complain({ surroundings }: Context, code: string, text: string): void {
  const [first = "", ...more] = inert(text).trimEnd().split("\n")
  surroundings.stderr.write(`galley: ${[`${first} [${code}]`, ...more].join("\n        ")}\n`)
}

/** A command that ran has its own code, whatever became of its changes; a `sed -i` that was computed would have ended well. */
function exitOf(result: CallResult, said: Said | null): number {
  if (result.exitCode !== undefined) return result.exitCode
  return result.ok || said === "deny" ? 0 : notRun
}
