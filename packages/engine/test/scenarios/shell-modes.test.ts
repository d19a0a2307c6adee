import { spawnSync } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { describe, expect, test } from "vitest"
import type { CallResult } from "@galley/core/protocol/results.ts"
import type { Story } from "../story.ts"
import { until, views } from "./shell-ways.ts"
import { five, stories } from "./stories.ts"

/** Every kind of command in every mode: what is on disk, what is pending, the label, how the call ended. */
const story = stories()

const files = { f: five, "d/x": "x\n", "d/e/y": "y\n", bin: new Uint8Array([0, 1, 2]) }

interface Kind {
  readonly name: string
  readonly command: string
  /** `path kinds` of what it leaves pending. */
  readonly pending: string
  readonly pendingDirect?: string
  readonly more?: { readonly timeout_ms?: number; readonly background?: boolean }
  readonly code?: string
}

const kinds: readonly Kind[] = [
  { name: "a simulated sed", command: "sed -i s/one/ONE/ f", pending: "f modify" },
  { name: "a change", command: "perl -pi -e s/one/ONE/ f", pending: "f modify" },
  { name: "a new file", command: "mkdir n && echo n > n/new", pending: "n/new create" },
  { name: "a delete", command: "rm f", pending: "f delete" },
  { name: "a rename", command: "mv f g", pending: "g rename" },
  { name: "a folder's rename", command: "mv d g", pending: "g/e/y rename, g/x rename" },
  { name: "a mode", command: "chmod 755 f", pending: "f mode" },
  { name: "a symlink", command: "ln -s f l", pending: "l create+symlink" },
  { name: "an empty folder", command: "mkdir n", pending: "n create+folder" },
  { name: "a binary", command: "printf '\\000\\377' > bin", pending: "bin binary+modify" },
  {
    name: "a folder that becomes a file",
    command: "rm -r d && echo d > d",
    pending: "d folder+binary, d/e/y delete, d/x delete",
    // Two looks do not see folders: what is there now came.
    pendingDirect: "d create, d/e/y delete, d/x delete",
  },
  {
    name: "a file that becomes a folder",
    command: "rm f && mkdir f && echo z > f/z",
    pending: "f folder+binary, f/z create",
  },
  { name: "nothing", command: "cat f", pending: "" },
  { name: "half of it", command: "echo half >> f; exit 3", pending: "f modify", code: "3" },
  {
    name: "what was done in time",
    command: "echo early >> f; exec sleep 300",
    pending: "f modify",
    more: { timeout_ms: 1000 },
    code: "TIMEOUT",
  },
  { name: "a background job", command: "echo late >> f", pending: "f modify", more: { background: true } },
]

/** The tree as lines: path, kind, mode, content. */
function tree(root: string): string {
  const script = `find . -mindepth 1 -name .git -prune -o -printf '%P %y %m %l' -a \\( -type f -exec sha1sum {} \\; -o -printf '\\n' \\) | sort`
  return spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" }).stdout.replaceAll("./", "")
}

/** What the command leaves where nothing stands between it and the disk. */
function leftBy(s: Story, { command }: Kind): string {
  const copy = `${s.root}-copy`
  cpSync(s.root, copy, { recursive: true, filter: from => !from.includes("/.git") })
  spawnSync("bash", ["-c", command.replace("sleep 300", "true")], { cwd: copy })
  const left = tree(copy)
  rmSync(copy, { recursive: true })
  return left
}

async function pendingIn(s: Story): Promise<string> {
  const shown = await s.pending()
  return shown.map(file => `${file.path} ${file.kinds.join("+")}`).join(", ")
}

const codeOf = (result: CallResult): string =>
  result.error?.code ?? (result.ok ? `${result.exitCode === 0 ? "ok" : (result.exitCode ?? "?")}` : "refused")

type Mode =
  | "apply"
  | "apply without a view"
  | "hold"
  | "ask, allowed"
  | "ask, denied"
  | "ask, nobody there"
  | "read-only"

