/** `galley run` with the real engine and real processes. */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { callSchema, errorSchema, operationsSchema, statusSchema } from "@galley/core/protocol/results.ts"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place, type RunEnd, type RunGiven } from "../program.ts"

let program: BuiltProgram
let place: Place
beforeAll(async () => {
  program = await builtProgram()
})
afterAll(() => program.remove())
beforeEach(() => {
  place = newPlace(program)
  writeFileSync(join(place.work, "f"), "one\ntwo\nthree\n")
})
afterEach(() => place.remove())

const galley = (words: readonly string[], given?: RunGiven): RunEnd => place.run(words, given)
const status = () => statusSchema.parse(galley(["status", "--json"]).json())
const operations = () => operationsSchema.parse(galley(["log", "--operations", "--json"]).json()).operations
const text = (path = "f"): string => readFileSync(join(place.work, path), "utf8")

const bytesOf = (words: readonly string[]): Buffer =>
  spawnSync(process.execPath, [program.file, ...words], { cwd: place.work, env: place.env, maxBuffer: 1 << 26 }).stdout

describe("the command", () => {
  const echo = (words: readonly string[]): string => galley(["run", "--", "printf", "[%s]", ...words]).out
  const check = (words: readonly string[], expected: string): void => expect(echo(words)).toBe(expected)

  it("gets its words exactly", () => {
    check(["a b", "$HOME", "*", "", "it's", "`id`", "a\nb", "\\n", "~"], "[a b][$HOME][*][][it's][`id`][a\nb][\\n][~]")
  })
  it("gets options that look like Galley's, and --", () => check(["--json", "--", "-h"], "[--json][--][-h]"))
  it("is no builtin of a shell", () => expect(galley(["run", "--", "ulimit"]).code).toBe(127))
  it("starts in the folder that it is called in", () => {
    expect(galley(["run", "--", "pwd"], { cwd: join(place.work, "src") }).out).toBe(`${place.work}/src\n`)
  })
  it("starts at the top when it is called from elsewhere", () => {
    expect(galley(["run", "-w", place.work, "--", "pwd"], { cwd: place.folder }).out).toBe(`${place.work}\n`)
  })
  it("has no input and no terminal", () => {
    expect(galley(["run", "--", "sh", "-c", "cat; test -t 1 || echo none"], { input: "typed" }).out).toBe("none\n")
  })
  it("writes names and gets words whose bytes are not UTF-8", () => {
    writeFileSync(Buffer.concat([Buffer.from(`${place.work}/n-`), Buffer.of(0xff)]), "old\n")
    // Node passes no such word, a shell does.
    const script = join(place.folder, "call.sh")
    writeFileSync(
      script,
      `exec '${process.execPath}' '${program.file}' run -- perl -pi -e s/old/new/ "$(printf 'n-\\377')"\n`,
    )
    expect(galley(["run", "--policy", "workspace-write", "--", "true"]).code).toBe(0)
    const end = spawnSync("bash", [script], { cwd: place.work, env: place.env, encoding: "utf8" })
    expect([end.stderr.includes("n-\\xff"), end.status]).toEqual([true, 0])
    expect(readFileSync(Buffer.concat([Buffer.from(`${place.work}/n-`), Buffer.of(0xff)]), "utf8")).toBe("new\n")
  })
})

describe("the exit code", () => {
  const check = (words: readonly string[], code: number): void =>
    expect(galley(["run", "--", ...words]).code).toBe(code)

  it("is the command's", () => check(["sh", "-c", "exit 7"], 7))
  it("is the command's where it is 125", () => check(["sh", "-c", "exit 125"], 125))
  it("is 127 where there is no such command", () => check(["no-such-command"], 127))
  it("is 126 where it is no program", () => check(["./f"], 126))
  it("is 128 and the signal's number where one ended it", () => check(["sh", "-c", "kill -9 $$"], 137))
  it("is 125 where Galley failed before it started", () => {
    const ran = galley(["run", "-w", "/no/such/folder", "--", "touch", join(place.folder, "ran")])
    expect([ran.code, ran.out, existsSync(join(place.folder, "ran"))]).toEqual([125, "", false])
    expect(ran.err).toContain("/no/such/folder")
  })
  it("is 125 where nothing can be previewed and nothing may be written; nothing is run", () => {
    const off = ["--set", "view.enabled=false"]
    const ran = galley(["run", ...off, "--review", "hold", "--json", "--", "touch", "made"])
    expect([ran.code, callSchema.parse(ran.json()).error?.code]).toEqual([125, "PREVIEW_UNAVAILABLE"])
    expect(existsSync(join(place.work, "made"))).toBe(false)
    const said = galley(["run", ...off, "--keep", "--", "touch", "made"])
    expect([said.code, said.err]).toEqual([125, expect.stringContaining("--review apply")])
  })
  it("is 2 where no command is named, or flags exclude each other", () => {
    expect(galley(["run"]).code).toBe(2)
    expect(galley(["run", "--accept", "--keep", "--", "true"]).code).toBe(2)
    expect(galley(["run", "--keep", "--review", "apply", "--", "true"]).code).toBe(2)
    expect(errorSchema.parse(galley(["run", "--json"]).json()).error.code).toBe("BAD_ARGUMENT")
  })
})

