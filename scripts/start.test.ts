import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-start-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** What `npm start` runs, with nobody at the keyboard and everything it makes in `folder`. */
function start(...words: readonly string[]) {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    TMPDIR: folder,
    GALLEY_HOME: join(folder, "home"),
    CI: "true",
  }
  return spawnSync(process.execPath, [join(import.meta.dirname, "start.ts"), ...words], { env, encoding: "utf8" })
}

describe("npm start", () => {
  it("plays the agent, then shows the person's side with real commands, and leaves a workspace to go on in", () => {
    const { status, stdout, stderr } = start()
    expect([stderr, status]).toEqual(["", 0])
    expect(stdout).not.toContain("\u001b")
    const commands = [...stdout.matchAll(/^\$ galley (\w+)/gm)].map(match => match[1])
    expect(commands).toEqual([
      "status",
      "diff",
      "accept",
      "reject",
      "diff",
      "log",
      "rewind",
      "rewind",
      "log",
      "undo",
      "status",
    ])
    for (const seen of [
      /^You: Give a discount/m,
      /Nothing was changed\.\n *The file has tabs where old_str has spaces/,
      /^@@ hunk 4 of 4/m,
      /^Plan: back to before/m,
      /taken back$/m,
    ])
      expect(stdout).toMatch(seen)
    expect(stdout.match(/Your line is still there: src\/cart\.js:\d+/g)?.length).toBe(2)
    const shop = readdirSync(folder).find(name => name.startsWith("galley-shop-"))
    expect(stdout).toContain(`cd ${join(folder, shop ?? "")}`)
    expect(readFileSync(join(folder, shop ?? "", "src/cart.js"), "utf8")).toContain("In cents; the till adds no tax.")
  })

  it("on one's own project writes nothing there and says how to connect an agent", () => {
    const own = join(folder, "own")
    mkdirSync(own)
    writeFileSync(join(own, "a.txt"), "mine\n")
    const { status, stdout, stderr } = start(own)
    expect([stderr, status]).toEqual(["", 0])
    expect(readdirSync(own)).toEqual(["a.txt"])
    expect(stdout).toContain('"mcpServers"')
    expect(stdout).toContain(own)
    expect(start(join(folder, "nowhere"))).toMatchObject({ status: 2, stdout: "" })
  })
})
