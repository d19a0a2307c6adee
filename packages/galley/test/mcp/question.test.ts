/** `ask` in the agent itself: the form, what counts as an answer, and the shipped server with the official client of both protocol generations. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type CallResult, callSchema, operationsSchema, statusSchema } from "@galley/core/protocol/results.ts"
import { Client, type ClientOptions } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { askedCalls, formAnswer, type Question, questionForm, questionText } from "../../src/mcp/question.ts"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

const question = (diff: string, title = "Edit a.txt"): Question => ({ id: "q", title, diff })

describe("the form", () => {
  it("shows the title and the diff, and has no default that Enter could take", () => {
    const form = questionForm(question("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"))
    expect(form.message).toBe("Galley: Edit a.txt\n\n--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y")
    expect(form.requestedSchema.required).toEqual(["decision"])
    expect(JSON.stringify(form.requestedSchema)).not.toContain("default")
  })
  it("never lets a file's text steer the terminal", () => {
    const text = questionText(question("+\u001b[2Jgone\u202e\n", "Edit \u001b]0;x\n"))
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect(text).toContain("\\x1b[2J")
  })
  it("bounds lines and their number, and says how many are left", () => {
    const text = questionText(question(`+${"x".repeat(1000)}\n`.repeat(100)))
    expect(text.length).toBeLessThan(60 * 203 + 200)
    expect(text).toMatch(/… 40 more lines/)
  })
})

describe("an answer", () => {
  const check = (result: unknown, expected: unknown): void =>
    it(JSON.stringify(result) ?? "undefined", () => expect(formAnswer(result)).toEqual(expected))
  const accept = (content: unknown) => ({ action: "accept", content })
  check(accept({ decision: "allow" }), { decision: "allow" })
  check(accept({ decision: "deny", reason: " no tabs " }), { decision: "deny", reason: "no tabs" })
  check(accept({ decision: "deny", reason: "" }), { decision: "deny" })
  check(accept({ decision: "deny", reason: 3 }), { decision: "deny" })
  check(accept({ decision: "maybe" }), null)
  check(accept({ decision: true }), null)
  check(accept(["allow"]), null)
  check(accept(undefined), null)
  check({ action: "decline" }, null)
  check({ action: "decline", content: { decision: "allow" } }, null)
  check({ action: "cancel" }, null)
  check({ decision: "allow" }, null)
  check("allow", null)
  check(undefined, null)
})

it("calls that nobody came back for are given up when there are more than a client can have", () => {
  const calls = askedCalls()
  const cancelled: number[] = []
  const states = Array.from({ length: 101 }, (_, at) => {
    const never = (): Promise<never> => Promise.reject(new Error("BUG: resumed"))
    const asked = { question: question(""), resume: never, cancel: () => void cancelled.push(at) }
    return String(calls.ask(asked).requestState)
  })
  expect(cancelled).toEqual([0])
  expect(calls.find(states[0] ?? "")).toBeNull()
  expect(calls.find(states[100] ?? "")).not.toBeNull()
  expect(new Set(states).size).toBe(101)
  calls.close()
  expect(cancelled.length).toBe(101)
})

let program: BuiltProgram
let place: Place
const ends: (() => Promise<void>)[] = []
beforeAll(async () => {
  program = await builtProgram()
})
afterAll(() => program.remove())
beforeEach(() => {
  place = newPlace(program)
})
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  place.remove()
})

type Shown = { readonly message: string; readonly withdrawn: AbortSignal }
type Form = (shown: Shown) => unknown

const generations: readonly (readonly [string, ClientOptions])[] = [
  ["a client that takes requests (until 2025-11-25)", {}],
  ["a client that tries again (2026-07-28)", { versionNegotiation: { mode: { pin: "2026-07-28" } } }],
]

type Elicitation = NonNullable<NonNullable<ClientOptions["capabilities"]>["elicitation"]>

async function connect(options: ClientOptions, form: Form | null, elicitation: Elicitation = { form: {} }) {
  const client = new Client(
    { name: "test", version: "1" },
    { ...options, ...(form === null ? {} : { capabilities: { elicitation } }) },
  )
  if (form !== null)
    client.setRequestHandler("elicitation/create", async (request, context) => {
      const shown = { message: request.params.message, withdrawn: context.mcpReq.signal }
      return (await form(shown)) as { action: "cancel" }
    })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program.file, "mcp", "--workspace", place.work, "--review", "ask", "--set", "ask.waitSeconds=60"],
    env: { ...place.env },
    cwd: place.folder,
    stderr: "pipe",
  })
  await client.connect(transport)
  ends.push(() => client.close())
  return async (): Promise<CallResult> => {
    const path = join(place.work, "src/money.js")
    const edit = { command: "str_replace", path, old_str: "Math.floor", new_str: "Math.trunc" }
    const result = await client.callTool({ name: "str_replace_editor", arguments: edit })
    return callSchema.parse(result.structuredContent)
  }
}

const money = (): string => readFileSync(join(place.work, "src/money.js"), "utf8")
const status = () => statusSchema.parse(place.run(["status", "--json"]).json())
async function waiting() {
  for (;;) {
    await new Promise(resolve => setTimeout(resolve, 20))
    const [call] = status().waiting
    if (call !== undefined) return call
  }
}
const answers = () =>
  operationsSchema
    .parse(place.run(["log", "--operations", "--json"]).json())
    .operations.filter(operation => operation.kind === "answer")
    .map(operation => operation.actor)

for (const [name, options] of generations)
  describe(name, () => {
    it("shows the change; allowed there, it is done, and the answer is the person's", async () => {
      let message = ""
      const call = await connect(options, shown => {
        message = shown.message
        expect(money()).toContain("Math.floor")
        return { action: "accept", content: { decision: "allow" } }
      })
      expect((await call()).ok).toBe(true)
      expect(money()).toContain("Math.trunc")
      expect(message).toMatch(/^-.*Math\.floor/m)
      expect(message).toMatch(/^\+.*Math\.trunc/m)
      expect(answers()).toEqual(["person"])
      expect(status().files).toEqual([])
    })

    it("denied there, nothing is written and the reason reaches the model", async () => {
      const call = await connect(options, () => ({
        action: "accept",
        content: { decision: "deny", reason: "amounts are positive" },
      }))
      const result = await call()
      expect(result.ok).toBe(false)
      expect(result.text).toContain("amounts are positive")
      expect(money()).toContain("Math.floor")
    })

    for (const [how, said] of [
      ["declined", { action: "decline" }],
      ["put away", { action: "cancel" }],
      ["failing", new Error("no terminal")],
    ] as const)
      it(`a form that is ${how} leaves the question to the other surfaces`, async () => {
        const shown: number[] = []
        const call = await connect(options, () => {
          shown.push(1)
          if (said instanceof Error) throw said
          return said
        })
        const pending = call().catch((error: unknown) => error)
        const { id } = await waiting()
        while (shown.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
        expect(status().waiting.map(one => one.id)).toEqual([id])
        expect(place.run(["answer", id, "allow"]).code).toBe(0)
        const result = await pending
        // The official client of 2026-07-28 gives a call up whose form it could not show.
        if (!(said instanceof Error && options.versionNegotiation !== undefined))
          expect(result).toMatchObject({ ok: true })
        expect(money()).toContain("Math.trunc")
        expect(shown).toEqual([1])
      })

    it("answered elsewhere first, the form counts for nothing", async () => {
      let formAnswered = (): void => {}
      const withdrawn: AbortSignal[] = []
      const call = await connect(options, shown => {
        withdrawn.push(shown.withdrawn)
        return new Promise(resolve => {
          formAnswered = () => resolve({ action: "accept", content: { decision: "allow" } })
          shown.withdrawn.addEventListener("abort", () => resolve({ action: "cancel" }))
        })
      })
      const pending = call()
      const { id } = await waiting()
      while (withdrawn.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
      expect(place.run(["answer", id, "deny", "--reason", "not today"]).code).toBe(0)
      if (options.versionNegotiation !== undefined) formAnswered()
      const result = await pending
      expect(result.ok).toBe(false)
      expect(result.text).toContain("not today")
      expect(money()).toContain("Math.floor")
      expect(answers()).toEqual(["person"])
      if (options.versionNegotiation === undefined)
        while (withdrawn[0]?.aborted !== true) await new Promise(resolve => setTimeout(resolve, 20))
    })

    it("declared without a mode, forms are meant", async () => {
      const call = await connect(options, () => ({ action: "accept", content: { decision: "allow" } }), {})
      expect((await call()).ok).toBe(true)
    })

    it("without forms declared nobody is asked there", async () => {
      const call = await connect(options, null)
      const pending = call()
      expect(place.run(["answer", (await waiting()).id, "allow"]).code).toBe(0)
      expect((await pending).ok).toBe(true)
    })
  })

it("an answer to a call that is over does nothing and says so", async () => {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities: { elicitation: { form: {} } } },
  )
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program.file, "mcp", "--workspace", place.work],
    env: { ...place.env },
    stderr: "pipe",
  })
  await client.connect(transport)
  ends.push(() => client.close())
  const edit = { command: "create", path: join(place.work, "new.txt"), file_text: "x" }
  const params = {
    name: "str_replace_editor",
    arguments: edit,
    requestState: "galley-question-of-yesterday",
    inputResponses: { answer: { action: "accept", content: { decision: "allow" } } },
  }
  const result = await client.request({ method: "tools/call", params })
  expect(callSchema.parse(result.structuredContent).error?.code).toBe("STALE_REVISION")
  expect(status().files).toEqual([])
})
