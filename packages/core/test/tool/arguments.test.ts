import { describe, expect, test } from "vitest"
import { Failure } from "../../src/failure.ts"
import { parseEditCall } from "../../src/tool/arguments.ts"
import { diffCardsOf, locationsOf } from "../../src/tool/edit-cards.ts"
import { defaultEditConfig, editConfig } from "../../src/tool/edit-config.ts"

const strict = { requireAbsolutePath: true }

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure && error.code === "BAD_ARGUMENT") return `${error.message} ${error.hint ?? ""}`.trim()
    throw error
  }
  return "(taken)"
}

describe("a call is read", () => {
  function check(name: string, input: unknown, expected: unknown): void {
    test(name, () => expect(parseEditCall(input, strict, "/w")).toEqual(expected))
  }
  const path = "/w/a"
  const view = { command: "view", path }
  check("view", view, { ...view, range: null })
  check("a range", { ...view, view_range: [2, 3] }, { ...view, range: { first: 2, last: 3 } })
  check("a range to the end", { ...view, view_range: [2, -1] }, { ...view, range: { first: 2, last: -1 } })
  check("numbers as text", { ...view, view_range: ["2", " 3 "] }, { ...view, range: { first: 2, last: 3 } })
  check("a range as text", { ...view, view_range: "[2, -1]" }, { ...view, range: { first: 2, last: -1 } })
  check("an empty range as none", { ...view, view_range: [] }, { ...view, range: null })
  check("null as left out", { ...view, view_range: null, old_str: null }, { ...view, range: null })
  check("create", { command: "create", path, file_text: "" }, { command: "create", path, fileText: "" })
  const replace = { command: "str_replace", path, oldStr: "a" }
  check("str_replace", { command: "str_replace", path, old_str: "a", new_str: "b" }, { ...replace, newStr: "b" })
  check("no new_str as deletion", { command: "str_replace", path, old_str: "a" }, { ...replace, newStr: "" })
  check(
    "null new_str as deletion",
    { command: "str_replace", path, old_str: "a", new_str: null },
    { ...replace, newStr: "" },
  )
  const insert = { command: "insert", path, line: 1, insertText: "x" }
  check("insert_text", { command: "insert", path, insert_line: 1, insert_text: "x" }, insert)
  check("new_str for insert_text", { command: "insert", path, insert_line: 1, new_str: "x" }, insert)
  check("both, if equal", { command: "insert", path, insert_line: 1, new_str: "x", insert_text: "x" }, insert)
  check("both, if one is empty", { command: "insert", path, insert_line: 1, new_str: "x", insert_text: "" }, insert)
  check(
    "both empty",
    { command: "insert", path, insert_line: 1, new_str: "", insert_text: "" },
    { ...insert, insertText: "" },
  )
  check("a line as text", { command: "insert", path, insert_line: "1", insert_text: "x" }, insert)
  test("minus nought is nought", () => {
    const call = parseEditCall({ command: "insert", path, insert_line: -0, insert_text: "x" }, strict, "/w")
    expect(call.command === "insert" && Object.is(call.line, 0)).toBe(true)
  })
  check("what a command does not use is not looked at", { ...view, insert_line: "?" }, { ...view, range: null })
  check("doubled slashes and dots in a path", { command: "view", path: "//w/./a/" }, { ...view, range: null })
  check("no lexical `..`", { command: "view", path: "/w/b/../a" }, { command: "view", path: "/w/b/../a", range: null })
})

