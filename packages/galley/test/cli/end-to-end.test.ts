/** The program against the real engine, real store and real disk: one story per test. */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  callSchema,
  decisionSchema,
  errorSchema,
  logSchema,
  operationsSchema,
  rewindSchema,
  statusSchema,
} from "@galley/core/protocol/results.ts"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place, type RunGiven } from "../program.ts"

let program: BuiltProgram
let place: Place
beforeAll(async () => {
  program = await builtProgram()
})
afterAll(() => program.remove())
beforeEach(() => {
  place = newPlace(program)
})
afterEach(() => place.remove())

/** Runs a command that must end well, and gives its document checked against the schema. */
function done<T>(schema: { parse(value: unknown): T }, words: readonly string[], given: RunGiven = {}): T {
  const ran = place.run([...words, "--json"], given)
  expect([ran.err, ran.code], words.join(" ")).toEqual(["", 0])
  return schema.parse(ran.json())
}

/** Runs a command that must be refused: exit code and error code. */
function refused(code: number, errorCode: string, words: readonly string[], given: RunGiven = {}): void {
  const ran = place.run([...words, "--json"], given)
  expect([ran.err, ran.code], words.join(" ")).toEqual(["", code])
  expect(errorSchema.parse(ran.json()).error.code).toBe(errorCode)
}

const edit = (input: object) => done(callSchema, ["call", "str_replace_editor", JSON.stringify(input)])
const replace = (path: string, old_str: string, new_str: string) =>
  edit({ command: "str_replace", path: join(place.work, path), old_str, new_str })
const message = (text: string): string => done(decisionSchema, ["message", text]).message ?? ""
const status = () => done(statusSchema, ["status"])
const fileOf = (path: string) => {
  const found = status().files.find(file => file.path === path)
  if (found === undefined) throw new Error(`${path} is not pending`)
  return found
}
const text = (path: string): string => readFileSync(join(place.work, path), "utf8")
const add = (path: string, line: string): void => writeFileSync(join(place.work, path), text(path) + line)

describe("an agent edits, a person reviews", () => {
  it("accepts a hunk, rejects a hunk, and takes both back in order", () => {
    const before = text("src/cart.js")
    replace("src/cart.js", "there.count += item.count", "there.count += item.count ?? 1")
    replace("src/cart.js", "return sum", "return Math.round(sum)")
    const file = fileOf("src/cart.js")
    expect(file).toMatchObject({ kinds: ["modify"], disk: "current", conflict: false, parked: false })
    const [first, second] = file.hunks
    const accepted = done(decisionSchema, ["accept", "src/cart.js", "--hunk", first?.id ?? ""])
    expect(accepted.operation).not.toBeNull()
    done(decisionSchema, ["reject", "src/cart.js", "--hunk", second?.id ?? ""])
    expect(status().files).toEqual([])
    expect(text("src/cart.js")).toBe(before.replace("+= item.count", "+= item.count ?? 1"))
    done(decisionSchema, ["undo"])
    done(decisionSchema, ["undo"])
    expect(fileOf("src/cart.js").hunks.length).toBe(2)
    expect(text("src/cart.js")).toContain("Math.round(sum)")
    done(decisionSchema, ["redo"])
    expect(fileOf("src/cart.js").hunks.length).toBe(1)
  })

  it("by number only for the revision that was seen", () => {
    replace("src/cart.js", "return sum", "return Math.round(sum)")
    const { revision } = fileOf("src/cart.js")
    replace("src/cart.js", "let sum = 0", "let sum = 0.0")
    refused(4, "STALE_REVISION", ["accept", "src/cart.js", "--hunk", "1", "--revision", String(revision)])
    done(decisionSchema, ["accept", "src/cart.js", "--hunk", "1", "--revision", String(fileOf("src/cart.js").revision)])
    expect(fileOf("src/cart.js").hunks.length).toBe(1)
  })

  it("by lines, by message, by all", () => {
    const first = message("one")
    replace("src/money.js", "Math.floor", "Math.trunc")
    message("two")
    replace("src/cart.js", "  let sum = 0\n", "  let sum = 0\n  let a = 1\n  let b = 2\n")
    done(decisionSchema, ["accept", "src/cart.js", "--lines", "new:17"])
    expect(fileOf("src/cart.js").hunks).toMatchObject([{ newStart: 18, newLines: 1 }])
    done(decisionSchema, ["reject", "--message", first])
    expect(text("src/money.js")).toContain("Math.floor")
    done(decisionSchema, ["accept", "--all"])
    expect(status().files).toEqual([])
  })

  it("hold keeps the disk as it was until accepted; the proposal can be edited, byte for byte", () => {
    const before = text("src/money.js")
    const path = join(place.work, "src/money.js")
    const call = done(callSchema, [
      "--review",
      "hold",
      "call",
      "str_replace_editor",
      JSON.stringify({ command: "str_replace", path, old_str: "Math.floor", new_str: "Math.trunc" }),
    ])
    expect(call.ok).toBe(true)
    expect(text("src/money.js")).toBe(before)
    expect(fileOf("src/money.js").disk).toBe("base")
    expect(place.run(["cat", "src/money.js", "--side", "base"]).out).toBe(before)
    const mine = place.run(["cat", "src/money.js", "--side", "current"]).out.replace("Math.trunc", "Math.round")
    done(decisionSchema, ["write", "src/money.js", "--side", "current"], { input: mine })
    expect(text("src/money.js")).toBe(before)
    done(decisionSchema, ["accept", "src/money.js"])
    expect(text("src/money.js")).toBe(before.replace("Math.floor", "Math.round"))
  })

  it("cat gives the bytes of a UTF-16 file and of a binary one as they are", () => {
    for (const path of ["legal/terms.txt", "logo.png", "data/customers.csv"]) {
      const bytes = spawnSync(process.execPath, [program.file, "cat", path, "--side", "disk"], {
        cwd: place.work,
        env: place.env,
      }).stdout
      expect(Buffer.compare(bytes, readFileSync(join(place.work, path)))).toBe(0)
    }
  })
})

