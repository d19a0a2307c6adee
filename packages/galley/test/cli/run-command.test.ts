/** `galley run` with the real engine and real processes. */
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { callSchema, errorSchema, operationsSchema, statusSchema } from "@galley/core/protocol/results.ts"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type BuiltProgram, builtProgram } from "../program.ts"
import { type RealEnd, runReal } from "./in-process.ts"

let folder = ""
let work = ""
let home = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-run-"))
  work = join(folder, "work")
  // Not below /tmp, which is private in a view anyway.
  home = mkdtempSync("/var/tmp/galley-run-home-")
  mkdirSync(join(work, "src"), { recursive: true })
  spawnSync("git", ["init", "-q", work])
  writeFileSync(join(work, "f"), "one\ntwo\nthree\n")
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(home, { recursive: true, force: true })
})

const galley = (words: readonly string[], given: Parameters<typeof runReal>[2] = {}): Promise<RealEnd> =>
  runReal({ work, home }, words, given)
const status = async () => statusSchema.parse((await galley(["status", "--json"])).json())
const operations = async () =>
  operationsSchema.parse((await galley(["log", "--operations", "--json"])).json()).operations
const text = (path = "f"): string => readFileSync(join(work, path), "utf8")

describe("the command", () => {
  const check = async (words: readonly string[], expected: string): Promise<void> =>
    expect((await galley(["run", "--", "printf", "[%s]", ...words])).out).toBe(expected)

  it("gets its words exactly", () =>
    check(["a b", "$HOME", "*", "", "it's", "`id`", "a\nb", "\\n", "~"], "[a b][$HOME][*][][it's][`id`][a\nb][\\n][~]"))
  it("gets options that look like Galley's, and --", () => check(["--json", "--", "-h"], "[--json][--][-h]"))
  it("is no builtin of a shell", async () => expect((await galley(["run", "--", "ulimit"])).code).toBe(127))
  it("starts in the folder that it is called in", async () =>
    expect((await galley(["run", "--", "pwd"], { cwd: join(work, "src") })).out).toBe(`${work}/src\n`))
  it("starts at the top when it is called from elsewhere", async () =>
    expect((await galley(["run", "-w", work, "--", "pwd"], { cwd: folder })).out).toBe(`${work}\n`))
  it("has no input and no terminal", async () =>
    expect((await galley(["run", "--", "sh", "-c", "cat; test -t 1 || echo none"])).out).toBe("none\n"))
})

describe("the exit code", () => {
  const check = async (words: readonly string[], code: number): Promise<void> =>
    expect((await galley(["run", "--", ...words])).code).toBe(code)

  it("is the command's", () => check(["sh", "-c", "exit 7"], 7))
  it("is the command's where it is 125", () => check(["sh", "-c", "exit 125"], 125))
  it("is 127 where there is no such command", () => check(["no-such-command"], 127))
  it("is 126 where it is no program", () => check(["./f"], 126))
  it("is 128 and the signal's number where one ended it", () => check(["sh", "-c", "kill -9 $$"], 137))
  it("is 125 where Galley failed before it started", async () => {
    const ran = await galley(["run", "-w", "/no/such/folder", "--", "touch", join(work, "ran")])
    expect([ran.code, ran.out, existsSync(join(work, "ran"))]).toEqual([125, "", false])
    expect(ran.err).toContain("/no/such/folder")
    const json = await galley(["run", "-w", "/no/such/folder", "--json", "--", "true"])
    expect([json.code, json.err, errorSchema.parse(json.json()).error.code]).toEqual([125, "", "NOT_FOUND"])
  })
  it("is 125 where nothing can be previewed and nothing may be written; nothing is run", async () => {
    const off = ["--set", "view.enabled=false"]
    const ran = await galley(["run", ...off, "--review", "hold", "--json", "--", "touch", "made"])
    expect([ran.code, callSchema.parse(ran.json()).error?.code]).toEqual([125, "PREVIEW_UNAVAILABLE"])
    expect(existsSync(join(work, "made"))).toBe(false)
    const said = await galley(["run", ...off, "--keep", "--", "touch", "made"])
    expect([said.code, said.err]).toEqual([125, expect.stringContaining("--review apply")])
  })
  it("is 2 where no command is named, or flags exclude each other", async () => {
    expect((await galley(["run"])).code).toBe(2)
    expect((await galley(["run", "--accept", "--keep", "--", "true"])).code).toBe(2)
    expect((await galley(["run", "--keep", "--review", "apply", "--", "true"])).code).toBe(2)
    expect(errorSchema.parse((await galley(["run", "--json"])).json()).error.code).toBe("BAD_ARGUMENT")
  })
})

