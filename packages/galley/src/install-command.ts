import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { unifiedDiff } from "@galley/core/diff/unified.ts"
import { showPath } from "@galley/core/path.ts"
import type { ReviewMode } from "@galley/core/protocol/results.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { galleyHome } from "@galley/engine/store/location.ts"
import { type CommandModule, examples } from "./cli/command.ts"
import { type Context, print, printJson } from "./cli/context.ts"
import { exitCodes, UsageError } from "./cli/exit.ts"
import { renderUnified } from "./cli/render-diff.ts"
import { carryOut, type FileChange, type Memory, planInstall, planUninstall } from "./hooks/install/change.ts"
import type { Target, Wanted } from "./hooks/install/target.ts"
import { targets } from "./hooks/install/targets.ts"

/** Wires `galley install` and `galley uninstall`: plans from `hooks/install`, a diff for the person, then the files. */
export function installCommand(verb: "install" | "uninstall"): CommandModule {
  return {
    configure(command) {
      command.argument("<agent>", targets.map(target => target.name).join(", "))
      command.option("--user", "for every project of yours (the default)")
      command.option("--project", "for this workspace only")
      if (verb === "install") {
        command.option(
          "--tools-only",
          "turn the agent's own edit and shell tools off; implied by --review hold and ask",
        )
        command.option("--dry-run", "only show what would be written")
      } else command.option("--dry-run", "only show what would be taken out")
      command.description(
        verb === "install"
          ? "Connects an agent: writes its own configuration (the MCP server, and hooks where it has them). Shows the change as a diff first;\nwhat else is in its files stays byte for byte. Safe to repeat."
          : "Takes out of an agent's configuration exactly what install put there.",
      )
      examples(command, [
        `galley ${verb} claude-code`,
        `galley ${verb} codex --project`,
        ...(verb === "install" ? ["galley install opencode --review hold"] : []),
      ])
    },
    run: (context, [name = ""], options) => {
      const target = targets.find(one => one.name === name)
      if (target === undefined)
        throw new UsageError(`There is no agent ${name}.`, `Agents: ${targets.map(one => one.name).join(", ")}.`)
      if (options["user"] === true && options["project"] === true)
        throw new UsageError("--user and --project exclude each other.")
      const wanted = wantedOf(context, options["project"] === true ? "project" : "user", options["toolsOnly"] === true)
      return Promise.resolve(change(context, verb, target, wanted, options["dryRun"] === true))
    },
  }
}

function change(
  context: Context,
  verb: "install" | "uninstall",
  target: Target,
  wanted: Wanted,
  dryRun: boolean,
): number {
  const home = galleyHome(context.surroundings)
  const key = `${target.name} ${wanted.scope === "user" ? "user" : wanted.root}`
  const all = memoriesIn(home)
  const memories = all[key] ?? []
  const parts = target.parts(wanted)
  const plan = verb === "install" ? planInstall(parts, memories) : planUninstall(parts, memories)
  const changes = plan.filter(one => one.before !== one.after)
  const diff = changes.map(diffOf).join("")
  const notes = verb === "install" ? target.notes(wanted) : []
  if (!context.globals.json && diff !== "") print(context, renderUnified(diff, context.look))
  if (!dryRun && changes.length > 0) remember(home, { ...all, [key]: carryOut(changes, memories, verb) })
  if (context.globals.json)
    printJson(context, {
      version: 1,
      agent: target.name,
      written: !dryRun && changes.length > 0,
      files: changes.map(one => ({
        path: one.file,
        action: one.before === null ? "create" : one.after === null ? "delete" : "write",
      })),
      diff,
      notes,
    })
  else {
    const done = verb === "install" ? `${target.title} is connected` : `Galley is taken out of ${target.title}`
    const said =
      changes.length === 0
        ? `Nothing to change: ${verb === "install" ? done : `${target.title} has nothing of Galley's`}.`
        : dryRun
          ? "Nothing was written (--dry-run)."
          : `${done}. Start it anew for this to count.`
    print(context, [said, ...notes.map(text => `- ${text}`)].join("\n"))
  }
  return exitCodes.done
}

function wantedOf(context: Context, scope: Wanted["scope"], toolsOnly: boolean): Wanted {
  const { surroundings, globals, engine } = context
  const settings = new Map(engine.settings(globals).map(row => [row.key, row.value]))
  const configured = settings.get("review.mode") as ReviewMode
  const review = globals.review ?? null
  return {
    self: { node: process.execPath, program: process.argv[1] ?? "galley" },
    scope,
    home: surroundings.variables["HOME"] ?? surroundings.userHome,
    root: scope === "project" ? engine.rootFor(globals) : surroundings.cwd,
    review,
    toolsOnly: toolsOnly || (review ?? configured) !== "apply",
    waitSeconds: Number(settings.get("ask.waitSeconds")),
    variables: surroundings.variables,
    exists: existsSync,
  }
}

function diffOf(change: FileChange): string {
  const name = showPath(change.file)
  return unifiedDiff({
    oldName: change.before === null ? null : name,
    newName: change.after === null ? null : name,
    base: splitLines(change.before ?? ""),
    current: splitLines(change.after ?? ""),
    // Neighbouring lines of such files may hold keys: as few as show the place.
    context: 1,
  })
}

type Memories = Readonly<Record<string, readonly Memory[]>>

function memoriesIn(home: string): Memories {
  try {
    return JSON.parse(readFileSync(join(home, "installs.json"), "utf8")) as Memories
  } catch {
    // Nothing was installed yet, or it is lost: then entries are found by what they look like.
    return {}
  }
}

function remember(home: string, memories: Memories): void {
  const file = join(home, "installs.json")
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const kept = Object.fromEntries(Object.entries(memories).filter(([, list]) => list.length > 0))
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(kept, null, 1)}\n`, { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
}
