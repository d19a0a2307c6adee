import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import * as zlib from "node:zlib"
import { showPath } from "@galley/core/path.ts"
import type { Finding } from "./cli/commands/doctor.ts"

const run = promisify(execFile)
const patience = { timeout: 10_000 }

/** What this machine can do, found out by doing it: no list of versions or names is trusted. */
export async function examineMachine(home: string): Promise<readonly Finding[]> {
  return [node(), ...store(home), await git(), await overlay(), decisions()]
}

/** DESIGN §6: said wherever it is so. Galley cannot tell a person's command from the same one typed by an agent. */
function decisions(): Finding {
  return {
    name: "decisions",
    state: "note",
    detail: "advisory: a program that runs as you could accept or reject as you do",
    hint: "Commands of Galley's own bash tool cannot, where they are previewed. An agent's own shell tool could.",
  }
}

function node(): Finding {
  const { node: version, sqlite } = process.versions
  return {
    name: "node",
    state: "good",
    detail: `${version} (${showPath(process.execPath)}), SQLite ${sqlite ?? "missing"}`,
  }
}

function store(home: string): Finding[] {
  const sample = Buffer.from("galley keeps each version as a difference to the one before ".repeat(4))
  const plain = zlib.zstdCompressSync(sample).length
  const given = zlib.zstdCompressSync(sample, { dictionary: sample }).length
  return [
    homeFinding(home),
    given < plain
      ? { name: "compression", state: "good", detail: "versions are stored as differences (zstd with a dictionary)" }
      : {
          name: "compression",
          state: "note",
          detail: "zstd ignores dictionaries here: the store takes more room",
          hint: "Use Node 22.23 or newer.",
        },
  ]
}

function homeFinding(home: string): Finding {
  const name = "store"
  try {
    if (!existsSync(home)) {
      accessSync(nearestExisting(home), constants.W_OK)
      return { name, state: "good", detail: `${showPath(home)} (will be made)` }
    }
    accessSync(home, constants.W_OK | constants.R_OK)
    const mode = statSync(home).mode & 0o777
    return (mode & 0o077) === 0
      ? { name, state: "good", detail: showPath(home) }
      : {
          name,
          state: "note",
          detail: `${showPath(home)} is open to others (mode ${mode.toString(8)})`,
          hint: `chmod 700 ${showPath(home)}`,
        }
  } catch {
    return {
      name,
      state: "bad",
      detail: `${showPath(home)} cannot be written`,
      hint: "Set GALLEY_HOME to a folder of yours.",
    }
  }
}

async function git(): Promise<Finding> {
  try {
    const { stdout } = await run("git", ["--version"], patience)
    return { name: "git", state: "good", detail: stdout.trim().replace(/^git version /, "") }
  } catch {
    return {
      name: "git",
      state: "note",
      detail: "not found: commits and branches are not noticed",
      hint: "Install git.",
    }
  }
}

/** A real mount as DESIGN §5 describes it, in a folder of its own that is gone again afterwards. */
async function overlay(): Promise<Finding> {
  const name = "preview"
  const without = "commands cannot be previewed here: they run directly, between two looks at the disk"
  if (process.platform !== "linux") return { name, state: "note", detail: without, hint: "Previews need Linux." }
  const folder = mkdtempSync(join(tmpdir(), "galley-doctor-"))
  // Paths are relative to the folder: nothing of them becomes part of the script.
  const script =
    "mkdir low up work merged && mount -t overlay -o lowerdir=low,upperdir=up,workdir=work,userxattr overlay merged && echo ok > merged/file && test -f up/file"
  try {
    await run("unshare", ["--user", "--map-root-user", "--mount", "sh", "-c", script], { ...patience, cwd: folder })
    return { name, state: "good", detail: "commands can be previewed over an overlay (user namespaces work)" }
  } catch (error) {
    const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim().split("\n")[0] : ""
    return {
      name,
      state: "note",
      detail: without,
      hint: `Tried a mount in a user namespace: ${said || "no unshare program"}`,
    }
  } finally {
    // The kernel leaves work/work with mode 000.
    await run("chmod", ["-R", "u+rwx", folder], patience).catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  }
}

function nearestExisting(path: string): string {
  for (let at = path; ; at = dirname(at)) if (existsSync(at) || dirname(at) === at) return at
}
