import * as fc from "fast-check"
import { expect, test } from "vitest"
import { Failure } from "@galley/core/failure.ts"
import { requests, type RequestName } from "@galley/core/protocol/requests.ts"
import { tell } from "../story.ts"
import { hostileNames } from "../security/hostile-names.ts"

/** More: FUZZ_RUNS=5000. fast-check prints seed and path of what fails. */
const runs = Number(process.env["FUZZ_RUNS"] ?? 60)

const text = fc.oneof(
  fc.constantFrom(
    "",
    "a.txt",
    "d/b.txt",
    ".",
    "..",
    "../x",
    "/",
    "/etc/passwd",
    "d",
    "disk",
    "base",
    "current",
    "message:x",
    "old:1-2",
    "keep-mine",
    "__proto__",
    "constructor",
  ),
  fc.constantFrom(...Object.values(hostileNames)),
  fc.string({ unit: "binary", maxLength: 40 }),
)
const value = fc.oneof(
  text,
  text,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.array(text, { maxLength: 3 }),
  fc.record({ from: fc.integer(), to: fc.integer() }),
)
const keys =
  "path pathBytes hunks lines properties message all revision onConflict id side raw text base64 decision reason content line conversation off plan after force operation parent tool input command cwd timeoutMs limit counts messages dryRun keepDays maxBytes paths callId title originals view_range old_str new_str file_text insert_line insert_text".split(
    " ",
  )
const params = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 })

/** Commands are run elsewhere; here one would run whatever was made up. */
const names = (Object.keys(requests) as RequestName[]).filter(name => name !== "run")

test(`random requests (${runs}): refused by their schema, answered, or a Failure with a code; never anything else`, {
  timeout: 120_000 + runs * 1000,
}, async () => {
  const s = await tell({
    files: { "a.txt": "a\nb\nc\n", "d/b.txt": "b\n" },
    config: { "ask.waitSeconds": 0, "view.enabled": false },
  })
  await s.agent().replace("a.txt", "b", "B")
  const ends = { invalid: 0, answered: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      params,
      fc.constantFrom("agent", "person"),
      fc.constantFrom("hold", "apply"),
      async (name, given, actor, review) => {
        const wanted = name === "call" ? { tool: "str_replace_editor", input: given } : given
        const parsed = requests[name].params.safeParse(wanted)
        if (!parsed.success) {
          ends.invalid++
          return
        }
        const made = s.workspace.as({
          actor,
          review,
          conversation: "c",
        })
        try {
          const answer = await (made[name] as (params: unknown) => Promise<unknown>)(parsed.data)
          requests[name].result.parse(answer)
          ends.answered++
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          ends.refused++
        }
      },
    ),
    { numRuns: runs * 10 },
  )
  expect(ends.answered, JSON.stringify(ends)).toBeGreaterThan(0)
  expect(ends.refused, JSON.stringify(ends)).toBeGreaterThan(0)
  const again = await s.reopen()
  expect((await again.person.status({})).version).toBe(1)
  await again.end()
})

test(`random input of the tools (${runs}): a result with a code, and no file but the named one touched`, {
  timeout: 120_000 + runs * 1000,
}, async () => {
  const s = await tell({ files: { "a.txt": "a\nb\nc\n", "bystander.txt": "mine\n" }, config: { "ask.waitSeconds": 0 } })
  const commands = fc.constantFrom("view", "create", "str_replace", "insert", "undo_edit", "", "VIEW")
  const input = fc.record(
    {
      command: fc.oneof(commands, commands, value),
      path: fc.oneof(fc.constantFrom("a.txt", "new.txt", "d/new.txt"), value),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(input, params, async (main, rest) => {
      const { path: _, command: __, ...others } = rest
      const given: Record<string, unknown> = { ...others, ...main }
      if (given["path"] === "bystander.txt") return
      const result = await s.agent().requests.call({ tool: "str_replace_editor", input: given })
      expect(result.ok).toBe(result.error === undefined)
      expect(result.text.length).toBeGreaterThan(0)
      expect(s.read("bystander.txt")).toBe("mine\n")
    }),
    { numRuns: runs * 5 },
  )
  await s.end()
})
