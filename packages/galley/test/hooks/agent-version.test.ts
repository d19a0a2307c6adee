import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { askVersion, compareVersion, wordVersion } from "../../src/hooks/install/agent-version.ts"
import { targets } from "../../src/hooks/install/targets.ts"

describe("what an agent says of its version", () => {
  const check = (tested: string, said: string, expected: string): void =>
    it(`${JSON.stringify(said)} where ${tested} is known: ${expected}`, () => {
      const standing = compareVersion({ program: "x", tested }, said)
      expect("found" in standing ? `${standing.kind} ${standing.found}` : standing.kind).toBe(expected)
    })
  check("2.1.332", "2.1.332 (Claude Code)\n", "same 2.1.332")
  check("2.1.332", "2.1.9 (Claude Code)\n", "near 2.1.9")
  check("2.1.332", "2.2.0", "other 2.2.0")
  check("0.171.0", "codex-cli 0.171.0", "same 0.171.0")
  check("0.171.0", "codex-cli 0.172.0", "other 0.172.0")
  check("0.171.0", "codex-cli 1.171.0", "other 1.171.0")
  check("0.61.0", "0.61.0-preview.1", "near 0.61.0-preview.1")
  check("1.18.33", "11.18.33", "other 11.18.33")
  check("1.18.33", "", "unknown")
  check("1.18.33", "no version here", "unknown")
})

it("a program that is not there has none, and doctor is silent of it", async () => {
  const known = { program: "/nowhere/at-all", tested: "1.0.0" }
  expect(wordVersion("X", known, await askVersion(known))).toBeNull()
})

it("another version is a note that names both", () => {
  const known = { program: "x", tested: "1.2.3" }
  expect(wordVersion("X", known, compareVersion(known, "2.0.0"))).toMatchObject({
    state: "note",
    detail: "X 2.0.0 is here; its hooks are known as they were in 1.2.3",
  })
})

it("the known versions are those that the tests with real agents pin", () => {
  const pinned = JSON.parse(
    readFileSync(new URL("../../../../tests/agents/package.json", import.meta.url), "utf8"),
  ) as { dependencies: Record<string, string> }
  const packages: Readonly<Record<string, string>> = {
    "claude-code": "@anthropic-ai/claude-code",
    codex: "@openai/codex",
    "qwen-code": "@qwen-code/qwen-code",
    "gemini-cli": "@google/gemini-cli",
    opencode: "opencode-ai",
    cline: "cline",
  }
  for (const { name, known } of targets)
    expect(known?.tested, name).toBe(name in packages ? pinned.dependencies[packages[name] ?? ""] : undefined)
})
