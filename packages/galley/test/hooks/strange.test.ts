/**
 * Payloads that are not what they were (issue 6, bad input): every recorded one with every field missing, renamed or of another type. None of
 * them stops an agent, unless `strict`; what was not understood is told with the names of its fields and never their contents.
 */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { dialects } from "../../src/hooks/dialects.ts"
import type { Dialect, HookEvent } from "../../src/hooks/event.ts"
import { react, type Situation } from "../../src/hooks/react.ts"
import { fakeWorkspace } from "../fake-workspace.ts"

type Payload = Readonly<Record<string, unknown>>

const nothing = { version: 1, operation: null, capture: "none", changes: [], remarks: [] }
const log = { version: 1, messages: [] }

async function answer(agent: string, dialect: Dialect, payload: Payload, strict: boolean) {
  const workspace = fakeWorkspace({
    before: { version: 1, kept: [], outside: [] },
    after: nothing,
    settle: nothing,
    trouble: nothing,
    message: nothing,
    claim: { version: 1 },
    notes: { version: 1, text: null },
    log,
  })
  const event: HookEvent = dialect.read(payload)
  const situation: Situation = {
    agent,
    dialect,
    rewrites: false,
    workspace,
    review: "apply",
    readOnly: false,
    strict,
    self: { node: "/opt/node", program: "/opt/galley.mjs" },
    flags: [],
    resident: true,
    waitSeconds: 1,
  }
  const said = dialect.say(payload, event, await react(situation, event))
  const told = workspace.asked.filter(one => one.name === "trouble").map(one => JSON.stringify(one.params))
  return { event, said, told }
}

/** Every payload that differs in one field, at the top or one level below. */
function* altered(payload: Payload): Generator<readonly [string, Payload]> {
  for (const [name, value] of Object.entries(payload)) {
    const { [name]: _, ...rest } = payload
    yield [`without ${name}`, rest]
    yield [`${name} renamed`, { ...rest, [`${name}_v2`]: value }]
    for (const other of [null, 7, true, "", "text", [], ["x"], {}, { x: 1 }, "x".repeat(5000)])
      yield [`${name}: ${JSON.stringify(other).slice(0, 12)}`, { ...payload, [name]: other }]
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      for (const [how, inner] of altered(value as Payload)) yield [`${name}.${how}`, { ...payload, [name]: inner }]
  }
}

for (const [agent, dialect] of Object.entries(dialects)) {
  const recorded = JSON.parse(readFileSync(new URL(`payloads/${agent}.json`, import.meta.url), "utf8")) as Record<
    string,
    Payload
  >
  describe(agent, () => {
    it("no altered payload makes a hook fail or stops the agent", async () => {
      let strange = 0
      for (const [name, payload] of Object.entries(recorded))
        for (const [how, other] of altered(payload)) {
          const { event, said, told } = await answer(agent, dialect, other, false)
          const where = `${name} ${how}`
          expect(said.exitCode, where).toBe(0)
          expect(said.stdout, where).not.toMatch(/"deny|"cancel|"errorMessage/)
          if (event.kind !== "strange") continue
          strange++
          expect(told.join(""), where).toContain("fields: ")
          expect(event.problem.length, where).toBeLessThan(3000)
        }
      expect(strange).toBeGreaterThan(0)
    })

    it("strict refuses a call that it cannot read, where the agent asks before it", async () => {
      const refused: string[] = []
      for (const [name, payload] of Object.entries(recorded))
        for (const [how, other] of altered(payload)) {
          const { event, said } = await answer(agent, dialect, other, true)
          if (event.kind === "strange" && /"deny"|"cancel":true/.test(said.stdout)) refused.push(`${name} ${how}`)
        }
      expect(refused.length).toBeGreaterThan(0)
    })

    it("what was not understood never carries a text of the payload", async () => {
      const secret = "sk-secret-of-the-person"
      for (const payload of Object.values(recorded))
        for (const field of Object.keys(payload)) {
          const { told } = await answer(
            agent,
            dialect,
            { [field]: payload[field], other: secret, tool: { x: secret } },
            true,
          )
          expect(told.join("")).not.toContain(secret)
        }
    })

    it("what is lost besides the tool leaves the rest to be recorded", async () => {
      for (const [name, payload] of Object.entries(recorded)) {
        const event = dialect.read(payload)
        if (event.kind !== "before" || event.tool.kind !== "edit") continue
        const { session_id: _, prompt_id: __, turn_id: ___, sessionContext: ____, ...rest } = payload
        const still = dialect.read(rest)
        expect(still.kind, name).toBe("before")
      }
    })
  })
}
