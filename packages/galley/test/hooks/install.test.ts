import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parse } from "jsonc-parser"
import { afterEach, expect, test } from "vitest"
import { carryOut, type Memory, planInstall, planUninstall } from "../../src/hooks/install/change.ts"
import type { Target, Wanted } from "../../src/hooks/install/target.ts"
import { targets } from "../../src/hooks/install/targets.ts"

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function wanted(given: Partial<Wanted> = {}): Wanted {
  const folder = mkdtempSync(join(tmpdir(), "galley-install-"))
  folders.push(folder)
  return {
    self: { node: "/opt/a node/bin/node", program: "/opt/galley/bin/galley.mjs" },
    scope: "user",
    home: join(folder, "home"),
    root: join(folder, "work"),
    review: null,
    toolsOnly: false,
    waitSeconds: 45,
    variables: {},
    exists: existsSync,
    ...given,
  }
}

function install(target: Target, how: Wanted, memories: readonly Memory[] = []): Memory[] {
  return carryOut(planInstall(target.parts(how), memories), memories, "install")
}

function uninstall(target: Target, how: Wanted, memories: readonly Memory[] = []): Memory[] {
  return carryOut(planUninstall(target.parts(how), memories), memories, "uninstall")
}

function put(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Configurations as people have them, by how they end and what is in them. */
const before: Readonly<Record<"json" | "toml", readonly string[]>> = {
  json: [
    "{}",
    '{\n  // mine\n  "theme": "dark", /* why not */\n  "mcpServers": { "other": { "command": "x" }, },\n  "hooks": { "Stop": [ { "hooks": [] } ] },\n}\n',
    '{\r\n\t"a": 1\r\n}\r\n',
    '{"permissions":{"deny":["Read(.env)"]},"tools":{"exclude":["x"]},"plugin":["p"],"servers":{}}',
  ],
  toml: [
    "",
    'model = "x"',
    '# mine\n[mcp_servers.other]\ncommand = "y"\nargs = [\n  "a", # why\n]\n',
    'a = """\n[not a table\n"""\r\n',
  ],
}

for (const target of targets)
  for (const scope of ["user", "project"] as const) {
    test(`${target.name} ${scope}: install twice is install once, uninstall leaves every byte as it was`, () => {
      for (const toolsOnly of [false, true])
        for (let variant = 0; variant < 4; variant++) {
          const how = wanted({ scope, toolsOnly })
          const parts = target.parts(how)
          const old = new Map<string, string>()
          for (const part of parts) {
            const text = part.kind === "file" ? undefined : before[part.kind][variant]
            if (text !== undefined) {
              put(part.file, text)
              old.set(part.file, text)
            }
          }
          const memories = install(target, how)
          expect(planInstall(target.parts(how), memories).filter(one => one.before !== one.after)).toEqual([])
          for (const [file, text] of old) expect(readFileSync(file, "utf8")).not.toBe(text)
          expect(uninstall(target, how, memories)).toEqual([])
          for (const part of parts)
            if (old.has(part.file)) expect(readFileSync(part.file, "utf8")).toBe(old.get(part.file))
            else expect(existsSync(part.file)).toBe(false)
        }
    })

    test(`${target.name} ${scope}: what somebody wrote since stays when Galley is taken out, memory or none`, () => {
      for (const remembers of [true, false]) {
        const how = wanted({ scope })
        const json = target.parts(how).find(part => part.kind === "json")
        if (json === undefined) throw new Error("no JSON part")
        put(json.file, '{\n  // mine\n  "mine": [1, 2]\n}\n')
        const memories = install(target, how)
        const edited = readFileSync(json.file, "utf8").replace("[1, 2]", "[1, 2, 3]")
        writeFileSync(json.file, edited)
        uninstall(target, how, remembers ? memories : [])
        expect(readFileSync(json.file, "utf8")).toBe('{\n  // mine\n  "mine": [1, 2, 3]\n}\n')
      }
    })
  }

test("every configuration names the running Node and the program absolutely, and never node from the PATH", () => {
  for (const target of targets) {
    const how = wanted()
    install(target, how)
    const texts = target.parts(how).map(part => readFileSync(part.file, "utf8"))
    expect(texts.join("\n")).toContain("/opt/a node/bin/node")
    for (const text of texts) expect(text).not.toMatch(/["' ]node["' ]/)
  }
})

test("an agent's time limit for a call is longer than the wait for a person by a minute", () => {
  for (const waitSeconds of [45, 10_000]) {
    const limits: number[] = []
    for (const target of targets.filter(one =>
      ["codex", "qwen-code", "gemini-cli", "opencode", "cline"].includes(one.name),
    )) {
      const how = wanted({ waitSeconds })
      install(target, how)
      const texts = target
        .parts(how)
        .map(part => readFileSync(part.file, "utf8"))
        .join("\n")
      const milliseconds = target.name !== "codex" && target.name !== "cline"
      const found = /(?:tool_timeout_sec = |"galley"[^]*?"timeout": )(\d+)/.exec(texts)?.[1]
      limits.push(Number(found) / (milliseconds ? 1000 : 1))
    }
    expect(limits).toHaveLength(5)
    for (const limit of limits) expect(limit).toBeGreaterThanOrEqual(waitSeconds + 60)
  }
})

test("another Node or program replaces the entries instead of adding to them", () => {
  for (const target of targets) {
    const how = wanted()
    const memories = install(target, how)
    const moved = { ...how, self: { node: "/new/node", program: "/new/galley.mjs" } }
    install(target, moved, memories)
    const texts = target
      .parts(how)
      .map(part => readFileSync(part.file, "utf8"))
      .join("\n")
    expect(texts).not.toContain("/opt/")
    expect(texts).toContain("/new/node")
  }
})

function refuses(name: string, text: string, place: string): void {
  test(`${name}: ${JSON.stringify(text)} is not touched, ${place} is named`, () => {
    const target = targets.find(one => one.name === name)
    if (target === undefined) throw new Error("no target")
    const how = wanted()
    const [part] = target.parts(how)
    if (part === undefined) throw new Error("no part")
    put(part.file, text)
    expect(() => install(target, how)).toThrow(place)
    expect(readFileSync(part.file, "utf8")).toBe(text)
    for (const other of target.parts(how).slice(1)) expect(existsSync(other.file)).toBe(false)
  })
}

refuses("claude-code", '{\n  "a": 1,,\n}\n', "line 2, column 10")
refuses("qwen-code", '{ "a": ', "line 1")
refuses("gemini-cli", "[1]", "not an object")
refuses("gemini-cli", '{ "mcpServers": 1 }', "mcpServers")
refuses("codex", "model = \n", "line 1")
refuses("codex", 'a = "open\n', "line 1")
refuses("codex", "what is this\n", "line 1")
refuses("codex", '[mcp_servers.galley]\ncommand = "mine"\n', "[mcp_servers.galley]")

test("a configuration that is a symlink stays one", () => {
  const target = targets.find(one => one.name === "gemini-cli")
  if (target === undefined) throw new Error("no target")
  const how = wanted()
  const [part] = target.parts(how)
  if (part === undefined) throw new Error("no part")
  const real = join(how.root, "dotfiles.json")
  put(real, "{}\n")
  chmodSync(real, 0o640)
  mkdirSync(dirname(part.file), { recursive: true })
  symlinkSync(real, part.file)
  const memories = install(target, how)
  expect(lstatSync(part.file).isSymbolicLink()).toBe(true)
  expect(lstatSync(real).mode & 0o777).toBe(0o640)
  expect(Object.keys(parse(readFileSync(real, "utf8")) as object)).toContain("mcpServers")
  uninstall(target, how, memories)
  expect(readFileSync(real, "utf8")).toBe("{}\n")
})

test("a value of one's own that install replaced stands again after uninstall, also where somebody wrote since", () => {
  const target = targets.find(one => one.name === "opencode")
  if (target === undefined) throw new Error("no target")
  const how = wanted({ toolsOnly: true })
  const json = target.parts(how).find(part => part.kind === "json")
  if (json === undefined) throw new Error("no JSON part")
  put(json.file, '{\n  "permission": { "bash": { "git *": "allow" } },\n  "theme": 1\n}\n')
  const memories = install(target, how)
  expect(parse(readFileSync(json.file, "utf8"))).toMatchObject({ permission: { bash: "deny", edit: "deny" } })
  writeFileSync(json.file, readFileSync(json.file, "utf8").replace('"theme": 1', '"theme": 2'))
  uninstall(target, how, memories)
  expect(parse(readFileSync(json.file, "utf8"))).toEqual({ permission: { bash: { "git *": "allow" } }, theme: 2 })
})
