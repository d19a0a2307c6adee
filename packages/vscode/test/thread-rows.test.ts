import { expect, test } from "vitest"
import { type Thread, threadsOf } from "../src/review/thread-rows.ts"
import { originsOf } from "../src/review/origins.ts"
import { planSummary } from "../src/review/plan-summary.ts"

/** `b<a` is b with parent a, in order of time; `*` is on the way to the head. The answer: `a b(c d) e`, branches in brackets. */
function shown(notation: string): string {
  const messages = notation.split(" ").map((word, createdAt) => {
    const [id = "", parent = null] = word.replace("*", "").split("<")
    return { id, parent, conversation: "c", title: id, createdAt, files: [], onHeadPath: word.endsWith("*") }
  })
  const write = (thread: Thread): string =>
    thread.messages
      .map(({ message, branches }) => message.id + branches.map(one => `(${write(one)})`).join(""))
      .join(" ")
  return threadsOf(messages).map(write).join(" / ")
}

const check = (name: string, notation: string, expected: string): void =>
  test(name, () => expect(shown(notation)).toBe(expected))

check("a conversation without turns is one line", "a* b<a* c<b*", "a b c")
check("what was left behind is a branch where it left", "a* b<a c<b d<a*", "a(b c) d")
check("the way to the head goes on in the line, though an older one", "a* b<a* c<a", "a(c) b")
check("branches have branches", "a* b<a c<b d<b e<a*", "a(b(c) d) e")
check("a parent that is gone makes a first message", "b<a* c<b*", "b c")
check("two first messages are two lines", "a b<a c* d<c*", "a b / c d")
check(
  "ten thousand messages are no depth",
  Array.from({ length: 10_000 }, (_, at) => (at === 0 ? "m0*" : `m${at}<m${at - 1}*`)).join(" "),
  Array.from({ length: 10_000 }, (_, at) => `m${at}`).join(" "),
)

test("a file's messages are those since it was last accepted", () => {
  const operation = (actor: "agent" | "person", kind: string, message: string | null, undone = false) => ({
    id: "",
    kind,
    actor,
    conversation: null,
    message,
    paths: ["a"],
    capture: "none" as const,
    undone,
  })
  const newestFirst = [
    operation("agent", "edit", "m3"),
    operation("agent", "edit", "m2", true),
    operation("person", "accept", null),
    operation("agent", "edit", "m1"),
  ]
  expect(originsOf(newestFirst, "a")).toEqual(["m3"])
  expect(originsOf(newestFirst.slice(2), "a")).toEqual(["m1"])
  expect(originsOf(newestFirst, "b")).toEqual([])
})

test("a plan is summed up by what happens to files", () => {
  const step = (action: "write" | "delete" | "merge" | "conflict" | "none") => ({ path: "a", action, reason: "" })
  expect(planSummary([step("write"), step("write"), step("delete"), step("none")])).toBe(
    "3 files: 2 put back, 1 deleted.",
  )
  expect(planSummary([step("conflict")])).toBe("1 file: 1 in conflict.")
  expect(planSummary([step("none")])).toBe("No file changes.")
})
