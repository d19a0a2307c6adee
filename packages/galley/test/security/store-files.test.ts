import { once } from "node:events"
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

/** What another local user may read, and what a damaged store does to the program as it is shipped. */
let program: BuiltProgram
beforeAll(async () => {
  program = await builtProgram()
}, 120_000)
afterAll(() => program.remove())

const storeOf = (place: Place): string => {
  const stores = join(place.home, "workspaces")
  return join(stores, readdirSync(stores)[0] ?? "")
}

function placed(): Place {
  const place = newPlace(program)
  onTestFinished(() => place.remove())
  return place
}

test("a running server's address and token are the owner's alone, in folders of the owner's alone", {
  timeout: 120_000,
}, async () => {
  const place = placed()
  const server = place.start(["serve", "--no-open", "--json"])
  try {
    await once(server.stdout, "data")
    const modes = ["serve.json", "serve-key.json"].map(name => statSync(join(storeOf(place), name)).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600])
    const folders = [place.home, join(place.home, "workspaces"), storeOf(place)]
    expect(folders.map(folder => statSync(folder).mode & 0o777)).toEqual([0o700, 0o700, 0o700])
  } finally {
    server.kill("SIGTERM")
    await once(server, "close")
  }
})

const harms: readonly (readonly [string, (database: string) => void])[] = [
  ["cut to half", database => truncateSync(database, statSync(database).size >> 1)],
  ["cut to nothing but its head", database => truncateSync(database, 100)],
  ["with another head", database => overwrite(database, 0, "not a database of anybody")],
  ["with a page of noise", database => overwrite(database, 4096, "x".repeat(4096))],
]

test.each(harms)(
  "a database %s: every command says what is wrong and what to do, and no file is touched",
  {
    timeout: 120_000,
  },
  (_, harm) => {
    const place = placed()
    const edited = join(place.work, "edited.txt")
    place.run(["call", "str_replace_editor", "-"], {
      input: JSON.stringify({ command: "create", path: edited, file_text: "by the agent\n" }),
    })
    writeFileSync(join(place.work, "mine.txt"), "the person's\n")
    harm(join(storeOf(place), "galley.db"))
    for (const words of [["status"], ["log"], ["doctor"], ["rewind", "1"], ["accept", "--all"]]) {
      const { code, out, err } = place.run(words)
      const said = `${out}${err}`
      expect({ words, code: code ?? "killed", said }).toMatchObject({ code: expect.any(Number) as number })
      expect(said, words.join(" ")).not.toMatch(/BUG|^\s+at .*:\d+:\d+/m)
      // A page of which a command needs nothing does not stop it.
      if (words[0] === "doctor" || words[0] === "accept") expect(said, words.join(" ")).toMatch(/damaged|database/i)
    }
    expect(place.run(["accept", "--all"]).code).not.toBe(0)
    expect(readFileSync(join(place.work, "mine.txt"), "utf8")).toBe("the person's\n")
  },
)

function overwrite(path: string, at: number, text: string): void {
  const file = openSync(path, "r+")
  writeSync(file, text, at)
  closeSync(file)
}