describe("the output", () => {
  it("is the command's own bytes in a pipe, stderr in its place among them", async () => {
    const ran = await galley(["run", "--", "sh", "-c", "printf '\\033[31m\\377\\r'; printf B >&2; printf C"])
    expect([...ran.bytes]).toEqual([0x1b, ...Buffer.from("[31m"), 0xff, 0x0d, 0x42, 0x43])
  })
  it("is whole, however long", async () => {
    expect((await galley(["run", "--", "seq", "200000"])).bytes.length).toBe(1_288_895)
  })
  it("is one document with --json", async () => {
    const ran = await galley(["run", "--json", "--", "sh", "-c", "echo said; echo x > f; exit 3"])
    expect(callSchema.parse(ran.json())).toMatchObject({
      ok: true,
      exitCode: 3,
      capture: "previewed",
      changes: [{ path: "f", kind: "modify" }],
    })
    expect([ran.code, ran.err, ran.out.trim().split("\n").length]).toEqual([3, "", 1])
  })
  it("says on standard error what changed", async () => {
    const ran = await galley(["run", "--", "perl", "-pi", "-e", "s/t/T/", "f"])
    expect([ran.code, ran.out]).toEqual([0, ""])
    expect(ran.err).toMatch(/^galley: 1 file changed \(previewed\): f\. /)
  })
  it("is followed by nothing where nothing changed", async () => {
    const ran = await galley(["run", "--", "cat", "f"])
    expect([ran.out, ran.err]).toEqual(["one\ntwo\nthree\n", ""])
  })
})

describe("what it changed", () => {
  const perl = ["--", "perl", "-pi", "-e", "s/two/2/", "f"]

  it("is written and pending, as `apply` does", async () => {
    await galley(["run", ...perl])
    expect(text()).toBe("one\n2\nthree\n")
    expect((await status()).files).toMatchObject([{ path: "f", disk: "current" }])
  })
  it("is written and settled with --accept", async () => {
    expect((await galley(["run", "--accept", ...perl])).err).toContain("Accepted: 1 file (f)")
    expect([text(), (await status()).files]).toEqual(["one\n2\nthree\n", []])
  })
  it("is shown and taken back with --reject", async () => {
    const ran = await galley(["run", "--reject", ...perl])
    expect(ran.out).toContain("-two\n+2\n")
    expect([text(), (await status()).files, ran.code]).toEqual(["one\ntwo\nthree\n", [], 0])
  })
  it("is taken back with --reject also where the file's earlier changes are on disk and pending", async () => {
    await galley(["run", "--", "perl", "-pi", "-e", "s/one/1/", "f"])
    expect((await galley(["run", "--reject", ...perl])).code).toBe(0)
    expect(text()).toBe("1\ntwo\nthree\n")
    expect((await status()).files).toMatchObject([{ path: "f", hunks: [{ oldStart: 1, oldLines: 1 }] }])
  })
  it("is held with --keep, and the next command sees it", async () => {
    await galley(["run", "--keep", ...perl])
    expect(text()).toBe("one\ntwo\nthree\n")
    expect((await status()).files).toMatchObject([{ path: "f", disk: "base" }])
    expect((await galley(["run", "--keep", "--", "cat", "f"])).out).toBe("one\n2\nthree\n")
  })
  it("is what a failing command did up to there", async () => {
    expect((await galley(["run", "--keep", "--", "sh", "-c", "echo x > f; false"])).code).toBe(1)
    expect([text(), (await status()).files.length]).toEqual(["one\ntwo\nthree\n", 1])
  })
  it("is refused by the policy read-only, the code is the command's own", async () => {
    const ran = await galley(["run", "--policy", "read-only", ...perl])
    expect([ran.code, text()]).toEqual([0, "one\ntwo\nthree\n"])
    expect(ran.err).toContain("read-only")
  })
  it("belongs to the message that was begun, and is rewound with it", async () => {
    const message = (await galley(["message", "by hand"])).out.trim()
    await galley(["run", "--accept", ...perl])
    expect((await operations()).map(one => [one.kind, one.message])).toContainEqual(["command", message])
    expect((await galley(["rewind", message])).code).toBe(0)
    expect(text()).toBe("one\ntwo\nthree\n")
  })
  it("is computed where it is a sed -i, and no process is started", async () => {
    const bin = join(work, "bin")
    mkdirSync(bin)
    writeFileSync(join(bin, "sed"), "#!/bin/sh\nexit 9\n")
    chmodSync(join(bin, "sed"), 0o755)
    const variables = { PATH: `${bin}:${process.env["PATH"] ?? ""}` }
    const ran = await galley(["run", "--accept", "--", "sed", "-i", "s/two/2/", "f"], { variables })
    expect([ran.code, text()]).toEqual([0, "one\n2\nthree\n"])
    expect((await operations()).find(one => one.kind === "edit")?.capture).toBe("simulated")
    // A word with a blank is one word: this is no sed -i of f.
    expect((await galley(["run", "--", "sed", "-i s/2/two/", "f"], { variables })).code).toBe(9)
  })
})

