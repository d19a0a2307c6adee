import { Failure } from "@galley/core/failure.ts"
import { expect, test } from "vitest"
import { decideIntent, type IntentAnswer, type IntentHandler } from "../../src/session/intents.ts"
import { anyCall } from "../tools/tool-on-disk.ts"

const allow: IntentAnswer = { kind: "allow" }
const deny = (reason: string): IntentAnswer => ({ kind: "deny", reason })
const match = (version: string): IntentAnswer => ({ kind: "match", version })

/** The version to match, `-` for none, or the failure. */
async function decided(...answers: readonly (IntentAnswer | undefined)[]): Promise<string> {
  const handlers = answers.map(
    (answer): IntentHandler =>
      () =>
        answer,
  )
  try {
    return (
      (await decideIntent(handlers, { name: "fs/edit-intent", command: "insert", path: "/w/a", call: anyCall })) ?? "-"
    )
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`
    throw error
  }
}

test("nobody objects", async () => {
  expect(await decided()).toBe("-")
  expect(await decided(undefined)).toBe("-")
  expect(await decided(allow, undefined, allow)).toBe("-")
})
test("a denial counts wherever it stands, and the first gives its reason", async () => {
  expect(await decided(deny("one"))).toBe("DENIED: /w/a was not changed: one")
  expect(await decided(allow, match("1"), deny("two"), deny("three"))).toBe("DENIED: /w/a was not changed: two")
})
test("a version is passed on", async () => {
  expect(await decided(allow, match("1"), allow)).toBe("1")
  expect(await decided(match("1"), match("1"))).toBe("1")
})
test("two versions cannot both be there", async () => {
  expect(await decided(match("1"), match("2"))).toMatch(/^FILE_CHANGED_SINCE_READ/)
})
test("handlers are asked in order, and none after a denial", async () => {
  const heard: number[] = []
  const asked = [0, 1, 2].map(
    (at): IntentHandler =>
      () => {
        heard.push(at)
        return at === 1 ? deny("no") : undefined
      },
  )
  await expect(
    decideIntent(asked, { name: "fs/write-intent", command: "create", path: "/w/a", call: anyCall }),
  ).rejects.toThrow(Failure)
  expect(heard).toEqual([0, 1])
})
