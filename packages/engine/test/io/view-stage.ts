import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { commandEnvironment } from "../../src/io/environment.ts"
import type { DiskChange, Seen } from "../../src/io/seen.ts"
import { runInView, type ViewRequest, type ViewRun } from "../../src/io/view.ts"
import { removeTree } from "../../src/io/view-folder.ts"

/** A workspace and a scratch folder of its own, for views. */
export interface Stage {
  readonly home: string
  readonly root: string
  readonly scratch: string
  /** Writes files: a name that ends in `/` is a folder, `-> x` as content a symlink, `#!` makes it executable. */
  put(files: Readonly<Record<string, string>>): void
  text(path: string): string
  git(...args: readonly string[]): string
  run(command: ViewRequest["command"], more?: Partial<ViewRequest>): Promise<ViewRun>
  /** Runs, and tells the changes as lines (see `told`); reads all contents before the run is closed. */
  changes(command: ViewRequest["command"], more?: Partial<ViewRequest>): Promise<readonly string[]>
  end(): void
}

let count = 0

/** `under`: a folder on a disk that can hold an overlay's upper. */
export function stage(under: string, name = "ws"): Stage {
  const home = realpathSync(mkdtempSync(join(under, "galley-view-")))
  const root = join(home, name)
  const scratch = join(home, "store", "scratch")
  mkdirSync(root)
  const put: Stage["put"] = files => {
    for (const [path, content] of Object.entries(files)) {
      const at = join(root, path)
      mkdirSync(path.endsWith("/") ? at : dirname(at), { recursive: true })
      if (path.endsWith("/")) continue
      if (content.startsWith("-> ")) symlinkSync(content.slice(3), at)
      else writeFileSync(at, content)
      if (content.startsWith("#!")) chmodSync(at, 0o755)
    }
  }
  const run: Stage["run"] = async (command, more = {}) => {
    const outcome = await runInView({
      root,
      pending: [],
      command,
      cwd: root,
      env: commandEnvironment(process.env, { HOME: home }),
      timeoutMs: 20_000,
      outputLimit: 20_000,
      mask: [join(home, "store")],
      git: "dropped",
      passThrough: [],
      caches: [],
      dependencyFolders: ["node_modules"],
      scratch,
      id: `t${count++}`,
      owners: "own",
      ...more,
    })
    if (outcome.kind === "noView") throw new Error(`no view: ${outcome.reason}`)
    return outcome
  }
  return {
    home,
    root,
    scratch,
    put,
    run,
    text: path => readFileSync(join(root, path), "utf8"),
    git: (...args) => {
      const env = { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" }
      const who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "init.defaultBranch=main"]
      return execFileSync("git", [...who, ...args], { cwd: root, env, encoding: "utf8", stdio: "pipe" }).trim()
    },
    changes: async (command, more) => {
      const done = await run(command, more)
      const lines = await Promise.all(done.changes.map(told))
      const products = done.byProducts.map(product => `${product.folder}/… ${product.paths}`)
      await done.close()
      return [...lines, ...products]
    },
    end: () => removeTree(home),
  }
}

/** `path: before => after`, contents in quotes, modes where they are not 644 or 755, `(from old)` for renames, `!` if it moved. */
export async function told(change: DiskChange): Promise<string> {
  const from = change.renamedFrom === undefined ? "" : ` (from ${change.renamedFrom})`
  const flags = `${change.ignored ? " ignored" : ""}${change.movedSince() ? " !" : ""}`
  return `${change.path}: ${await shown(change.before)} => ${await shown(change.after)}${from}${flags}`
}

async function shown(seen: Seen): Promise<string> {
  switch (seen.kind) {
    case "absent":
      return "-"
    case "file": {
      const content = JSON.stringify(Buffer.from(await seen.read()).toString("latin1"))
      return content + (seen.mode === 0o644 ? "" : ` ${seen.mode.toString(8)}`)
    }
    case "symlink":
      return `-> ${seen.target}`
    case "folder":
      return `folder${seen.mode === 0o755 ? "" : ` ${seen.mode.toString(8)}`}`
    case "other":
      return seen.what
    case "unknown":
      return "?"
  }
}
