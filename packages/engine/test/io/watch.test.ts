import { mkdtempSync, rmSync } from "node:fs"
import { appendFile, mkdir, unlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { watchFolder } from "../../src/io/watch.ts"

let folder = ""
let stop: () => void = () => undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "galley-watch-"))
})
afterEach(() => {
  stop()
  rmSync(folder, { recursive: true })
})

/** Resolves at the first notice; the test's own time-out is the only limit. */
function nextNotice(at = folder): Promise<void> {
  return new Promise(resolve => {
    const watcher = watchFolder(at, resolve)
    stop = () => watcher.close()
  })
}

test("a new file, a longer file and a removed file are noticed", async () => {
  const made = nextNotice()
  await writeFile(join(folder, "a"), "1")
  await made
  stop()
  const grown = nextNotice()
  await appendFile(join(folder, "a"), "2")
  await grown
  stop()
  const gone = nextNotice()
  await unlink(join(folder, "a"))
  await gone
})

test("a folder that is not there yet is looked for, and what comes into it is noticed", async () => {
  const later = join(folder, "later")
  const noticed = nextNotice(later)
  await mkdir(later)
  await writeFile(join(later, "a"), "1")
  await noticed
})

test("nothing is told after close", async () => {
  let told = 0
  const watcher = watchFolder(folder, () => told++)
  watcher.close()
  await writeFile(join(folder, "a"), "1")
  const other = nextNotice()
  await writeFile(join(folder, "b"), "1")
  await other
  expect(told).toBe(0)
})
