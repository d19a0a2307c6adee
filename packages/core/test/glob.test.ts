import * as fc from "fast-check"
import { expect, test } from "vitest"
import { matchesGlob } from "../src/glob.ts"

/** `check(glob, paths that match, paths that do not)`. */
function check(glob: string, matching: readonly string[], others: readonly string[]): void {
  const verdicts = [...matching, ...others].filter(path => matchesGlob(path, glob))
  expect({ glob, matching: verdicts }).toEqual({ glob, matching })
}

test("a name matches at any depth, a path from the top", () => {
  check("*.lock", ["a.lock", "x/y/b.lock"], ["a.lock.txt", "lock"])
  check("/a.txt", ["a.txt"], ["x/a.txt"])
  check("src/*.ts", ["src/a.ts"], ["src/x/a.ts", "y/src/a.ts"])
  check("./src/*.ts", ["src/a.ts"], ["src/x/a.ts"])
})

test("a folder matches all inside it", () => {
  check("dist/", ["dist/a", "dist/x/y"], ["dist", "other/dist/a"])
  check("a/**", ["a/b", "a/b/c"], ["a", "ab/c"])
  check("**/gen/**", ["gen/a", "x/gen/y/z"], ["gen", "x/generated/a"])
  check("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"])
})

test("classes, alternatives and one character", () => {
  check("[a-c]?.txt", ["ab.txt", "x/c1.txt"], ["d1.txt", "a.txt", "a/.txt"])
  check("[!a].txt", ["b.txt"], ["a.txt"])
  check("*.{js,ts{,x}}", ["a.js", "a.ts", "a.tsx"], ["a.jsx"])
  check("n{1..3}.txt", ["n1.txt", "n3.txt"], ["n4.txt", "n.txt"])
})

test("what is no glob is taken as it is written", () => {
  check("a{b", ["a{b"], ["ab"])
  check("[z-a].txt", [], ["z.txt", "a.txt"])
  check("[", ["["], ["a"])
  check("a+(b)|c$", ["a+(b)|c$"], ["ab", "c"])
})

test("any glob is answered, in bounded time", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("ab/*?[]{},!\\-.1")), maxLength: 60 }),
      fc.string(),
      (glob, path) => {
        expect(typeof matchesGlob(path, glob)).toBe("boolean")
      },
    ),
  )
  expect(matchesGlob("a".repeat(4000), `${"*a".repeat(1000)}b`)).toBe(false)
  expect(matchesGlob("a".repeat(40), `${"{a,b}".repeat(40)}c`)).toBe(false)
})
