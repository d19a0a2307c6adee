import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { galley } from "./run.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-cli-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const status = { version: 1, workspace: "/w", review: "apply", heads: [], waiting: [], files: [] }

describe("completions", () => {
  it("complete commands, options and choices in a real bash", async () => {
    const { out, code } = await galley(["completions", "bash"])
    expect(code).toBe(0)
    writeFileSync(join(folder, "completion"), out)
    const complete = (...words: readonly string[]): string[] => {
      const script = `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _galley; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync("bash", ["--norc", "-c", script, "bash", join(folder, "completion"), ...words], {
        encoding: "utf8",
        cwd: folder,
      })
        .split("\n")
        .filter(word => word !== "")
    }
    expect(complete("galley", "rew")).toEqual(["rewind"])
    expect(complete("galley", "--review", "")).toEqual(["hold", "ask", "apply"])
    expect(complete("galley", "--workspace", "x", "accept", "--hu")).toEqual(["--hunk"])
    expect(complete("galley", "accept", "--on-conflict", "k")).toEqual(["keep-mine"])
    expect(complete("galley", "rewind", "--js")).toEqual(["--json"])
    expect(complete("galley", "completions", "z")).toEqual(["zsh"])
  })
  it("are scripts that zsh and fish would read: every command is in them", async () => {
    for (const shell of ["zsh", "fish"]) {
      const { out } = await galley(["completions", shell])
      for (const command of ["accept", "rewind", "doctor"]) expect(out).toContain(command)
    }
    expect((await galley(["completions", "fish"])).out).toContain("-l on-conflict")
    expect((await galley(["completions", "fish"])).out).not.toContain("undefined")
  })
})

describe("documents", () => {
  it("are one line in a pipe, and laid out on a terminal", async () => {
    expect((await galley(["status", "--json"], { script: { status } })).out).toBe(`${JSON.stringify(status)}\n`)
    expect((await galley(["status", "--json"], { script: { status }, terminal: 80 })).out).toBe(
      `${JSON.stringify(status, null, 2)}\n`,
    )
  })
})

describe("cat", () => {
  const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00, 0x1b])
  const cat = { version: 1, path: "a", absent: false, base64: bytes.toString("base64") }
  it("asks for the bytes, and shows them inert on a terminal", async () => {
    const piped = await galley(["cat", "a", "--side", "disk"], { script: { cat } })
    expect(piped.workspace.asked[0]?.params).toEqual({ path: "a", side: "disk", raw: true })
    const shown = await galley(["cat", "a", "--side", "disk"], {
      script: { cat: { ...cat, base64: btoa("a\u001b[2J\n") } },
      terminal: 80,
    })
    expect(shown.out).toBe("a\\x1b[2J\n")
  })
  it("of what is not there is NOT_FOUND", async () => {
    const ran = await galley(["cat", "a", "--side", "base"], {
      script: { cat: { version: 1, path: "a", absent: true } },
    })
    expect([ran.code, ran.out]).toEqual([1, ""])
  })
})

describe("export", () => {
  const script = {
    status: { ...status, files: [{ path: "a", kinds: ["modify"] }] },
    log: { version: 1, messages: [] },
    operations: { version: 1, operations: [{ id: "op1" }] },
    show: { diff: "d" },
    cat: { base64: "QQ==" },
  }
  it("is one document with all of it", async () => {
    const { out } = await galley(["export"], { script })
    expect(JSON.parse(out)).toEqual({
      version: 1,
      workspace: "/w",
      messages: [],
      operations: [{ id: "op1", diff: "d" }],
      pending: [{ path: "a", kinds: ["modify"], base: "QQ==", current: "QQ==" }],
    })
  })
  it("into a file that is new and private", async () => {
    const target = join(folder, "out.json")
    expect((await galley(["export", "-o", target], { script })).code).toBe(0)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    const again = await galley(["export", "-o", target, "--json"], { script })
    expect(again.code).toBe(1)
  })
})

describe("doctor", () => {
  const findings = [
    { name: "node", state: "good", detail: "v24" },
    { name: "preview", state: "note", detail: "none here", hint: "Linux only." },
  ] as const
  it("tells what it found", async () => {
    const ran = await galley(["doctor"], { engine: { examine: () => Promise.resolve(findings) } })
    expect([ran.code, ran.out]).toEqual([
      0,
      "ok    node     v24\nnote  preview  none here\n               Linux only.\n",
    ])
  })
  it("fails where something is bad, and lists settings on demand", async () => {
    const bad = [{ name: "store", state: "bad", detail: "damaged" }] as const
    const settings = [{ key: "strict", value: true, fallback: false, doc: "Refuse." }]
    const engine = { examine: () => Promise.resolve(bad), settings: () => settings }
    const ran = await galley(["doctor", "--settings"], { engine })
    expect([ran.code, ran.out]).toEqual([1, "BAD   store  damaged\n\nstrict = true  (default false)\n    Refuse.\n"])
    const json = await galley(["doctor", "--json"], { engine })
    expect(JSON.parse(json.out)).toEqual({ version: 1, findings: bad, settings })
  })
})
