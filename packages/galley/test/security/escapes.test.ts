/**
 * Nothing that an agent or a repository can name or write reaches a terminal as anything but text. `call` and `run` into a pipe give the
 * model's or the command's very text; on a terminal they are held inert too (`cli/commands/call.ts`).
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToBytes } from "@galley/core/path.ts"
import { afterAll, beforeAll, expect, it } from "vitest"
import { hostileNames } from "../../../engine/test/security/hostile-names.ts"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

const evil = "\u001b[2J\u001b]0;owned\u0007\u202edesrever\u009b31m\u200b"
let program: BuiltProgram
let place: Place
beforeAll(async () => {
  program = await builtProgram()
  place = newPlace(program)
})
afterAll(() => {
  place.remove()
  program.remove()
})

/** Colours and progress are ours; what is looked for is what they are never used for. */
const isDangerous = (text: string): boolean =>
  /[\u0000-\u0008\u000b-\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]|\u001b(?!\[[0-9;]*m)|owned\u0007|\r(?!\n)/u.test(
    text,
  )

it("whatever names and texts say, in status, diff, log, show, cat, rewind plans, decisions and errors; plain and coloured", {
  timeout: 240_000,
}, () => {
  const agent = (input: object) => place.run(["call", "str_replace_editor", JSON.stringify(input)])
  place.run(["message", `do it ${evil}`, "--conversation", `c ${evil}`])
  const names = [...Object.values(hostileNames).filter(name => name.isWellFormed()), `d${evil}/f${evil}`]
  const script = `const fs = require("fs"); for (const name of ${JSON.stringify(names)}) { fs.mkdirSync(require("path").dirname("./" + name), { recursive: true }); fs.writeFileSync(name, ${JSON.stringify(`one ${evil}
two
`)}) }`
  const ran = place.run(["--review", "apply", "run", "--", process.execPath, "-e", script])
  expect(ran.code, ran.err).toBe(0)
  expect(isDangerous(ran.err), ran.err).toBe(false)
  agent({ command: "create", path: "plain.txt", file_text: `one ${evil}\n\ttwo\r\n` })
  writeFileSync(
    Buffer.concat([
      Buffer.from(`${place.work}/`),
      Buffer.from(pathToBytes(hostileNames["bytes that are not UTF-8"] ?? "")),
    ]),
    "x",
  )
  mkdirSync(join(place.work, `empty${evil}`))
  symlinkSync(`to ${evil}`, join(place.work, "link"))
  place.run(["comment", "plain.txt:1", `why ${evil}`])
  const messages = (place.run(["log", "--json"]).json() as { messages: { id: string }[] }).messages
  const operations = (place.run(["log", "--operations", "--json"]).json() as { operations: { id: string }[] })
    .operations
  const commands: readonly (readonly string[])[] = [
    ["status"],
    ["diff"],
    ["diff", "plain.txt"],
    ["log"],
    ["log", "--operations"],
    ["show", operations.at(-1)?.id ?? ""],
    ["show", messages[0]?.id ?? ""],
    ["rewind", messages.at(-1)?.id ?? "", "--plan"],
    ["accept", hostileNames["an escape sequence"] ?? ""],
    ["reject", hostileNames["a line break"] ?? ""],
    ["accept", `no such ${evil}`],
    ["show", evil],
    ["rewind", evil],
    ["cat", `nothing ${evil}`, "--side", "base"],
    ["diff", "--message", evil],
    ["--set", `a${evil}=1`, "status"],
    ["--set", `review.mode=${evil}`, "status"],
    [`--nonsense${evil}`],
    [`nonsense${evil}`],
    ["--workspace", `/no/${evil}`, "status"],
    ["gc", "--dry-run"],
    ["doctor"],
    ["undo"],
    ["purge", `no ${evil}`],
  ]
  for (const words of commands)
    for (const color of words[0] === "diff" ? [[], ["--color=always"]] : [["--color=always"]]) {
      const { out, err } = place.run([...words, ...color])
      expect({ words, dangerous: isDangerous(out), out }).toEqual({ words, dangerous: false, out })
      expect({ words, dangerous: isDangerous(err), err }).toEqual({ words, dangerous: false, err })
    }
})

it("with --json everything is escaped as JSON escapes it, one document a command", () => {
  for (const words of [["status"], ["diff"], ["log"], ["log", "--operations"], ["accept", evil], ["show", evil]]) {
    const { out } = place.run([...words, "--json"])
    expect(() => JSON.parse(out) as unknown, words.join(" ")).not.toThrow()
    expect(/[\u0000-\u0009\u000b-\u001f]/u.test(out), words.join(" ")).toBe(false)
  }
})
