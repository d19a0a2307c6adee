import { spawn } from "node:child_process"

/**
 * Serves the review page of a folder. At a terminal it stays until Ctrl-C, with a browser opened where there is one. Elsewhere (CI, a
 * pipe) it proves that the page comes up, says where it was, and ends: nothing is left running that nobody asked for.
 */
export async function showPage(options: {
  readonly program: string
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly say: (text: string) => void
}): Promise<void> {
  const { program, folder, env, say } = options
  const stays = process.stdout.isTTY && !process.env["CI"]
  if (stays) {
    say("\nThe review page is open until you press Ctrl-C:\n")
    const child = spawn(process.execPath, [program, "serve", folder], { stdio: "inherit", env })
    // Ctrl-C reaches both; the server ends by itself, and this script after it.
    process.on("SIGINT", () => {})
    await new Promise(resolve => child.once("exit", resolve))
    return
  }
  const child = spawn(process.execPath, [program, "serve", folder, "--no-open", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env,
  })
  const ended = new Promise(resolve => child.once("exit", resolve))
  const line = await new Promise<string>((resolve, reject) => {
    let out = ""
    child.stdout.on("data", part => {
      out += String(part)
      if (out.includes("\n")) resolve(out)
    })
    void ended.then(() => reject(new Error("galley serve ended before it said where it listens.")))
  })
  const { url } = JSON.parse(line) as { url: string }
  const page = await fetch(new URL("/", url))
  if (!page.ok || !(await page.text()).includes("/main.js"))
    throw new Error(`The review page does not come up at ${url}`)
  say(`\nThe review page: ${url}\n(stopped again, as nobody sits at this terminal; galley serve shows it)`)
  child.kill("SIGTERM")
  await ended
}
