import { Buffer } from "node:buffer"
import { realEnv } from "@galley/engine/io/env.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig, settingLayer } from "@galley/engine/session/config.ts"
import { type Program, runProgram } from "../../src/cli/program.ts"
import type { Terminal } from "../../src/cli/terminal.ts"
import { commandTable } from "../../src/commands.ts"

/** The command line in this process over the real engine, disk and store: what a process of its own adds is left out, it takes a second. */
export interface RealPlace {
  readonly work: string
  readonly home: string
}

export interface RealEnd {
  readonly code: number
  readonly out: string
  readonly bytes: Buffer
  readonly err: string
  readonly json: () => unknown
}

export async function runReal(
  place: RealPlace,
  words: readonly string[],
  given: {
    readonly cwd?: string
    readonly variables?: Readonly<Record<string, string>>
    readonly terminal?: Terminal
    readonly signal?: AbortSignal
  } = {},
): Promise<RealEnd> {
  const out: Buffer[] = []
  const err: string[] = []
  const sits = given.terminal === undefined ? {} : { isTTY: true, columns: given.terminal.size().columns }
  const env = { ...realEnv(), variables: { PATH: process.env["PATH"], LANG: "C.UTF-8", ...given.variables } }
  const program: Program = {
    version: "0",
    entries: commandTable(() => program),
    newId: () => env.newId(),
    surroundings: {
      variables: given.variables ?? {},
      userHome: place.home,
      cwd: given.cwd ?? place.work,
      stdout: {
        ...sits,
        write: text => {
          out.push(Buffer.from(text as string))
          given.terminal?.write(typeof text === "string" ? text : Buffer.from(text).toString())
        },
      },
      stderr: { ...sits, write: text => void err.push(Buffer.from(text as string).toString()) },
      stdin: { ...sits, bytes: () => Promise.resolve(new Uint8Array()) },
      signal: given.signal ?? new AbortController().signal,
      ...(given.terminal === undefined ? {} : { terminal: given.terminal }),
    },
    engine: {
      rootFor: globals => globals.workspace ?? place.work,
      open: (root, { set }) =>
        openWorkspace({
          root,
          home: place.home,
          env,
          config: resolveConfig(set.length === 0 ? [] : [settingLayer(set)]),
        }),
      examine: () => Promise.resolve([]),
      settings: () => [],
    },
  }
  const code = await runProgram(program, words)
  const bytes = Buffer.concat(out)
  return { code, bytes, out: bytes.toString(), err: err.join(""), json: () => JSON.parse(bytes.toString()) as unknown }
}
