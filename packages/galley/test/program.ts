import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import { buildAll } from "../../../scripts/build.ts"

/** The program as it is shipped: built from the sources as they are now, in a folder of its own. */
export interface BuiltProgram {
  readonly folder: string
  readonly file: string
  remove(): void
}

export async function builtProgram(): Promise<BuiltProgram> {
  const folder = mkdtempSync(join(tmpdir(), "galley-program-"))
  cpSync(fileURLToPath(new URL("../bin", import.meta.url)), join(folder, "bin"), { recursive: true })
  await buildAll(join(folder, "dist"))
  return {
    folder,
    file: join(folder, "bin/galley.mjs"),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** A workspace and a store, both new, and ways to run the program on them. */
export interface Place {
  readonly folder: string
  readonly work: string
  readonly home: string
  readonly env: Readonly<Record<string, string>>
  readonly run: (words: readonly string[], given?: RunGiven) => RunEnd
  readonly start: (words: readonly string[]) => ChildProcessByStdio<null, Readable, Readable>
  remove(): void
}

export interface RunGiven {
  readonly input?: string | Uint8Array
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export interface RunEnd {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** Standard output as JSON. */
  readonly json: () => unknown
}

export function newPlace(program: BuiltProgram): Place {
  const folder = mkdtempSync(join(tmpdir(), "galley-place-"))
  const work = join(folder, "work")
  const home = join(folder, "home")
  cpSync(fileURLToPath(new URL("../sample", import.meta.url)), work, { recursive: true })
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, GALLEY_HOME: home, TZ: "UTC", LANG: "C.UTF-8" }
  spawnSync("git", ["init", "-q", work], { env })
  return {
    folder,
    work,
    home,
    env,
    run: (words, given = {}) => {
      const end = spawnSync(process.execPath, [program.file, ...words], {
        cwd: given.cwd ?? work,
        env: { ...env, ...given.env },
        encoding: "utf8",
        ...(given.input === undefined ? { stdio: ["ignore", "pipe", "pipe"] } : { input: given.input }),
      })
      return { code: end.status, out: end.stdout, err: end.stderr, json: () => JSON.parse(end.stdout) as unknown }
    },
    start: words =>
      spawn(process.execPath, [program.file, ...words], { cwd: work, env, stdio: ["ignore", "pipe", "pipe"] }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
