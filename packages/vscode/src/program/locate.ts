import { join } from "node:path"

/** A command line that runs the program. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Where it was found, for the person. */
  readonly from: "setting" | "bundled" | "checkout" | "installed"
}

/** What finding needs to know of the machine. */
export interface Machine {
  /** The setting `galley.program`; empty where it is not set. */
  readonly setting: string
  readonly extensionFolder: string
  readonly userHome: string
  /** Folders of PATH, looked at last: what is first there is chance. */
  readonly pathFolders: readonly string[]
  /** The editor's own runtime. On the desktop it is Electron and must be told to act as Node. */
  readonly runtime: string
  readonly isElectron: boolean
  /** The real path of a file; null where there is none. */
  readonly realFile: (file: string) => string | null
}

/**
 * Finds the program: named by the person, bundled, beside the extension in a checkout, or installed. Null where there is none; a
 * setting that names nothing is not passed over in silence.
 *
 * A script is run by the editor's own runtime, never by whichever `node` is first on the PATH. Where that one is too old, the
 * program's first lines hand over to a newer one (bin/galley.mjs).
 */
export function locateProgram(machine: Machine): Program | null {
  if (machine.setting !== "") return runnable(machine, machine.setting, "setting")
  const places: readonly (readonly [string, Program["from"]])[] = [
    [join(machine.extensionFolder, "program", "bin", "galley.mjs"), "bundled"],
    [join(machine.extensionFolder, "..", "galley", "bin", "galley.mjs"), "checkout"],
    ...[join(machine.userHome, ".local", "bin"), ...machine.pathFolders].map(
      folder => [join(folder, "galley"), "installed"] as const,
    ),
  ]
  for (const [file, from] of places) {
    const found = runnable(machine, file, from)
    if (found !== null) return found
  }
  return null
}

function runnable(machine: Machine, file: string, from: Program["from"]): Program | null {
  const real = machine.realFile(file)
  if (real === null) return null
  if (!/\.[cm]?js$/.test(real)) return { command: real, args: [], env: {}, from }
  const env = machine.isElectron ? { ELECTRON_RUN_AS_NODE: "1" } : {}
  return { command: machine.runtime, args: [real], env, from }
}
