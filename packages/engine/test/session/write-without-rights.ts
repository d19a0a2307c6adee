/** Run by `journal.test.ts` as a user whom modes bind: what blocks a write, and whose a file stays. Prints one JSON document. */
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs"
import { realFiles } from "../../src/io/real-files.ts"
import { writeChange } from "../../src/session/journal.ts"
import { memoryStore } from "../../src/store/memory.ts"
import { buildTree, keepTexts, movesOf, writerOn } from "./world.ts"

const root = process.argv[2] ?? ""
const files = realFiles()
const store = memoryStore()
await buildTree(files, root, { free: "old", "shut/a": "old", secret: "0000:old" })
await keepTexts(store, ["new", "x"])
chmodSync(`${root}/shut`, 0o555)
const writer = await writerOn(files, root, store)
const moves = movesOf({
  free: ["old", "new"],
  "shut/a": ["old", "new"],
  "shut/new": [null, "x"],
  secret: ["0000:old", null],
})
const outcome = await writeChange(writer, { moves, batch: {} })
chmodSync(`${root}/shut`, 0o755)

const shared = `${root}/shared`
const answer = existsSync(shared)
  ? await writeChange(writer, { moves: movesOf({ shared: ["0666:old", "0666:new"] }), batch: {} }).then(
      ({ kind }) => `${kind} ${statSync(shared).uid} ${readFileSync(shared, "utf8")}`,
    )
  : "none"
const problems = outcome.kind === "blocked" ? outcome.problems.map(({ path, code }) => `${path} ${code}`) : outcome.kind
console.log(JSON.stringify({ problems, free: readFileSync(`${root}/free`, "utf8"), shared: answer }))
