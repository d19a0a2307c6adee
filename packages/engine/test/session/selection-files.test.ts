import { expect, test } from "vitest"
import { five, stories } from "../scenarios/stories.ts"

const story = stories()

test("files named one by one are decided as one operation, which one undo takes back; others stay", async () => {
  const s = await story({ files: { a: five, b: five, c: five } })
  const agent = s.agent()
  for (const path of ["a", "b", "c"]) await agent.replace(path, "two", "TWO")
  const files = (await s.pending()).slice(0, 2).map(({ path, revision }) => ({ path, revision }))
  await s.person.reject({ files })
  expect([s.read("a"), s.read("b"), (await s.pending()).map(file => file.path)]).toEqual([five, five, ["c"]])
  await s.person.undo({})
  expect((await s.pending()).map(file => file.path)).toEqual(["a", "b", "c"])
  await s.person.accept({ files: files.map(({ path }) => ({ path })) })
  expect((await s.pending()).map(file => file.path)).toEqual(["c"])
})

test("one that changed since, or has nothing pending, or is named beside hunks, stops all of them", async () => {
  const s = await story({ files: { a: five, b: five, quiet: five } })
  const agent = s.agent()
  for (const path of ["a", "b"]) await agent.replace(path, "two", "TWO")
  const [a, b] = await s.pending()
  const seen = { path: "a", revision: a?.revision ?? 0 }
  const reject = (more: object): Promise<unknown> =>
    s.person.reject({ files: [seen], ...more }).catch((error: { code: string }) => error.code)
  expect(await reject({ files: [seen, { path: "b", revision: (b?.revision ?? 0) - 1 }] })).toBe("STALE_REVISION")
  expect(await reject({ files: [seen, { path: "quiet" }] })).toBe("NOT_FOUND")
  expect(await reject({ hunks: [a?.hunks[0]?.id ?? ""] })).toBe("BAD_ARGUMENT")
  expect(await reject({ path: "b" })).toBe("BAD_ARGUMENT")
  expect((await s.pending()).map(file => file.path)).toEqual(["a", "b"])
})
