import { Failure, failureCodes } from "@galley/core/failure.ts"
import { errorSchema } from "@galley/core/protocol/results.ts"
import { describe, expect, it } from "vitest"
import { readLines, readPlace } from "../../src/cli/args.ts"
import { exitCodeOf } from "../../src/cli/exit.ts"
import { galley } from "./run.ts"

const decided = { version: 1, operation: "op1", files: [], title: "Done it" }

/** The words, and what they make of the request: its parameters, as JSON. */
function asks(
  words: string,
  name: string,
  expected: unknown,
  given: { readonly cwd?: string; readonly stdin?: string } = {},
) {
  it(`galley ${words}`, async () => {
    const parts = words.match(/"[^"]*"|'[^']*'|\S+/g)?.map(word => word.replace(/^["']|["']$/g, "")) ?? []
    const ran = await galley([...parts, "--json"], { ...given, script: { [name]: decided } })
    expect(ran.err).toBe("")
    expect(ran.workspace.asked.map(one => [one.name, one.params])).toEqual([[name, expected]])
    expect(ran.workspace.closed()).toBe(true)
    expect([ran.code, JSON.parse(ran.out)]).toEqual([0, decided])
  })
}

/** The words are refused before the workspace is asked anything: exit 2, one line of complaint. */
function misused(words: string, complaint: RegExp): void {
  it(`galley ${words || "(nothing)"} is misuse`, async () => {
    const parts = words.split(" ").filter(word => word !== "")
    const ran = await galley(parts)
    expect([ran.code, ran.out, ran.workspace.asked]).toEqual([2, "", []])
    expect(ran.err).toMatch(complaint)
    const json = await galley([...parts, "--json"])
    expect(json.code).toBe(2)
    expect(json.err).toBe("")
    expect(errorSchema.parse(JSON.parse(json.out)).error).toMatchObject({ code: "BAD_ARGUMENT" })
  })
}

describe("what is asked", () => {
  asks("accept a.js", "accept", { path: "a.js" })
  asks("accept a.js --hunk k1 k2", "accept", { path: "a.js", hunks: ["k1", "k2"] })
  asks("accept a.js --hunk k1 --hunk k2,k3 --revision 4", "accept", {
    path: "a.js",
    hunks: ["k1", "k2", "k3"],
    revision: 4,
  })
  asks("accept a.js --lines old:3-5,new:7", "accept", {
    path: "a.js",
    lines: { old: { from: 3, to: 5 }, new: { from: 7, to: 7 } },
  })
  asks("accept --all", "accept", { all: true })
  asks("accept .", "accept", { all: true })
  asks("reject --message m1 --on-conflict keep-mine", "reject", { message: "m1", onConflict: "keep-mine" })
  asks("reject a.js --message m1", "reject", { path: "a.js", message: "m1" })
  asks("reject a.js --property mode", "reject", { path: "a.js", properties: ["mode"] })
  asks("accept b.js", "accept", { path: "sub/b.js" }, { cwd: "/w/sub" })
  asks("accept ../b.js", "accept", { path: "b.js" }, { cwd: "/w/sub" })
  asks("accept /w/x/b.js", "accept", { path: "x/b.js" }, { cwd: "/elsewhere" })
  asks("accept b.js", "accept", { path: "b.js" }, { cwd: "/elsewhere" })
  asks("accept b.js", "accept", { path: "b.js" }, { cwd: "/work" })
  asks("undo", "undo", {})
  asks("undo op9 --on-conflict take-theirs", "undo", { operation: "op9", onConflict: "take-theirs" })
  asks("redo", "redo", {})
  asks('message "Add a cart" --conversation c1 --message m7', "message", {
    text: "Add a cart",
    conversation: "c1",
    id: "m7",
  })
  asks("answer w1 allow", "answer", { id: "w1", decision: "allow" })
  asks('answer w1 deny --reason "keep it"', "answer", { id: "w1", decision: "deny", reason: "keep it" })
  asks("answer w1 allow --content -", "answer", { id: "w1", decision: "allow", content: "mine\n" }, { stdin: "mine\n" })
  asks('comment a.js:12 "round it"', "comment", { path: "a.js", line: 12, text: "round it" })
  asks('comment a.js "why?" --conversation c1', "comment", { path: "a.js", text: "why?", conversation: "c1" })
  asks("write a.js --side current", "write", { path: "a.js", base64: "w6QK" }, { stdin: "ä\n" })
  asks("write a.js --side current --revision 2", "write", { path: "a.js", base64: "", revision: 2 }, { stdin: "" })
  asks("gc --dry-run --keep-days 1.5", "gc", { dryRun: true, keepDays: 1.5 })
  asks("purge .env", "purge", { path: ".env" })
  asks("diff a.js --message m1", "diff", { path: "a.js", message: "m1" })
  asks("status a b/c", "status", { paths: ["a", "b/c"] })
  asks("status .", "status", { paths: ["sub"] }, { cwd: "/w/sub" })
  asks("log --conversation c1", "log", { conversation: "c1" })
  asks("log --operations a.js -n 3", "operations", { path: "a.js", limit: 3 })
  asks("rewind m1 --after --plan --force --on-conflict keep-mine", "rewind", {
    message: "m1",
    after: true,
    force: true,
    onConflict: "keep-mine",
    plan: true,
  })
  asks("show x1", "show", { id: "x1" })
  asks("cat a.js --side message:m1", "cat", { path: "a.js", side: "message:m1" })
})