describe("the output", () => {
  it("is the command's own bytes in a pipe, stderr in its place among them", () => {
    const ran = galley(["run", "--json", "--", "true"])
    expect(callSchema.parse(ran.json())).toMatchObject({ ok: true, exitCode: 0 })
    const bytes = bytesOf(["run", "--", "sh", "-c", "printf '\\033[31m\\377\\r'; printf B >&2; printf C"])
    expect([...bytes]).toEqual([...Buffer.from("\u001b[31m", "latin1"), 0xff, 0x0d, 0x42, 0x43])
  })
  it("is whole, however long", () => {
    expect(bytesOf(["run", "--", "seq", "200000"]).length).toBe(1_288_895)
  })
  it("says on standard error what changed", () => {
    const ran = galley(["run", "--", "perl", "-pi", "-e", "s/t/T/", "f"])
    expect([ran.code, ran.out]).toEqual([0, ""])
    expect(ran.err).toMatch(/^galley: 1 file changed \(previewed\): f\. /)
  })
  it("is silent where nothing changed", () => {
    const ran = galley(["run", "--", "cat", "f"])
    expect([ran.out, ran.err]).toEqual(["one\ntwo\nthree\n", ""])
  })
})

describe("what it changed", () => {
  const perl = ["--", "perl", "-pi", "-e", "s/two/2/", "f"]

  it("is written and pending, as `apply` does", () => {
    galley(["run", ...perl])
    expect(text()).toBe("one\n2\nthree\n")
    expect(status().files).toMatchObject([{ path: "f", disk: "current" }])
  })
  it("is written and settled with --accept", () => {
    expect(galley(["run", "--accept", ...perl]).err).toContain("Accepted: 1 file (f)")
    expect([text(), status().files]).toEqual(["one\n2\nthree\n", []])
  })
  it("is shown and taken back with --reject", () => {
    const ran = galley(["run", "--reject", ...perl])
    expect(ran.out).toContain("-two\n+2\n")
    expect([text(), status().files, ran.code]).toEqual(["one\ntwo\nthree\n", [], 0])
  })
  it("is taken back with --reject also where the file's earlier changes are on disk and pending", () => {
    galley(["run", "--", "perl", "-pi", "-e", "s/one/1/", "f"])
    expect(galley(["run", "--reject", ...perl]).code).toBe(0)
    expect(text()).toBe("1\ntwo\nthree\n")
    expect(status().files).toMatchObject([{ path: "f", hunks: [{ oldStart: 1, oldLines: 1 }] }])
  })
  it("is held with --keep, and the next command sees it", () => {
    galley(["run", "--keep", ...perl])
    expect(text()).toBe("one\ntwo\nthree\n")
    expect(status().files).toMatchObject([{ path: "f", disk: "base" }])
    expect(galley(["run", "--keep", "--", "cat", "f"]).out).toBe("one\n2\nthree\n")
  })
  it("can be taken back up to where a failing command came", () => {
    expect(galley(["run", "--reject", "--", "sh", "-c", "echo x > f; false"]).code).toBe(1)
    expect(text()).toBe("one\ntwo\nthree\n")
  })
  it("is refused by the policy read-only, the code is the command's own", () => {
    const ran = galley(["run", "--policy", "read-only", ...perl])
    expect([ran.code, text()]).toEqual([0, "one\ntwo\nthree\n"])
    expect(ran.err).toContain("read-only")
  })
  it("is undone by undo and belongs to the message that was begun", () => {
    const message = galley(["message", "by hand"]).out.trim()
    galley(["run", "--accept", ...perl])
    expect(operations().map(one => [one.kind, one.message])).toContainEqual(["command", message])
    expect(galley(["rewind", message]).code).toBe(0)
    expect(text()).toBe("one\ntwo\nthree\n")
  })
  it("is computed where it is a sed -i, and no process is started", () => {
    const fake = join(place.folder, "bin")
    mkdirSync(fake)
    writeFileSync(join(fake, "sed"), "#!/bin/sh\nexit 9\n")
    chmodSync(join(fake, "sed"), 0o755)
    const env = { PATH: `${fake}:${place.env["PATH"] ?? ""}` }
    const ran = galley(["run", "--accept", "--", "sed", "-i", "s/two/2/", "f"], { env })
    expect([ran.code, text(), operations().find(one => one.kind === "edit")?.capture]).toEqual([
      0,
      "one\n2\nthree\n",
      "simulated",
    ])
    // A word with a blank is a word, not two: this is not a sed -i of f.
    expect(galley(["run", "--", "sed", "-i s/2/two/", "f"], { env }).code).toBe(9)
  })
})

