import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { AgentPlace, Driver } from "../driver.ts"

export const cline: Driver = {
  name: "cline",
  prepare: place => {
    const words = ["auth", "-p", "openai", "-k", "dummy", "-m", "fake-model", "-b", `http://127.0.0.1:${place.port}/v1`]
    const end = spawnSync(place.node, [program(place), ...words], {
      env: { HOME: place.home, PATH: "/usr/bin:/bin", CLINE_TELEMETRY_DISABLED: "1" },
      timeout: 60_000,
    })
    if (end.status !== 0) throw new Error(`cline auth: ${String(end.stderr)}${String(end.stdout)}`)
  },
  command: (place, prompt) => ({
    words: [place.node, program(place), "--json", prompt],
    env: { CLINE_TELEMETRY_DISABLED: "1" },
  }),
  // Each run leaves a process behind that waits for others.
  end: ({ home }) => {
    for (const name of readdirSync("/proc").filter(one => /^\d+$/.test(one)))
      if (
        textOf(`/proc/${name}/environ`).includes(`HOME=${home}\0`) &&
        textOf(`/proc/${name}/cmdline`).includes("cline")
      )
        process.kill(Number(name))
  },
  calls: {
    edit: a => ({ t: "galley__str_replace_editor", a }),
    bash: command => ({ t: "galley__bash", a: { command } }),
    ownReplace: (path, from, to) => [{ t: "editor", a: { path, old_text: from, new_text: to } }],
    ownWrite: (path, text) => [{ t: "editor", a: { path, new_text: text } }],
    ownShell: command => ({ t: "run_commands", a: { commands: [command] } }),
  },
  ownSed: "simulated",
  tellsPrompts: false,
}

function program({ modules }: AgentPlace): string {
  return join(modules, "cline/bin/cline")
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}
