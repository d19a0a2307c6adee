import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { tell } from "../story.ts"

/** Raise for a longer fight: RACE_ROUNDS=2000. */
const rounds = Number(process.env["RACE_ROUNDS"] ?? 25)

test(`folders and files swapped for symlinks while edits and decisions run (${rounds} rounds): nothing outside is written, and what was inside is whole`, {
  timeout: 60_000 + rounds * 4000,
}, async () => {
  const s = await tell({ files: { "d/a.txt": "a 0\n", "f.txt": "f 0\n" } })
  const outside = join(s.root, "..", "outside")
  mkdirSync(outside)
  for (const name of ["a.txt", "f.txt", "b.txt"]) writeFileSync(join(outside, name), "secret of somebody else\n")
  const swapper = spawn(process.execPath, [join(import.meta.dirname, "swapper.ts"), s.root, outside], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const ended = once(swapper, "exit")
  try {
    await once(swapper.stdout, "data")
    const agent = s.agent()
    const ends: Record<string, number> = {}
    const count = (what: string): void => void (ends[what] = (ends[what] ?? 0) + 1)
    for (let round = 1; round <= rounds; round++) {
      for (const path of ["d/a.txt", "f.txt"]) {
        const name = path.slice(-5, -4)
        const seen = await agent.requests.call({ tool: "str_replace_editor", input: { command: "view", path } })
        expect(seen.text).not.toContain("secret of somebody else")
        const now = /([af] \d+)/.exec(seen.text)?.[1] ?? `${name} 0`
        const result = await agent.replace(path, now, `${name} ${round}`)
        count(result.error?.code ?? "written")
      }
      count((await agent.create(`d/new-${round}.txt`, "new\n")).error?.code ?? "written")
      const decided = await (round % 2 === 0 ? s.person.accept({ all: true }) : s.person.reject({ all: true })).then(
        () => "decided",
        (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : Promise.reject(error)),
      )
      count(decided)
    }
    swapper.kill("SIGKILL")
    expect((await ended)[1], "the swapper fought to the end").toBe("SIGKILL")
    expect(readdirSync(outside).toSorted()).toEqual(["a.txt", "b.txt", "f.txt"])
    for (const name of readdirSync(outside))
      expect(readFileSync(join(outside, name), "utf8")).toBe("secret of somebody else\n")
    const codes = Object.keys(ends).filter(code => !["written", "decided"].includes(code))
    const known = [
      "OUTSIDE_WORKSPACE",
      "NOT_FOUND",
      "FILE_CHANGED_SINCE_READ",
      "CONFLICT",
      "NO_MATCH",
      "STALE_REVISION",
      "DENIED",
      "NOT_TEXT",
      "BAD_ARGUMENT",
    ]
    expect(
      codes.filter(code => !known.includes(code)),
      JSON.stringify(ends),
    ).toEqual([])
    const reopened = await s.reopen()
    const left = readdirSync(reopened.root, { recursive: true, encoding: "utf8" }).filter(name =>
      name.includes(".galley"),
    )
    expect(left).toEqual([])
    await reopened.end()
  } finally {
    swapper.kill("SIGKILL")
  }
})

test("a symlink that leads outside is neither read nor written, whatever leads to it", async () => {
  const s = await tell({ files: { "d/a.txt": "a\n" } })
  const outside = join(s.root, "..", "outside")
  mkdirSync(outside)
  writeFileSync(join(outside, "key"), "secret of somebody else\n")
  symlinkSync(outside, join(s.root, "out"))
  symlinkSync(join(outside, "key"), join(s.root, "d/key"))
  symlinkSync("../out/key", join(s.root, "d/chain"))
  symlinkSync("loop", join(s.root, "loop"))
  for (const path of [
    "out/key",
    "d/key",
    "d/chain",
    "out/new",
    "../outside/key",
    join(outside, "key"),
    "d/../../outside/key",
    "out/../key",
    "loop",
    "/etc/passwd",
    "/proc/self/environ",
    "/dev/null",
  ]) {
    for (const input of [
      { command: "view", path },
      { command: "create", path, file_text: "owned\n" },
      { command: "str_replace", path, old_str: "secret", new_str: "owned" },
      { command: "insert", path, insert_line: 0, insert_text: "owned\n" },
    ]) {
      const result = await s.agent().requests.call({ tool: "str_replace_editor", input })
      expect({ path, code: result.error?.code, input }).toEqual({
        path,
        input,
        code: expect.stringMatching(/^(OUTSIDE_WORKSPACE|BAD_ARGUMENT|NOT_FOUND)$/) as string,
      })
      expect(result.text).not.toContain("secret of")
    }
    for (const request of [() => s.person.write({ path, text: "owned\n" }), () => s.person.cat({ path, side: "disk" })])
      await request().then(
        answer => expect(JSON.stringify(answer), path).not.toContain("secret of"),
        (error: unknown) => expect(error, path).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) as string }),
      )
  }
  expect(readdirSync(outside)).toEqual(["key"])
  expect(readFileSync(join(outside, "key"), "utf8")).toBe("secret of somebody else\n")
  await s.end()
})
