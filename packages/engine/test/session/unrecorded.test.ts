import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Failure } from "@galley/core/failure.ts"
import { afterEach, beforeEach, expect, test } from "vitest"
import { realEnv } from "../../src/io/env.ts"
import { realFiles } from "../../src/io/real-files.ts"
import { openRoot } from "../../src/io/roots.ts"
import { embedWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { memoryStore } from "../../src/store/memory.ts"
import { memoryLock } from "../../src/store/open-lock.ts"
import type { Workspace } from "../../src/workspace.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "galley-unrecorded-"))
  writeFileSync(join(root, "a.txt"), "one\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** A workspace whose store reads, and fails every write. */
async function withoutStore(settings: Record<string, unknown>): Promise<Workspace> {
  const files = realFiles()
  const store = {
    ...memoryStore(),
    putBlobs: () => Promise.reject(new Failure("STORE_FAILED", "The store cannot be written.")),
    commit: () => Promise.reject(new Failure("STORE_FAILED", "The store cannot be written.")),
  }
  const config = resolveConfig([{ source: "test", values: settings }])
  return embedWorkspace({ files, root: await openRoot(files, root), store, lock: memoryLock(), env: realEnv(), config })
}

const edit = (workspace: Workspace, review?: "hold") =>
  workspace.as({ actor: "agent", conversation: "c", ...(review === undefined ? {} : { review }) }).call({
    tool: "str_replace_editor",
    input: { command: "str_replace", path: join(root, "a.txt"), old_str: "one", new_str: "two" },
  })

test("B6 an edit that cannot be recorded is made, and agent and person are told that it cannot be undone", async () => {
  const workspace = await withoutStore({})
  const result = await edit(workspace)
  expect(result).toMatchObject({ ok: true, capture: "none" })
  expect(result.text).toContain("cannot undo it")
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("two\n")
  const status = await workspace.as({ actor: "person" }).status({})
  expect(status.notices?.join()).toContain("could not be recorded")
})

test("B6 strict refuses it, and nothing is written", async () => {
  expect(await edit(await withoutStore({ strict: true }))).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } })
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n")
})

test("what is to be held is refused, as there is nowhere to hold it", async () => {
  expect(await edit(await withoutStore({}), "hold")).toMatchObject({ ok: false, error: { code: "STORE_FAILED" } })
  expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\n")
})
