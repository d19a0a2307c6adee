import { spawn } from "node:child_process"
import { release } from "node:os"

/**
 * Makes everything that was written to the file system of a folder durable, by `sync -f` of GNU coreutils (syncfs(2), for which Node
 * has no call). False where that is not to be had, or failed: then every file must be synced by itself.
 */
export function syncFileSystem(folder: string): Promise<boolean> {
  // syncfs reports errors of writing back from Linux 5.8 on; before, and elsewhere, its success says too little.
  const [major = 0, minor = 0] = release().split(".").map(Number)
  if (process.platform !== "linux" || major < 5 || (major === 5 && minor < 8)) return Promise.resolve(false)
  return new Promise(resolve => {
    const place = folder.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
    const child = spawn("sync", ["--file-system", place], { stdio: "ignore" })
    child.on("error", () => resolve(false))
    child.on("close", code => resolve(code === 0))
  })
}