describe("rewind", () => {
  it("keeps the person's edit in the same file, is planned first, and is itself undone", () => {
    message("one")
    replace("src/cart.js", "return sum", "return sum + 1")
    const two = message("two")
    edit({ command: "create", path: join(place.work, "src/new.js"), file_text: "x\n" })
    replace("src/cart.js", "Total  ", "Sum  ")
    add("src/cart.js", "// mine\n")
    const after = text("src/cart.js")
    const plan = done(rewindSchema, ["rewind", two, "--plan"])
    expect(plan.applied).toBe(false)
    expect(plan.steps.map(step => [step.path, step.action])).toEqual([
      ["src/cart.js", "merge"],
      ["src/new.js", "delete"],
    ])
    expect(text("src/cart.js")).toBe(after)
    expect(done(rewindSchema, ["rewind", two]).applied).toBe(true)
    expect(text("src/cart.js")).toBe(after.replace("Sum  ", "Total  "))
    expect(existsSync(join(place.work, "src/new.js"))).toBe(false)
    const log = done(logSchema, ["log"])
    expect(log.messages.map(one => [one.title, one.onHeadPath])).toEqual([
      ["one", true],
      ["two", false],
    ])
    done(decisionSchema, ["undo"])
    expect(text("src/cart.js")).toBe(after)
    expect(text("src/new.js")).toBe("x\n")
  })

  it("stops at a conflict with exit 3 and nothing written, until a side is named", () => {
    const one = message("one")
    replace("src/cart.js", "return sum", "return sum + 1")
    writeFileSync(join(place.work, "src/cart.js"), text("src/cart.js").replace("return sum + 1", "return sum + 2"))
    const before = text("src/cart.js")
    const ran = place.run(["rewind", one, "--json"])
    expect(ran.code).toBe(3)
    expect(text("src/cart.js")).toBe(before)
    const plain = place.run(["rewind", one])
    expect([plain.code, text("src/cart.js")]).toEqual([3, before])
    expect(done(rewindSchema, ["rewind", one, "--on-conflict", "keep-mine"]).applied).toBe(true)
    expect(text("src/cart.js")).toContain("return sum + 2")
  })
})

