import { setTimeout as sleep } from "node:timers/promises"
import { Failure } from "@galley/core/failure.ts"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import { openLock } from "../../src/store/open-lock.ts"
import { locateStore } from "../../src/store/location.ts"

/** Another process at work on a story's workspace: `ROOT HOME VERB …`. Prints a line for each thing done. */
const [root = "", home = "", verb = "", ...words] = process.argv.slice(2)

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

if (verb === "hold") {
  const place = locateStore(root, { variables: { GALLEY_HOME: home }, userHome: home })
  await openLock(place.folder, realEnv()).hold(async () => {
    say("held")
    await sleep(600_000)
  })
}

const config = resolveConfig([{ source: "test", values: { "ask.waitSeconds": 600, "view.enabled": verb !== "bash" } }])
const workspace = await openWorkspace({ root, home, config, env: realEnv() })
const person = workspace.as({ actor: "person" })
switch (verb) {
  case "rewind":
    await person.rewind({ message: words[0] ?? "" })
    break
  case "append": {
    // Appends numbered lines to a file of its own and to one that all write, as an agent does.
    const [name = "x", count = "1"] = words
    const agent = workspace.as({ actor: "agent", conversation: name })
    for (let at = 0; at < Number(count); at++) {
      for (const path of ["shared", `own-${name}`]) {
        const input = { command: "insert", path, insert_line: 0, insert_text: `${name} ${at}\n` }
        for (let tries = 0; tries < 50; tries++) {
          const result = await agent.call({ tool: "str_replace_editor", input })
          if (result.ok) break
          if (result.error?.code !== "FILE_CHANGED_SINCE_READ") throw new Failure("DENIED", result.text)
        }
      }
      say(`${name} ${at}`)
    }
    break
  }
  case "ask": {
    const agent = workspace.as({ actor: "agent", conversation: "asker", review: "ask" })
    say("asking")
    const input = { command: "create", path: words[0] ?? "asked", file_text: "asked\n" }
    const result = await agent.call({ tool: "str_replace_editor", input })
    say(result.ok ? "allowed" : "denied")
    break
  }
  case "bash": {
    // Directly on the disk, as where no view can be had.
    const agent = workspace.as({ actor: "agent", conversation: "killed" })
    const input = { command: words[0] ?? "", background: words[1] === "background" }
    const result = await agent.call({ tool: "bash", input })
    say(result.text)
    if (words[1] === "background") await sleep(600_000)
    break
  }
  case "status":
    for (let at = 0; at < Number(words[0] ?? "1"); at++) {
      const { files } = await person.status({})
      for (const file of files) await person.file({ path: file.path })
      say(`looked ${files.length}`)
    }
    break
}
await workspace.close()