describe("misuse", () => {
  misused("", /Usage: galley|No command/)
  misused("frobnicate", /There is no command frobnicate/)
  misused("acept a.js", /Did you mean accept\?/)
  misused("accept", /PATH, --message M, or --all/)
  misused("accept --hunk k1", /name it/)
  misused("accept a.js --all", /--all takes everything/)
  misused("accept --all --message m1", /--all takes everything/)
  misused("accept --message m1 --revision 3", /--revision is of one file/)
  misused("accept a.js b.js", /too many arguments/)
  misused("accept a.js --lines 3-5", /old:A-B,new:C-D/)
  misused("accept a.js --lines old:5-3", /old:A-B,new:C-D/)
  misused("accept a.js --lines old:0-3", /old:A-B,new:C-D/)
  misused("accept a.js --lines old:1,old:2", /given twice/)
  misused("accept a.js --revision x", /whole number/)
  misused("accept a.js --revision -1", /whole number/)
  misused("accept a.js --on-conflict maybe", /stop, keep-mine, take-theirs/)
  misused("accept a.js --review later", /hold, ask, apply/)
  misused("accept a.js --policy all", /read-only, workspace-write, full-access/)
  misused("accept a.js --frob", /unknown option '--frob'/)
  misused("rewind", /missing required argument/)
  misused("answer w1 perhaps", /allow or deny/)
  misused("answer w1 deny --content f", /--content goes with allow/)
  misused("comment a.js:0 x", /count from 1/)
  misused("cat a.js", /--side/)
  misused("cat a.js --side left", /disk, base, current or message:M/)
  misused("write a.js --side base", /Only --side current/)
  misused("write a.js --side current", /standard input/)
  misused("call bash {", /not JSON/)
  misused("call bash [1]", /JSON object/)
  misused("log --limit 3", /go with --operations/)
  misused("completions tcsh", /bash, zsh or fish/)
})

describe("who asks, and how", () => {
  it("passes what every command takes; a person's --message is what it is about, an agent's what it belongs to", async () => {
    const flags = ["--review", "hold", "--policy", "read-only", "--conversation", "c", "--message", "m"]
    const call = { version: 1, ok: true, text: "", capture: "none", changes: [] }
    const agent = await galley([...flags, "call", "bash", "{}"], { script: { call } })
    expect(agent.workspace.asked[0]?.context).toEqual({
      actor: "agent",
      review: "hold",
      policy: "read-only",
      conversation: "c",
      message: "m",
    })
    const person = await galley(["accept", ...flags], { script: { accept: decided } })
    expect(person.workspace.asked[0]?.context).not.toHaveProperty("message")
    expect(person.workspace.asked[0]?.context).toMatchObject({ actor: "person", conversation: "c" })
  })

  it("takes --color alone for always, also before a path", async () => {
    const diff = { version: 1, diff: "", files: [] }
    const script = { diff, accept: decided }
    for (const words of [
      ["diff", "--color", "a.js"],
      ["--color", "diff", "a.js"],
      ["diff", "a.js", "--color"],
    ]) {
      const ran = await galley(words, { script })
      expect([ran.err, ran.code, ran.workspace.asked[0]?.params]).toEqual(["", 0, { path: "a.js" }])
      expect(ran.out).toContain("\u001b[32m")
    }
    expect((await galley(["--color", "never", "diff"], { script, terminal: 80 })).out).not.toContain("\u001b[")
    expect((await galley(["--color=auto", "diff"], { script, terminal: 80 })).out).toContain("\u001b[32m")
  })

  it("stops options at --", async () => {
    const ran = await galley(["message", "--", "--json"], { script: { message: { ...decided, message: "m1" } } })
    expect(ran.workspace.asked[0]?.params).toEqual({ text: "--json" })
    expect(ran.out).toBe("m1\n")
  })
})

