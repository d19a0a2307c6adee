import { open } from "node:fs/promises"
import { join } from "node:path"
import type { GitFolder } from "./git-folder.ts"

/** One move of HEAD or of another ref as git wrote it down (gitrepository-layout(5), "logs"). */
export interface RefLogEntry {
  readonly before: string
  readonly after: string
  /** "commit: Fix the tax", "checkout: moving from main to topic", "rebase (finish): …". */
  readonly message: string
}

/**
 * The newest moves of a ref, oldest first. Empty where no log is kept (bare, `core.logAllRefUpdates=false`, reftable), null where it
 * cannot be read. Reads at most the last 64 KiB.
 */
export async function readRefLog(
  folder: GitFolder,
  ref: "HEAD" | "refs/stash",
): Promise<readonly RefLogEntry[] | null> {
  const path = ref === "HEAD" ? join(folder.gitDir, "logs", "HEAD") : join(folder.commonDir, "logs", ref)
  const text = await lastOf(path, 64 * 1024).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? error.code : ""
    return code === "ENOENT" || code === "ENOTDIR" ? "" : null
  })
  if (text === null) return null
  return text.split("\n").flatMap(line => {
    const match = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*\t(.*)$/.exec(line)
    return match === null ? [] : [{ before: match[1] ?? "", after: match[2] ?? "", message: match[3] ?? "" }]
  })
}

async function lastOf(path: string, most: number): Promise<string> {
  const handle = await open(path, "r")
  try {
    const { size } = await handle.stat()
    const from = Math.max(0, size - most)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, most)), 0, Math.min(size, most), from)
    return buffer.subarray(0, bytesRead).toString("utf8")
  } finally {
    await handle.close()
  }
}
