import { expect, test } from "vitest"
import { makeWorld, type World } from "../model/world.ts"

/** A world whose store and disk note which questions are asked that grow with the workspace or with its history. */
async function watched(): Promise<{ world: World; asked: string[] }> {
  const asked: string[] = []
  const note = <T extends object>(whole: T, grows: (name: string, given: readonly unknown[]) => boolean): T =>
    new Proxy(whole, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== "function") return member
        return (...given: unknown[]): unknown => {
          if (grows(String(name), given)) asked.push(`${String(name)} ${JSON.stringify(given)}`)
          return Reflect.apply(member, target, given)
        }
      },
    })
  const world = await makeWorld(
    "memory",
    { "a.txt": "one\ntwo\n" },
    {
      store: store =>
        note(store, (name, [query]) => {
          const asks = (key: string): boolean => typeof query === "object" && query !== null && key in query
          switch (name) {
            case "operations":
              return !["path", "message", "afterSeq", "limit"].some(asks)
            case "items":
              return !["paths", "under", "pending"].some(asks)
            case "messages":
            case "blobSizes":
            case "check":
              return true
            case "notes":
              return !asks("undelivered") && !asks("path")
            default:
              return false
          }
        }),
      files: files => note(files, name => name === "list"),
    },
  )
  return { world, asked }
}

test("an edit asks nothing that grows with the workspace or its history", async () => {
  const { world, asked } = await watched()
  for (const mode of ["apply", "hold"] as const)
    for (const word of ["a", "b", "c"])
      await world.change("c1", mode, "a.txt", seen =>
        seen.kind === "file"
          ? { ...seen, bytes: new Uint8Array([...seen.bytes, ...new TextEncoder().encode(`${word}\n`)]) }
          : seen,
      )
  expect(await world.read("a.txt")).toBe("one\ntwo\na\nb\nc\na\nb\nc\n")
  expect(asked).toEqual([])
})

test("nor do a look, a decision, an undo", async () => {
  const { world, asked } = await watched()
  await world.change("c1", "apply", "a.txt", () => ({
    kind: "file",
    bytes: new TextEncoder().encode("x\n"),
    mode: 0o644,
  }))
  await world.person.status({})
  await world.person.file({ path: "a.txt" })
  await world.person.diff({})
  await world.person.accept({ path: "a.txt" })
  expect(asked).toEqual([])
  await world.person.undo({})
  expect(asked.filter(question => !question.startsWith("notes"))).toEqual([])
})
