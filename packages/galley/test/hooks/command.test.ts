import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

let program: BuiltProgram
let places: Place[] = []
beforeAll(async () => {
  program = await builtProgram()
}, 60_000)
afterAll(() => {
  // Resident processes see that their socket is gone and end.
  for (const place of places) place.remove()
  places = []
  program.remove()
})

function place(): Place {
  const made = newPlace(program)
  places.push(made)
  return made
}

function payload(p: Place, event: string, more: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ session_id: "s1", prompt_id: "m1", cwd: p.work, hook_event_name: event, ...more })
}

test("an installed hook runs with an old node first on the PATH, and its rewritten command too", {
  timeout: 120_000,
}, () => {
  const p = place()
  const trap = join(p.folder, "trap")
  mkdirSync(trap)
  writeFileSync(join(trap, "node"), "#!/bin/sh\nexit 9\n")
  chmodSync(join(trap, "node"), 0o755)
  const env = { ...p.env, PATH: `${trap}:${p.env["PATH"] ?? ""}` }
  expect(p.run(["install", "claude-code"], { env }).code).toBe(0)
  const settings = JSON.parse(readFileSync(join(p.folder, ".claude/settings.json"), "utf8")) as {
    hooks: Record<string, { hooks: { command: string }[] }[]>
  }
  const line = settings.hooks["PreToolUse"]?.[0]?.hooks[0]?.command ?? ""
  const hook = (event: string, more: Readonly<Record<string, unknown>>) =>
    spawnSync("sh", ["-c", line], { cwd: p.work, env, encoding: "utf8", input: payload(p, event, more) })
  expect(hook("UserPromptSubmit", { prompt: "Say it" }).status).toBe(0)
  const before = hook("PreToolUse", {
    tool_name: "Bash",
    tool_input: { command: "sed -i s/Terms/TERMS/ legal/terms.txt; echo done" },
    tool_use_id: "t1",
  })
  const said = JSON.parse(before.stdout) as { hookSpecificOutput: { updatedInput: { command: string } } }
  const ran = spawnSync("sh", ["-c", said.hookSpecificOutput.updatedInput.command], {
    cwd: p.work,
    env,
    encoding: "utf8",
  })
  expect([ran.status, ran.stdout]).toEqual([0, "done\n"])
  const { messages } = p.run(["log", "--json"]).json() as { messages: { id: string; title: string }[] }
  expect(messages.map(message => [message.id, message.title])).toEqual([["m1", "Say it"]])
  expect(p.run(["doctor"]).out).toContain("Claude Code is connected (user)")
  expect(readdirSync(join(p.home, "run")).filter(name => name.endsWith(".sock"))).toHaveLength(1)
  expect(p.run(["uninstall", "claude-code"], { env }).code).toBe(0)
  expect(existsSync(join(p.folder, ".claude"))).toBe(false)
})

test("without a resident process a hook answers by itself", { timeout: 120_000 }, () => {
  const p = place()
  const env = { ...p.env, GALLEY_HOOK_RESIDENT: "0" }
  const edit = { tool_name: "Write", tool_input: { file_path: join(p.work, "new.txt") }, tool_use_id: "t1" }
  expect(p.run(["hook", "claude-code"], { env, input: payload(p, "PreToolUse", edit) })).toMatchObject({
    code: 0,
    out: "",
  })
  writeFileSync(join(p.work, "new.txt"), "made\n")
  expect(p.run(["hook", "claude-code"], { env, input: payload(p, "PostToolUse", edit) })).toMatchObject({
    code: 0,
    out: "",
  })
  const { operations } = p.run(["log", "--operations", "--json"]).json() as {
    operations: { paths: string[]; capture: string }[]
  }
  expect(operations.map(one => [one.paths, one.capture])).toEqual([[["new.txt"], "recorded"]])
  expect(existsSync(join(p.home, "run"))).toBe(false)
})

test("what is no payload, and a store that cannot be had, stop no agent and are told", { timeout: 120_000 }, () => {
  const p = place()
  const env = { ...p.env, GALLEY_HOOK_RESIDENT: "0" }
  expect(p.run(["hook", "claude-code"], { env, input: "not json" }).code).toBe(0)
  expect(p.run(["doctor"]).out).toContain("not understood: it is not JSON")
  writeFileSync(join(p.folder, "file"), "")
  const closed = { ...env, GALLEY_HOME: join(p.folder, "file/home") }
  const edit = { tool_name: "Write", tool_input: { file_path: join(p.work, "n") }, tool_use_id: "t1" }
  const told = p.run(["hook", "claude-code"], { env: closed, input: payload(p, "PreToolUse", edit) })
  expect(told.code).toBe(0)
  expect(told.out).toContain("cannot be undone with Galley")
  const strict = p.run(["hook", "claude-code", "--set", "strict=true"], {
    env: closed,
    input: payload(p, "PreToolUse", edit),
  })
  expect(strict.out).toContain('"permissionDecision":"deny"')
})

test("a configuration that does not parse ends with 1, the place named, nothing written", { timeout: 120_000 }, () => {
  const p = place()
  mkdirSync(join(p.folder, ".gemini"))
  writeFileSync(join(p.folder, ".gemini/settings.json"), "{,}")
  const end = p.run(["install", "gemini-cli"])
  expect(end.code).toBe(1)
  expect(end.err).toContain("settings.json")
  expect(end.err).toContain("line 1, column 2")
  expect(readFileSync(join(p.folder, ".gemini/settings.json"), "utf8")).toBe("{,}")
})