describe("bad input changes nothing", () => {
  it("is refused with its code", () => {
    const before = text("src/cart.js")
    mkdirSync(join(place.folder, "out"))
    symlinkSync(join(place.folder, "out"), join(place.work, "away"))
    refused(1, "OUTSIDE_WORKSPACE", ["accept", "../out/x"])
    refused(1, "NOT_FOUND", ["rewind", "no-such-message"])
    refused(1, "NOT_FOUND", ["show", "no-such-id"])
    refused(1, "NOT_FOUND", ["answer", "no-such-call", "allow"])
    refused(1, "NOT_FOUND", ["status", "--workspace", join(place.folder, "nowhere")])
    refused(2, "BAD_ARGUMENT", ["accept"])
    refused(1, "BAD_ARGUMENT", ["status", "--set", "review.mode=later"])
    refused(1, "BAD_ARGUMENT", ["status", "--set", "no.such=1"])
    const call = (input: object) => {
      const ran = place.run(["call", "str_replace_editor", JSON.stringify(input), "--json"])
      expect(ran.code).toBe(1)
      const result = callSchema.parse(ran.json())
      expect([result.ok, result.changes]).toEqual([false, []])
      return result.error?.code
    }
    const path = join(place.work, "src/cart.js")
    expect(call({ command: "str_replace", path, old_str: "item", new_str: "x" })).toBe("NOT_UNIQUE")
    expect(call({ command: "str_replace", path, old_str: "no such text", new_str: "x" })).toBe("NO_MATCH")
    expect(call({ command: "create", path: join(place.work, "away/x"), file_text: "x" })).toBe("OUTSIDE_WORKSPACE")
    expect(call({ command: "str_replace", path: join(place.work, "logo.png"), old_str: "a", new_str: "b" })).toBe(
      "NOT_TEXT",
    )
    expect(call({ command: "view" })).toBe("BAD_ARGUMENT")
    expect(existsSync(join(place.folder, "out/x"))).toBe(false)
    expect(text("src/cart.js")).toBe(before)
    expect(status().files).toEqual([])
  })

  it("a broken config.json is named, and doctor finds it", () => {
    mkdirSync(place.home, { mode: 0o700 })
    writeFileSync(join(place.home, "config.json"), "{")
    refused(1, "BAD_ARGUMENT", ["status"])
    const ran = place.run(["doctor"])
    expect([ran.code, ran.out]).toEqual([1, expect.stringMatching(/BAD +settings +.*config\.json is not JSON/)])
  })
})

describe("where one stands", () => {
  it("in a folder of the workspace, paths are meant from there", () => {
    replace("src/cart.js", "return sum", "return sum + 1")
    expect(place.run(["status"], { cwd: join(place.work, "src") }).out).toContain("M cart.js")
    expect(place.run(["status"], { cwd: join(place.work, "data") }).out).toContain("M ../src/cart.js")
    done(decisionSchema, ["accept", "cart.js"], { cwd: join(place.work, "src") })
  })
  it("from elsewhere with --workspace, from its top", () => {
    replace("src/cart.js", "return sum", "return sum + 1")
    done(decisionSchema, ["-w", place.work, "accept", "src/cart.js"], { cwd: place.folder })
  })
  it("a folder without git that was used once is found again from below", () => {
    const plain = join(place.folder, "plain/deep")
    mkdirSync(plain, { recursive: true })
    expect(done(statusSchema, ["status", "-w", join(place.folder, "plain")]).workspace).toBe(
      join(place.folder, "plain"),
    )
    expect(done(statusSchema, ["status"], { cwd: plain }).workspace).toBe(join(place.folder, "plain"))
  })
  it("names of other than UTF-8 are one file, shown safely", () => {
    const name = Buffer.concat([Buffer.from(`${place.work}/caf`), Buffer.from([0xe9])])
    writeFileSync(name, "x\n")
    const bash = (script: string) =>
      spawnSync("bash", ["-c", script, process.execPath, program.file], {
        cwd: place.work,
        env: place.env,
        encoding: "utf8",
      })
    expect(bash(`"$0" "$1" cat "$(printf 'caf\\351')" --side disk`)).toMatchObject({
      status: 0,
      stderr: "",
      stdout: "x\n",
    })
    done(callSchema, ["call", "bash", JSON.stringify({ command: "echo y >> caf*" })])
    const [file] = status().files
    expect(Buffer.from(file?.pathBytes ?? "", "base64")).toEqual(Buffer.from([0x63, 0x61, 0x66, 0xe9]))
    expect(place.run(["status"]).out).toContain("M caf\\xe9")
    expect(place.run(["diff"]).out).toContain("  2 + y")
    expect(bash(`"$0" "$1" reject "$(printf 'caf\\351')"`)).toMatchObject({ status: 0, stderr: "" })
    expect(readFileSync(name, "utf8")).toBe("x\n")
  })
})

