import { readFileSync } from "node:fs"
import { describeConfig } from "@galley/engine/session/config.ts"
import { describe, expect, it } from "vitest"
import { wordsOf } from "../../src/cli/commands/completions.ts"
import { buildProgram, type Program } from "../../src/cli/program.ts"
import { commandTable } from "../../src/commands.ts"

const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8")
const program: Program = {
  version: "0",
  entries: commandTable(() => program),
  newId: () => "id",
  surroundings: {
    variables: {},
    userHome: "/",
    cwd: "/",
    stdout: { write: () => {} },
    stderr: { write: () => {} },
    stdin: { bytes: () => Promise.resolve(new Uint8Array()) },
    signal: new AbortController().signal,
  },
  engine: {
    rootFor: () => "/",
    open: () => Promise.reject(new Error("BUG: nothing is opened here")),
    examine: () => Promise.resolve([]),
    settings: () => [],
  },
}

describe("the README", () => {
  it("names every command, and no command that there is not", async () => {
    const names = program.entries.map(entry => entry.name)
    expect(names.filter(name => !new RegExp(`\`galley ${name}\\b`).test(readme))).toEqual([])
    const named = [...readme.matchAll(/^\| `galley (\w+)/gm)].map(match => match[1] ?? "")
    expect(named.filter(name => !names.includes(name))).toEqual([])
  })
  it("names every option that every command takes", async () => {
    const { globals } = wordsOf(await buildProgram(program, []))
    const flags = globals.map(option => option.flag).filter(flag => !["--version", "--no-color"].includes(flag))
    expect(flags.filter(flag => !readme.includes(flag))).toEqual([])
  })
  it("gives the settings their true defaults", () => {
    const rows = [...readme.matchAll(/^\| `([a-z]+(?:\.[a-zA-Z]+)?)` \| `([^`]+)` \|/gm)].map(match => [
      match[1],
      match[2],
    ])
    const known = new Map(describeConfig().map(row => [row.key, String(row.fallback)]))
    expect(rows.length).toBeGreaterThan(4)
    for (const [key = "", fallback] of rows) expect([key, known.get(key)]).toEqual([key, fallback])
  })
})

describe("help", () => {
  it("every command says what it does in one line, and has an example", async () => {
    const whole = await buildProgram(
      program,
      program.entries.map(entry => entry.name),
    )
    for (const command of whole.commands) {
      expect(command.summary().length, command.name()).toBeGreaterThan(10)
      expect(command.description(), command.name()).not.toBe(command.summary())
    }
  })
})
