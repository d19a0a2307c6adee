import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { hashOf } from "../../src/store/blobs.ts"

const actors = [
  ["agent", "a1"],
  ["agent", "a2"],
  ["agent", "a3"],
  ["agent", "a4"],
  ["reader", "r1"],
  ["reader", "r2"],
  ["person", "p1"],
  ["person", "p2"],
] as const

/** What eight processes on one workspace came to. `wrong` is empty where nothing was lost. */
export interface Many {
  readonly wrong: readonly string[]
  readonly operations: number
  readonly ends: readonly string[]
}

/** Lets eight processes work on one workspace for a time and looks whether anything was lost. */
export async function playMany(milliseconds: number): Promise<Many> {
  const folder = mkdtempSync(join(tmpdir(), "galley-many-"))
  const root = join(folder, "work")
  const home = join(folder, "home")
  mkdirSync(root)
  writeFileSync(join(root, "shared.txt"), "shared\n")
  const wrong: string[] = []
  const ends: string[] = []
  const acknowledged: string[] = []
  try {
    await (await openWorkspace({ root, home, config: resolveConfig([]), env: realEnv() })).close()
    const until = Date.now() + milliseconds
    await Promise.all(
      actors.map(async ([role, name]) => {
        const child = spawn(
          process.execPath,
          [join(import.meta.dirname, "actor.ts"), role, name, root, home, String(until)],
          { stdio: ["ignore", "pipe", "pipe"] },
        )
        let out = ""
        let errors = ""
        child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
        // Far behind its time: it hangs.
        const hung = setTimeout(() => child.kill("SIGABRT"), milliseconds + 120_000)
        const code = await new Promise(resolve => child.on("close", resolve))
        clearTimeout(hung)
        if (errors) console.log(errors)
        if (code !== 0) wrong.push(`${role} ${name} ended with ${String(code)}: ${errors.slice(0, 800)}`)
        for (const line of out.split("\n")) {
          if (line.startsWith("op ")) acknowledged.push(line.slice(3))
          if (line.startsWith("end ")) ends.push(`${role} ${name} ${line.slice(4)}`)
        }
      }),
    )
    const store = await openSqliteStore({
      folder: join(home, "workspaces", readdirSync(join(home, "workspaces"))[0] ?? ""),
    })
    wrong.push(...(await store.check()))
    if ((await store.intents()).length > 0) wrong.push("an intent is open")
    const operations = await store.operations({})
    const ids = new Set(operations.map(operation => operation.id))
    for (const id of acknowledged)
      if (!ids.has(id)) wrong.push(`operation ${id} was acknowledged and is not in the log`)
    for (const [index, operation] of operations.entries())
      if (operation.seq !== index + 1) wrong.push(`the log has a gap at ${index + 1}`)
    // Each path's log is one chain: what an operation found is what the one before left, for base and for current.
    const last = new Map<string, string>()
    for (const operation of operations)
      for (const { path, before, after } of operation.changes) {
        const found = JSON.stringify([before.base, before.current])
        const left = last.get(path)
        if (left !== undefined && left !== found)
          wrong.push(
            `${path}: operation ${operation.seq} (${operation.kind}) found ${found}, the one before left ${left}`,
          )
        last.set(path, JSON.stringify([after.base, after.current]))
      }
    for (const item of await store.items({})) {
      const state = item.disk === "base" ? item.base : item.current
      const place = join(root, item.path)
      const there = existsSync(place) ? hashOf(readFileSync(place)) : "absent"
      if ((state.kind === "file" ? state.blob : state.kind) !== there)
        wrong.push(`${item.path} on disk is not what the log says`)
    }
    await store.close()
    const left = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(path => path.includes(".galley"))
    if (left.length > 0) wrong.push(`temporary names are left: ${left.join()}`)
    return { wrong, operations: operations.length, ends }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const result = await playMany(Number(process.argv[2] ?? 60) * 1000)
  for (const end of result.ends) console.log(end)
  console.log(`${result.operations} operations`)
  for (const line of result.wrong) console.log(`WRONG ${line}`)
  process.exit(result.wrong.length === 0 ? 0 : 1)
}