function pendingOf(kind: Kind, mode: Mode): string {
  return (mode === "apply without a view" ? kind.pendingDirect : undefined) ?? kind.pending
}

interface Cell {
  readonly disk: "old" | "new"
  readonly isPending: boolean
  readonly capture: CallResult["capture"]
  readonly code: string
}

/** What is to be in a cell of the table. */
function expected(kind: Kind, mode: Mode): Cell {
  const ends = kind.code ?? "ok"
  const changes = kind.pending !== ""
  const background = kind.more?.background === true
  const simulated = kind.command.startsWith("sed")
  const seen = simulated ? "simulated" : mode === "apply without a view" ? "recorded" : "previewed"
  const capture = background && mode.startsWith("apply") ? "detected" : seen
  switch (mode) {
    case "apply":
    case "apply without a view":
      return { disk: "new", isPending: changes, capture, code: ends }
    case "hold":
    case "ask, nobody there":
      return { disk: "old", isPending: changes, capture, code: ends }
    case "ask, allowed":
      // Nobody is asked for a job that nobody waits for.
      return { disk: background ? "old" : "new", isPending: background, capture, code: ends }
    case "ask, denied":
      // A denied edit was not made; a denied command has run.
      return {
        disk: "old",
        isPending: background,
        capture: simulated ? "none" : capture,
        code: changes && !background && ends !== "TIMEOUT" ? "DENIED" : ends,
      }
    case "read-only":
      return {
        disk: "old",
        isPending: false,
        capture,
        code: changes && !background && ends !== "TIMEOUT" ? "DENIED" : ends,
      }
  }
}

const modes: readonly Mode[] = [
  "apply without a view",
  ...(views ? (["apply", "hold", "ask, allowed", "ask, denied", "ask, nobody there", "read-only"] as const) : []),
]

describe.each(modes)("%s", mode => {
  // Every cell with GALLEY_ALL_CELLS; else all kinds where the disk is written or held, and some of each where the person is asked.
  const every = process.env["GALLEY_ALL_CELLS"] !== undefined || mode === "hold" || mode.startsWith("apply")
  const some = every ? kinds : kinds.filter((_, at) => (at + mode.length) % 3 === 0)
  test.each(some)("$name: $command", async kind => {
    const config = {
      "view.enabled": mode !== "apply without a view",
      "ask.waitSeconds": mode === "ask, nobody there" ? 0 : 60,
    }
    const s = await story({ git: true, files, config })
    const old = tree(s.root)
    const left = leftBy(s, kind)
    const review = mode.startsWith("ask") ? "ask" : mode === "hold" ? "hold" : "apply"
    const policy = mode === "read-only" ? ({ policy: "read-only" } as const) : {}
    const agent = s.workspace.as({ actor: "agent", conversation: "c", review, ...policy })
    const asked = (question: { readonly id: string }): void => {
      const decision = mode === "ask, denied" ? "deny" : "allow"
      if (mode !== "ask, nobody there") void s.person.answer({ id: question.id, decision })
    }
    const result = await agent.call({ tool: "bash", input: { command: kind.command, ...kind.more } }, { asked })
    if (kind.more?.background === true)
      await until(async () => {
        const listed = await agent.call({ tool: "bash", input: { command: "galley-job list" } })
        return listed.text.includes("ended with exit code 0")
      })
    const now = tree(s.root)
    const cell = expected(kind, mode)
    expect({
      disk: now === left ? (left === old ? cell.disk : "new") : now === old ? "old" : now,
      pending: await pendingIn(s),
      capture: result.capture,
      code: codeOf(result),
    }).toEqual({
      disk: cell.disk,
      pending: cell.isPending ? pendingOf(kind, mode) : "",
      capture: cell.capture,
      code: cell.code,
    })
    if (review === "apply") await s.person.reject({ all: true })
    else await s.person.accept({ all: true })
    const settled = cell.isPending && review !== "apply" ? "new" : cell.isPending ? "old" : cell.disk
    expect([tree(s.root), await pendingIn(s)]).toEqual([settled === "new" ? left : old, ""])
  })
})