describe("a call is refused", () => {
  function check(input: unknown, expected: RegExp): void {
    test(JSON.stringify(input)?.slice(0, 90) ?? "undefined", () =>
      expect(messageOf(() => parseEditCall(input, strict, "/w"))).toMatch(expected),
    )
  }
  const path = "/w/a"
  check(undefined, /must be an object/)
  check(null, /must be an object/)
  check([], /must be an object/)
  check("view", /must be an object/)
  check({}, /command is required.*view, create, str_replace, insert/)
  check({ command: "undo_edit", path }, /no command "undo_edit".*view, create, str_replace, insert/)
  check({ command: "VIEW", path }, /no command/)
  check({ command: 7, path }, /no command 7/)
  check({ command: "view" }, /path is required/)
  check({ command: "view", path: 7 }, /path must be text/)
  check({ command: "view", path: " " }, /path must not be blank/)
  check({ command: "view", path: "a\0b" }, /NUL/)
  check({ command: "view", path: "/a\0b" }, /NUL/)
  check({ command: "view", path: "src/a.ts" }, /not absolute.*Did you mean \/w\/src\/a\.ts\?/)
  check({ command: "view", path: "~/a" }, /not absolute.*home directory/)
  check({ command: "view", path: "C:\\a" }, /not absolute on this system/)
  check({ command: "view", path: `/${"x/".repeat(2100)}` }, /too long/)
  for (const range of [[1], [1, 2, 3], 5, { a: 1 }, "1-5", "[1"])
    check({ command: "view", path, view_range: range }, /view_range must be two whole numbers/)
  for (const range of [
    [1.5, 2],
    [1, 2.5],
    [true, 2],
    ["a", 2],
    [null, 2],
    ["1.0", 2],
    [1e300, 2],
  ])
    check({ command: "view", path, view_range: range }, /view_range must be two whole numbers/)
  for (const range of [
    [0, 1],
    [-1, 2],
    [-2, -1],
  ])
    check({ command: "view", path, view_range: range }, /counted from 1/)
  for (const range of [
    [3, 1],
    [1, 0],
    [1, -2],
  ])
    check({ command: "view", path, view_range: range }, /ends before it begins/)
  check({ command: "create", path }, /create needs file_text/)
  check({ command: "create", path, file_text: { a: 1 } }, /file_text must be text/)
  check({ command: "str_replace", path, new_str: "x" }, /str_replace needs old_str/)
  check({ command: "str_replace", path, old_str: "", new_str: "x" }, /old_str is empty/)
  check({ command: "str_replace", path, old_str: "" }, /old_str is empty/)
  check({ command: "str_replace", path, old_str: "x", new_str: "x" }, /old_str and new_str are the same/)
  check({ command: "str_replace", path, old_str: 3 }, /old_str must be text/)
  check({ command: "insert", path, insert_text: "x" }, /insert needs insert_line/)
  for (const line of [1.5, true, "1.5", "x", "", [], 2 ** 60])
    check({ command: "insert", path, insert_line: line, insert_text: "x" }, /insert_line must be a whole number/)
  check({ command: "insert", path, insert_line: 1 }, /insert needs insert_text/)
  check({ command: "insert", path, insert_line: 1, insert_text: "a", new_str: "b" }, /both given and differ/)

  test("in few words, however long the input is", () => {
    const long = "x".repeat(1_000_000)
    for (const input of [
      { command: long, path },
      { command: "view", path: long },
      { command: "view", path: `/${long}` },
      { command: "view", path, view_range: [long, 2] },
      { command: "insert", path, insert_line: long, insert_text: "x" },
      { command: "create", path, file_text: [long] },
    ])
      expect(messageOf(() => parseEditCall(input, strict, "/w")).length).toBeLessThan(700)
  })
})

test("a relative path starts at the root where it is allowed", () =>
  expect(parseEditCall({ command: "view", path: "src/a" }, { requireAbsolutePath: false }, "/w")).toMatchObject({
    path: "/w/src/a",
  }))

describe("settings", () => {
  test("have these defaults", () => {
    expect(editConfig()).toEqual(defaultEditConfig)
    expect(defaultEditConfig).toMatchObject({
      maxOutputChars: 16_000,
      requireAbsolutePath: true,
      expandTabsOnMutation: true,
    })
  })
  test("are taken, and undefined is left out", () =>
    expect(editConfig({ maxOutputChars: 1, description: "d" })).toMatchObject({ maxOutputChars: 1, description: "d" }))
  const wrong: readonly object[] = [
    { maxOutputChars: 0 },
    { maxOutputChars: -1 },
    { maxOutputChars: 1.5 },
    { maxOutputChars: Number.NaN },
    { maxOutputChars: Number.POSITIVE_INFINITY },
    { maxOutputChars: 2 ** 60 },
    { maxOutputChars: "16000" },
    { maxOutputChars: null },
    { description: "" },
    { description: " \n" },
    { description: 7 },
    { requireAbsolutePath: "yes" },
    { expandTabsOnMutation: 1 },
    { maxOutputChar: 5 },
  ]
  test.each(wrong)("%j is refused", given => expect(messageOf(() => editConfig(given))).toMatch(/setting/))
})

describe("what a surface shows before the call", () => {
  const path = "/w/a"
  function check(input: unknown, locations: unknown, cards: unknown): void {
    test(JSON.stringify(input) ?? "undefined", () => {
      expect(locationsOf(input)).toEqual(locations)
      expect(diffCardsOf(input)).toEqual(cards)
    })
  }
  check({ command: "view", path }, [{ path }], [])
  check({ command: "view", path, view_range: [7, 9] }, [{ path, line: 7 }], [])
  check({ command: "create", path, file_text: "x" }, [{ path }], [{ path, oldText: null, newText: "x" }])
  check({ command: "create", path }, [{ path }], [{ path, oldText: null, newText: "" }])
  check(
    { command: "str_replace", path, old_str: "a", new_str: "b" },
    [{ path }],
    [{ path, oldText: "a", newText: "b" }],
  )
  check({ command: "str_replace", path }, [{ path }], [{ path, oldText: null, newText: "" }])
  check({ command: "insert", path, insert_line: 0, insert_text: "x" }, [{ path, line: 1 }], [])
  check({ command: "insert", path, insert_line: "4" }, [{ path, line: 5 }], [])
  check({ command: "insert", path }, [{ path }], [])
  check({ command: "view" }, [], [])
  check(null, [], [])
  check("x", [], [])
})
