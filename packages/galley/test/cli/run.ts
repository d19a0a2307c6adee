import type { Engine, Surroundings } from "../../src/cli/context.ts"
import { type Program, runProgram } from "../../src/cli/program.ts"
import { commandTable } from "../../src/commands.ts"
import { type FakeWorkspace, fakeWorkspace } from "../fake-workspace.ts"

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly workspace: FakeWorkspace
}

export interface Given {
  readonly script?: Parameters<typeof fakeWorkspace>[0]
  readonly cwd?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Columns of a terminal; left out, output is a pipe. */
  readonly terminal?: number
  readonly engine?: Partial<Engine>
}

/** Runs one command line in this process against a scripted workspace at /w. */
export async function galley(words: readonly string[], given: Given = {}): Promise<Ran> {
  const workspace = fakeWorkspace(given.script ?? {})
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  const terminal = given.terminal === undefined ? {} : { isTTY: true, columns: given.terminal }
  const keep = (to: Uint8Array[]) => (text: string | Uint8Array) => void to.push(Buffer.from(text as string))
  const surroundings: Surroundings = {
    variables: given.variables ?? {},
    userHome: "/home/u",
    cwd: given.cwd ?? "/w",
    stdout: { ...terminal, write: keep(out) },
    stderr: { write: keep(err) },
    stdin: { isTTY: given.stdin === undefined, bytes: () => Promise.resolve(Buffer.from(given.stdin ?? "")) },
    signal: new AbortController().signal,
  }
  const program: Program = {
    version: "1.2.3",
    entries: commandTable(() => program),
    surroundings,
    newId: () => "id1",
    engine: {
      rootFor: () => "/w",
      open: () => Promise.resolve(workspace),
      examine: () => Promise.resolve([]),
      settings: () => [],
      ...given.engine,
    },
  }
  const code = await runProgram(program, words)
  const text = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString("utf8")
  return { code, out: text(out), err: text(err), workspace }
}