describe("for hooks", () => {
  const quiet = (script: string, ...more: readonly string[]): RunEnd =>
    galley([
      "run",
      "--quiet-review",
      "--conversation",
      "c1",
      "--message",
      "m1",
      "--call",
      "t1",
      ...more,
      "--",
      "bash",
      "-c",
      script,
    ])

  it("prints exactly the output, and exits with the code", () => {
    const ran = quiet("printf 'out'; echo x > f; exit 4")
    expect([ran.out, ran.err, ran.code, text()]).toEqual(["out", "", 4, "x\n"])
    expect(operations().at(-1)).toMatchObject({ kind: "command", conversation: "c1", message: "m1", paths: ["f"] })
  })
  it("computes the sed -i of an agent's shell, and prints nothing as sed does", () => {
    const ran = quiet("sed -i s/two/2/ f")
    expect([ran.out, ran.err, ran.code, text()]).toEqual(["", "", 0, "one\n2\nthree\n"])
    expect(operations().at(-1)).toMatchObject({ capture: "simulated", conversation: "c1" })
  })
  it("says in one line that a change is held", () => {
    const ran = quiet("echo x > f", "--review", "hold")
    expect([ran.out, ran.code, text()]).toEqual(["", 0, "one\ntwo\nthree\n"])
    expect(ran.err).toMatch(/^galley: .*not on disk.*\n$/)
  })
  it("leaves what the person said since for the agent's next contact", () => {
    quiet("echo x > f")
    galley(["reject", "f"])
    expect(quiet("true").out).toBe("")
    const contact = galley(["call", "bash", '{"command":"true"}', "--conversation", "c1", "--json"])
    expect(callSchema.parse(contact.json()).text).toContain("f")
  })
})

describe("inside a command that Galley runs (D9)", () => {
  const self = (words: string): string => `'${process.execPath}' '${program.file}' ${words}`

  it("decisions are refused", () => {
    galley(["run", "--keep", "--", "sh", "-c", "echo x > f"])
    for (const words of [
      "accept --all",
      "reject --all",
      "undo",
      "redo",
      "rewind m",
      "answer a allow",
      "purge f",
      "gc",
      "comment f:1 x",
    ]) {
      const ran = galley(["run", "--keep", "--", "sh", "-c", self(`${words} --json`)])
      expect([ran.code, errorSchema.parse(ran.json()).error.code], words).toEqual([1, "DENIED"])
    }
    expect([text(), status().files.length]).toEqual(["one\ntwo\nthree\n", 1])
  })

  it("the store is out of reach, also for who hides where they are", () => {
    galley(["run", "--keep", "--", "sh", "-c", "echo x > f"])
    const before = operations().length
    const home = `GALLEY_HOME='${place.home}'`
    const ran = galley([
      "run",
      "--keep",
      "--",
      "sh",
      "-c",
      `env -u GALLEY_VIEW ${home} ${self("accept --all")}; echo code $?; ls -R '${place.home}'`,
    ])
    expect(ran.out).toMatch(/code [1-9]/)
    expect(ran.out).not.toContain(".db")
    expect([text(), status().files.length, operations().length]).toEqual(["one\ntwo\nthree\n", 1, before + 1])
  })
})