describe("for hooks", () => {
  const quiet = (script: string, ...more: readonly string[]): Promise<RealEnd> => {
    const said = ["--quiet-review", "--conversation", "c1", "--message", "m1", "--call", "t1", ...more]
    return galley(["run", ...said, "--", "bash", "-c", script])
  }

  it("prints exactly the output, and exits with the code", async () => {
    const ran = await quiet("printf 'out'; echo x > f; exit 4")
    expect([ran.out, ran.err, ran.code, text()]).toEqual(["out", "", 4, "x\n"])
    expect((await operations()).at(-1)).toMatchObject({
      kind: "command",
      conversation: "c1",
      message: "m1",
      paths: ["f"],
    })
  })
  it("computes the sed -i of an agent's shell, and prints nothing as sed does", async () => {
    const ran = await quiet("sed -i s/two/2/ f")
    expect([ran.out, ran.err, ran.code, text()]).toEqual(["", "", 0, "one\n2\nthree\n"])
    expect((await operations()).at(-1)).toMatchObject({ capture: "simulated", conversation: "c1" })
  })
  it("says in one line that a change is held", async () => {
    const ran = await quiet("echo x > f", "--review", "hold")
    expect([ran.out, ran.code, text()]).toEqual(["", 0, "one\ntwo\nthree\n"])
    expect(ran.err).toMatch(/^galley: .*not on disk.*\n$/)
  })
  it("leaves what the person said since for the agent's next contact", async () => {
    await quiet("echo x > f")
    await galley(["reject", "f"])
    const ran = await quiet("echo run")
    expect([ran.out, ran.err]).toEqual(["run\n", ""])
    const contact = await galley(["call", "bash", '{"command":"true"}', "--conversation", "c1", "--json"])
    expect(callSchema.parse(contact.json()).text).toContain("f")
  })
})

describe("as a process of its own", () => {
  let program: BuiltProgram
  beforeAll(async () => {
    program = await builtProgram()
  }, 120_000)
  afterAll(() => program.remove())

  it("gets words whose bytes are not UTF-8", () => {
    const name = Buffer.concat([Buffer.from(`${work}/n-`), Buffer.of(0xff)])
    writeFileSync(name, "old\n")
    // Node passes no such word; a shell does.
    const script = `exec '${process.execPath}' '${program.file}' run -- perl -pi -e s/old/new/ "$(printf 'n-\\377')"\n`
    writeFileSync(join(folder, "call.sh"), script)
    const env = { PATH: process.env["PATH"], HOME: folder, GALLEY_HOME: home }
    const { status: code, stderr } = spawnSync("bash", [join(folder, "call.sh")], { cwd: work, env, encoding: "utf8" })
    expect([stderr.includes("1 file changed"), code]).toEqual([true, 0])
    expect(readFileSync(name, "utf8")).toBe("new\n")
  })

  it.each([
    ["sh -c 'echo x > f; yes'", 141],
    ["sh -c 'echo y; sleep 0.3; echo x > f'", 0],
  ])("records what is changed although its reader went (| head): %s", (command, code) => {
    const script = `'${process.execPath}' '${program.file}' run -- ${command} | head -1; exit \${PIPESTATUS[0]}`
    const env = { PATH: process.env["PATH"], HOME: folder, GALLEY_HOME: home }
    const ran = spawnSync("bash", ["-c", script], { cwd: work, env, encoding: "utf8" })
    expect([ran.stdout, ran.status, text()]).toEqual(["y\n", code, "x\n"])
  })

  describe("inside a command that Galley runs (D9)", () => {
    /** The program within reach: /tmp is private in a view. */
    const own = (): string => {
      cpSync(program.folder, join(work, "tool"), { recursive: true })
      return `'${process.execPath}' tool/bin/galley.mjs`
    }

    it("decisions are refused", async () => {
      await galley(["run", "--keep", "--", "sh", "-c", "echo x > f"])
      const self = own()
      const words = ["accept --all", "reject --all", "undo", "redo", "rewind m", "answer a allow", "purge f", "gc"]
      const script = words.map(word => `${self} ${word} --json; echo " $?"`).join("\n")
      const ran = await galley(["run", "--keep", "--", "sh", "-c", script])
      expect(ran.out.match(/"code":"\w+"|^ \d+$/gm)).toEqual(words.flatMap(() => ['"code":"DENIED"', " 1"]))
      expect(text()).toBe("one\ntwo\nthree\n")
    })

    it("the store is out of reach, also for who hides where they are", async () => {
      await galley(["run", "--keep", "--", "sh", "-c", "echo x > f"])
      const self = own()
      const before = (await operations()).length
      const script = `find '${home}' -name '*.db'; env -u GALLEY_VIEW GALLEY_HOME='${home}' ${self} accept --all`
      const ran = await galley(["run", "--keep", "--", "sh", "-c", script])
      // It finds an empty store, in memory, which is gone with the command.
      expect(ran.out.trimEnd().split("\n").at(-1)).toBe("Accept nothing")
      expect(ran.out).not.toContain(".db")
      const files = (await status()).files.map(file => file.path)
      expect([text(), files.includes("f"), (await operations()).length]).toEqual(["one\ntwo\nthree\n", true, before])
    })
  })
})
