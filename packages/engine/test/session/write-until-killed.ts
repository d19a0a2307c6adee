/**
 * Run and killed by `recover.test.ts`. Writes generation after generation: a file, one in a folder, a hard-linked pair, and one that
 * comes and goes with its folder; every generation is one operation whose title is its number.
 */
import { realFiles } from "../../src/io/real-files.ts"
import { writeChange } from "../../src/session/journal.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { batchOf, buildTree, keepTexts, movesOf, writerOn } from "./world.ts"

const [, , folder = "", home = ""] = process.argv
const files = realFiles()
const store = await openSqliteStore({ folder: home })
if ((await files.list(folder)).length === 0)
  await buildTree(files, folder, { a: "0", "d/b": "0", h: "0", h2: "=h", "e/c": "0" })
const writer = await writerOn(files, folder, store)

for (let last = Number((await store.operations({ limit: 1 }))[0]?.title ?? "0"); ; last++) {
  const [old, next] = [String(last), String(last + 1)]
  await keepTexts(store, [next])
  const coming = (last + 1) % 2 === 0
  const moves = movesOf({
    a: [old, next],
    "d/b": [old, next],
    h: [old, next],
    "e/c": coming ? [null, next] : [old, null],
    ...(coming ? {} : { e: ["folder", null] }),
  })
  const { operations = [] } = batchOf(moves, `op${next}`)
  const outcome = await writeChange(writer, {
    moves,
    batch: { operations: operations.map(one => ({ ...one, title: next })) },
  })
  if (outcome.kind !== "written") throw new Error(JSON.stringify(outcome))
  console.log(next)
}
