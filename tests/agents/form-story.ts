/**
 * Claude Code asks the person itself: `node form-story.ts claude-code PROGRAM`, inside a network namespace that has loopback only. Without a
 * terminal it shows no form, but lets a hook of the person's answer it (`Elicitation`); nobody answers anywhere else.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { openStage } from "./stage.ts"

const [agent = "", program = ""] = process.argv.slice(2)
const stage = await openStage(agent, program, `form ${agent}`)
const { driver, check, galley, text, at, prompt, place } = stage
let code = 1
try {
  driver.prepare(place)
  check("install --review ask", galley("install", driver.name, "--review", "ask").code, 0)
  const shown = join(place.home, "shown.json")
  const script = join(place.home, "person.mjs")
  const settings = join(place.home, "person.json")
  const hook = { type: "command", command: `'${place.node}' '${script}'` }
  writeFileSync(settings, JSON.stringify({ hooks: { Elicitation: [{ hooks: [hook] }] } }))
  const answering = (content: object): void =>
    writeFileSync(
      script,
      `import { readFileSync, writeFileSync } from "node:fs"
writeFileSync(${JSON.stringify(shown)}, readFileSync(0, "utf8"))
process.stdout.write(${JSON.stringify(JSON.stringify({ hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content } }))})
`,
    )
  const edit = (old_str: string, new_str: string) => [
    [driver.calls.edit({ command: "str_replace", path: at("a.txt"), old_str, new_str })],
  ]
  answering({ decision: "allow" })
  await prompt(0, "First: allowed in the agent.", edit("alpha", "ALPHA"), ["--settings", settings])
  const form = existsSync(shown) ? (JSON.parse(readFileSync(shown, "utf8")) as { message?: string }) : {}
  check("the agent showed the diff", form.message?.includes("-alpha\n+ALPHA"), true)
  check(
    "allowed in the agent, it is written, and nothing is left to review",
    [text("a.txt"), stage.status().files],
    ["ALPHA\nbeta\ngamma\n", []],
  )
  answering({ decision: "deny", reason: "beta stays small" })
  await prompt(1, "Second: denied in the agent.", edit("beta", "BETA"), ["--settings", settings])
  check("denied in the agent, nothing is written", text("a.txt"), "ALPHA\nbeta\ngamma\n")
  check("the model reads the reason", stage.modelSaw("beta stays small"), true)
  check(
    "both answers are the person's",
    stage
      .operations()
      .filter(one => one.kind === "answer")
      .map(one => one.actor),
    ["person", "person"],
  )
} finally {
  code = stage.end()
}
process.exit(code)
