import { hookWords, type Wanted } from "./target.ts"

/**
 * The plugin that opencode (1.18.33) loads: plain JavaScript without imports of packages, since it runs in opencode's own runtime. It
 * hands events to `galley hook opencode` and does what the answer says. What goes wrong is printed, never thrown, except a refusal.
 */
export function pluginText(wanted: Wanted): string {
  const words = hookWords(wanted, "opencode")
  return `// Written by galley install; taken out by galley uninstall. Hands opencode's events to Galley.
import { spawn } from "node:child_process"

const words = ${JSON.stringify(words)}

function ask(payload) {
  return new Promise(resolve => {
    const child = spawn(words[0], words.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    let out = ""
    child.stdout.on("data", data => (out += data))
    child.on("error", () => resolve({ context: "Galley's hook could not be started; this cannot be undone with Galley." }))
    child.on("close", () => {
      try {
        resolve(out.trim() === "" ? {} : JSON.parse(out))
      } catch {
        resolve({ context: "Galley's hook gave no answer; this may not be undone with Galley." })
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })
}

export const Galley = async ({ directory, client }) => {
  const parents = new Map()
  const said = new Map()
  const rootOf = async session => {
    let at = session
    for (let depth = 0; at !== undefined && depth < 8; depth++) {
      if (!parents.has(at)) {
        try {
          const { data } = await client.session.get({ path: { id: at } })
          parents.set(at, data?.parentID ?? null)
        } catch {
          parents.set(at, null)
        }
      }
      const parent = parents.get(at)
      if (parent === null || parent === undefined) return at
      at = parent
    }
    return at
  }
  const wanted = tool => ["bash", "edit", "multiedit", "write", "patch", "apply_patch"].includes(tool) || tool.startsWith("galley_")
  return {
    event: async ({ event }) => {
      if (event.type === "session.created" || event.type === "session.updated") {
        const info = event.properties.info
        if (info?.id) parents.set(info.id, info.parentID ?? null)
      }
      if (event.type === "session.idle") {
        const sessionID = event.properties.sessionID
        await ask({ event: "session.idle", directory, root: await rootOf(sessionID), input: { sessionID } })
      }
    },
    "chat.message": async (input, output) => {
      const answer = await ask({ event: "chat.message", directory, root: await rootOf(input.sessionID), input, output })
      if (answer.context) said.set(input.sessionID, answer.context)
    },
    "tool.execute.before": async (input, output) => {
      if (!wanted(input.tool)) return
      const answer = await ask({ event: "tool.execute.before", directory, root: await rootOf(input.sessionID), input, output })
      if (answer.deny) throw new Error(answer.deny)
      if (answer.command) output.args.command = answer.command
      if (answer.input) Object.assign(output.args, answer.input)
      if (answer.context) said.set(input.callID, answer.context)
    },
    "tool.execute.after": async (input, output) => {
      const waiting = [said.get(input.sessionID), said.get(input.callID)]
      said.delete(input.sessionID)
      said.delete(input.callID)
      if (wanted(input.tool)) {
        const answer = await ask({ event: "tool.execute.after", directory, root: await rootOf(input.sessionID), input })
        waiting.push(answer.context)
      }
      const notes = waiting.filter(Boolean)
      if (notes.length > 0 && typeof output.output === "string") output.output += "\\n\\n" + notes.join("\\n\\n")
    },
  }
}
`
}