describe("how it ends", () => {
  for (const code of failureCodes)
    it(`${code} as an exit code and as a document`, async () => {
      const expected = code === "CONFLICT" ? 3 : code === "STALE_REVISION" ? 4 : 1
      expect(exitCodeOf(code)).toBe(expected)
      const script = { accept: new Failure(code, "No.", "Do that.") }
      const plain = await galley(["accept", "a"], { script })
      expect([plain.code, plain.out]).toEqual([expected, ""])
      expect(plain.err).toContain("galley: No.")
      expect(plain.err).toContain("Do that.")
      const json = await galley(["accept", "a", "--json"], { script })
      expect([json.code, json.err]).toEqual([expected, ""])
      expect(JSON.parse(json.out)).toEqual({ error: { code, message: "No.", hint: "Do that." } })
      expect(json.workspace.closed()).toBe(true)
    })

  it("a call that was refused has the exit code of its error, and its whole document", async () => {
    const call = {
      version: 1,
      ok: false,
      text: "stale",
      capture: "none",
      changes: [],
      error: { code: "STALE_REVISION", message: "stale" },
    }
    const ran = await galley(["call", "bash", "{}", "--json"], { script: { call } })
    expect([ran.code, JSON.parse(ran.out)]).toEqual([4, call])
  })

  it("a bug of ours is exit 1, and shows its stack only if asked", async () => {
    const script = { accept: new TypeError("x is not a function") }
    const ran = await galley(["accept", "a"], { script })
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining("x is not a function")])
    expect(ran.err).not.toContain("    at ")
    const shown = await galley(["accept", "a"], { script, variables: { GALLEY_DEBUG: "1" } })
    expect(shown.err).toContain("    at ")
  })

  it("an escape sequence in a message is shown, not obeyed", async () => {
    const ran = await galley(["accept", "a"], { script: { accept: new Failure("NOT_FOUND", "no \u001b[2Jfile") } })
    expect(ran.err).toContain("no \\x1b[2Jfile")
  })

  it("a path outside is refused with its code", async () => {
    const ran = await galley(["accept", "../x", "--json"], { script: { accept: decided } })
    expect([ran.code, JSON.parse(ran.out).error.code, ran.workspace.asked]).toEqual([1, "OUTSIDE_WORKSPACE", []])
  })

  it("a rewind that met a conflict is exit 3, one that was only planned is not", async () => {
    const rewind = {
      version: 1,
      applied: false,
      steps: [{ path: "a", action: "conflict", reason: "both changed line 3" }],
      operation: null,
    }
    expect((await galley(["rewind", "m1", "--json"], { script: { rewind } })).code).toBe(3)
    expect((await galley(["rewind", "m1", "--plan", "--json"], { script: { rewind } })).code).toBe(0)
    const plain = await galley(["rewind", "m1"], { script: { rewind } })
    expect([plain.code, plain.out]).toEqual([3, expect.stringContaining("--on-conflict keep-mine")])
  })
})

describe("help", () => {
  it("lists every command with its summary and what every command takes", async () => {
    const ran = await galley(["--help"])
    expect([ran.code, ran.err]).toEqual([0, ""])
    for (const word of ["accept", "rewind", "completions", "--workspace", "--json", "Examples:", "Exit codes"])
      expect(ran.out).toContain(word)
  })
  it("of a command has its options and examples", async () => {
    const ran = await galley(["rewind", "--help"])
    expect([ran.code, ran.err]).toEqual([0, ""])
    for (const word of ["--after", "--plan", "--on-conflict", "Examples:", "galley undo"])
      expect(ran.out).toContain(word)
    expect((await galley(["help", "rewind"])).out).toBe(ran.out)
  })
  it("prints the version", async () => {
    expect(await galley(["--version"])).toMatchObject({ code: 0, out: "1.2.3\n" })
  })
})

describe("small readings", () => {
  it("of lines", () => {
    expect(readLines("new:2")).toEqual({ new: { from: 2, to: 2 } })
    expect(readLines("old:1-2, new:3-4")).toEqual({ old: { from: 1, to: 2 }, new: { from: 3, to: 4 } })
  })
  it("of places", () => {
    expect(readPlace("a:b.js:3")).toEqual({ path: "a:b.js", line: 3 })
    expect(readPlace("a:b.js")).toEqual({ path: "a:b.js" })
    expect(readPlace("a:1:2")).toEqual({ path: "a:1", line: 2 })
  })
})
