import { expect, test } from "vitest"
import type { Message, Operation } from "../../src/history/operation.ts"
import { messagesById, pathToRoot, routeBetween, routeOf, standingMessages } from "../../src/history/tree.ts"

/** `"b<a"`: message b with parent a; `"c<a@fork"` of conversation fork. */
function tree(...words: readonly string[]): ReturnType<typeof messagesById> {
  const messages = words.map((word): Message => {
    const [, id = "", parent = null, conversation = "c"] = /^(\w+)(?:<(\w+))?(?:@(\w+))?$/.exec(word) ?? []
    return { id, parent, conversation, title: id, createdAt: 0 }
  })
  return messagesById(messages)
}

/** `"a"`: an agent's operation of message a; `"-ab"` a rewind that takes back a and b; `"+a"` one that brings a; `"undo 2"`, `"redo 3"`. */
function log(...words: readonly string[]): Operation[] {
  return words.map((word, at): Operation => {
    const plain = {
      id: String(at),
      seq: at,
      conversation: "c",
      at,
      title: "",
      capture: "none" as const,
      head: null,
      changes: [],
    }
    const person = { ...plain, actor: "person" as const, message: null }
    const [verb = "", of = ""] = word.split(" ")
    if (verb === "undo") return { ...person, kind: "undo", undoes: of }
    if (verb === "redo") return { ...person, kind: "redo", redoes: of }
    if (verb.startsWith("-") || verb.startsWith("+")) {
      const back = /-(\w*)/.exec(verb)?.[1] ?? ""
      const forward = /\+(\w*)/.exec(verb)?.[1] ?? ""
      return { ...person, kind: "rewind", tookBack: back.split(""), broughtBack: forward.split("") }
    }
    return { ...plain, kind: "edit", actor: "agent", message: verb }
  })
}

test.each([
  [["a", "b"], "ba"],
  [["a", "b", "-b"], "a"],
  [["a", "b", "-ba", "+a"], "a"],
  [["a", "b", "-b", "undo 2"], "ba"],
  [["a", "b", "-b", "undo 2", "redo 2"], "a"],
  [["a", "b", "-b", "undo 2", "redo 2", "undo 4"], "ba"],
  [["a", "b", "-b", "d", "undo 2"], "bda"],
  [["a", "b", "-b", "d", "-d+b"], "ba"],
  [["a", "b", "-b", "d", "-d+b", "undo 4"], "da"],
])("of %j stands %s", (words, standing) => {
  expect([...standingMessages(log(...words))].join("")).toBe(standing)
})

test("a route goes back to where both paths meet, and forward from there", () => {
  const messages = tree("a", "b<a", "d<b", "e<a", "f<e")
  expect(routeBetween(messages, "d", "f")).toEqual({ back: ["d", "b"], forward: ["e", "f"] })
  expect(routeBetween(messages, "d", null)).toEqual({ back: ["d", "b", "a"], forward: [] })
  expect(routeBetween(messages, null, "e")).toEqual({ back: [], forward: ["a", "e"] })
})

test("what stands beside the head's path goes too, what stands on the target's path is not made twice", () => {
  const messages = tree("a", "b<a", "d<a")
  expect(routeOf(messages, "c", ["d", "b", "a"], "d", null)).toEqual({ back: ["d", "a", "b"], forward: [] })
  expect(routeOf(messages, "c", ["d", "b", "a"], "d", "b")).toEqual({ back: ["d"], forward: [] })
  expect(routeOf(messages, "c", ["a"], "a", "b")).toEqual({ back: [], forward: ["b"] })
})

test("a fork's past is another conversation's, and stays as it is", () => {
  const messages = tree("a", "b<a", "x<a@fork", "y<x@fork")
  expect(routeOf(messages, "fork", ["y", "x"], "y", "a")).toEqual({ back: ["y", "x"], forward: [] })
  expect(routeOf(messages, "fork", [], "a", "y")).toEqual({ back: [], forward: ["x", "y"] })
})

test("a damaged parent, missing or in a circle, ends the path", () => {
  expect(pathToRoot(tree("b<gone"), "b")).toEqual(["b"])
  expect(pathToRoot(tree("a<b", "b<a"), "a")).toEqual(["a", "b"])
})
