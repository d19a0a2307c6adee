import { spawn } from "node:child_process"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { writePrivate } from "./serve-file.ts"

/**
 * Opens the page in a browser, if this session has a screen. Never waits, never fails.
 *
 * The address holds the token, and a process's arguments are seen by every user of the machine: so the browser is given a file of
 * the owner's that leads there.
 */
export function openInBrowser(
  url: string,
  storeFolder: string,
  variables: Readonly<Record<string, string | undefined>>,
): boolean {
  const command = commandFor(process.platform, variables)
  if (command === null) return false
  const file = join(storeFolder, "open.html")
  writePrivate(
    file,
    `<!doctype html><meta charset="utf-8"><title>Galley</title><meta http-equiv="refresh" content="0; url=${url}">\n`,
  )
  const [program = "", ...words] = command
  const child = spawn(program, [...words, pathToFileURL(file).href], { detached: true, stdio: "ignore" })
  child.on("error", () => {})
  child.unref()
  return true
}

function commandFor(
  platform: NodeJS.Platform,
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] | null {
  if (variables["CI"] || variables["SSH_CONNECTION"]) return null
  if (platform === "darwin") return ["open"]
  if (platform === "win32") return ["cmd", "/c", "start", ""]
  return variables["DISPLAY"] || variables["WAYLAND_DISPLAY"] ? ["xdg-open"] : null
}
