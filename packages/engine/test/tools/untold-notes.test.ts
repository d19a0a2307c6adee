/** A call whose change is made, and whose notes then cannot be had: the change stands and the model hears that it does. */
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
import type { Store } from "../../src/store/store.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "galley-notes-"))
  writeFileSync(join(root, "a.txt"), "one\n")
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

for (const [how, trouble] of [
  ["the store", new Failure("STORE_FAILED", "The store cannot be read.")],
  ["the disk", Object.assign(new Error("EIO: i/o error"), { code: "EIO", syscall: "read" })],
  ["our own bug", new TypeError("x is not a function")],
] as const)
  for (const where of ["notes", "commit"] as const)
    test(`${how} fails at ${where}: the edit is reported as made, and the note is told by the next call`, async () => {
      const plain = memoryStore()
      let broken = false
      const store: Store = {
        ...plain,
        notes: wanted => (broken && where === "notes" ? Promise.reject(trouble) : plain.notes(wanted)),
        commit: batch =>
          broken && where === "commit" && (batch.notes ?? []).some(note => note.deliveredAt !== null)
            ? Promise.reject(trouble)
            : plain.commit(batch),
      }
      const files = realFiles()
      const workspace = await embedWorkspace({
        files,
        root: await openRoot(files, root),
        store,
        lock: memoryLock(),
        env: realEnv(),
        config: resolveConfig([]),
      })
      const agent = workspace.as({ actor: "agent", conversation: "c" })
      const edit = (old_str: string, new_str: string) =>
        agent.call({ tool: "str_replace_editor", input: { command: "str_replace", path: "a.txt", old_str, new_str } })
      await edit("one", "two")
      await workspace.as({ actor: "person" }).comment({ path: "a.txt", text: "mind the tone" })
      broken = true
      const made = await edit("two", "three")
      expect(made).toMatchObject({ ok: true, changes: [{ path: "a.txt", kind: "modify" }] })
      expect(made.text).toContain("The answer above stands")
      expect(made.text).not.toContain("mind the tone")
      expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("three\n")
      broken = false
      expect((await edit("three", "four")).text).toContain("mind the tone")
      await workspace.close()
    })