describe("how it behaves in a pipeline", () => {
  it("a reader that leaves is no failure", async () => {
    // Far more than a pipe holds, and more than one word of a command line may be.
    const insert_text = "// a line of it\n".repeat(20_000)
    const input = JSON.stringify({
      command: "insert",
      path: join(place.work, "src/cart.js"),
      insert_line: 3,
      insert_text,
    })
    done(callSchema, ["call", "str_replace_editor", "-"], { input })
    const child = place.start(["diff"])
    child.stdout.once("data", () => child.stdout.destroy())
    expect(await once(child, "exit")).toEqual([0, null])
  })
  it("colours only where they are asked for", () => {
    replace("src/cart.js", "return sum", "return sum + 1")
    expect(place.run(["diff"]).out).not.toContain("\u001b[")
    expect(place.run(["diff", "--color"]).out).toContain("\u001b[32m")
    expect(place.run(["diff", "--color", "always"], { env: { NO_COLOR: "1" } }).out).toContain("\u001b[32m")
  })
  it("the unified diff is one that git applies", () => {
    replace("src/cart.js", "return sum", "return sum + 1")
    replace("data/prices.csv", "Ruler,1.95", "Ruler,2.05")
    edit({ command: "create", path: join(place.work, "src/new.js"), file_text: "no newline" })
    const patch = place.run(["diff", "-u"]).out
    const wanted = ["src/cart.js", "data/prices.csv", "src/new.js"].map(text)
    done(decisionSchema, ["reject", "--all"])
    const applied = spawnSync("git", ["apply", "-"], { cwd: place.work, input: patch, encoding: "utf8" })
    expect(applied.stderr).toBe("")
    expect(["src/cart.js", "data/prices.csv", "src/new.js"].map(text)).toEqual(wanted)
  })
})

describe("care", () => {
  it("log --operations, show, export, gc, purge and doctor tell the truth of one edit", () => {
    const one = message("one")
    replace("src/cart.js", "return sum", "return sum + 1")
    const { operations } = done(operationsSchema, ["log", "--operations"])
    expect(operations.filter(operation => operation.kind === "edit")).toMatchObject([
      { actor: "agent", paths: ["src/cart.js"], capture: "recorded", undone: false, message: one },
    ])
    for (const id of [operations.at(-1)?.id ?? "", one])
      expect(place.run(["show", id]).out).toContain("+  return sum + 1")
    const exported = JSON.parse(place.run(["export"]).out) as {
      operations: { diff: string }[]
      pending: { path: string }[]
    }
    expect(exported.pending.map(file => file.path)).toEqual(["src/cart.js"])
    expect(exported.operations.some(operation => operation.diff.includes("+  return sum + 1"))).toBe(true)
    expect(place.run(["gc", "--dry-run", "--json"]).code).toBe(0)
    done(decisionSchema, ["accept", "--all"])
    expect(place.run(["purge", "src/cart.js", "--json"]).code).toBe(0)
    expect(text("src/cart.js")).toContain("return sum + 1")
    const doctor = place.run(["doctor", "--json"])
    expect([doctor.code, doctor.json()]).toMatchObject([0, { version: 1 }])
    expect(statSync(place.home).mode & 0o077).toBe(0)
  })
})
