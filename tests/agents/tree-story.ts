/**
 * Claude Code's sub-agents, resumed and forked sessions: `node tree-story.ts claude-code PROGRAM`, inside a network namespace that has
 * loopback only. What a sub-agent changes belongs to the message that started it; a fork leaves where it was forked.
 */
import { openStage, start } from "./stage.ts"

const [agent = "", program = ""] = process.argv.slice(2)
const stage = await openStage(agent, program, `tree ${agent}`)
const { driver, check, galley, text, at, prompt } = stage
const { calls } = driver
let code = 1
try {
  driver.prepare(stage.place)
  check("galley install", galley("install", driver.name).code, 0)
  await prompt(
    0,
    "First: itself.",
    calls.ownReplace(at("a.txt"), "alpha", "ALPHA").map(call => [call]),
  )
  const nested = [
    ...calls.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
    [calls.edit({ command: "str_replace", path: at("b.txt"), old_str: "three", new_str: "THREE" })],
    [calls.ownShell("sed -i s/red/RED/ c.txt")],
    "Sub-agent done.",
  ]
  const task = {
    description: "as scripted",
    prompt: `Do it. @@NESTED ${JSON.stringify(nested)} @@NEND`,
    subagent_type: "general-purpose",
    run_in_background: false,
  }
  await prompt(1, "Second: a sub-agent.", [[{ t: "/^(Task|Agent)$/", a: task }]])
  check("the sub-agent wrote", [text("b.txt"), text("c.txt")], ["one\nTWO\nTHREE\n", "RED\ngreen\nblue\n"])
  await prompt(
    2,
    "Third: a fork.",
    calls.ownReplace(at("a.txt"), "beta", "FORK").map(call => [call]),
    ["--fork-session"],
  )
  await prompt(
    3,
    "Fourth: resumed.",
    calls.ownReplace(at("a.txt"), "gamma", "GAMMA").map(call => [call]),
  )

  const messages = stage.log()
  const named = (title: string) => messages.find(message => message.title.startsWith(title))
  const [first, second, third, fourth] = ["First", "Second", "Third", "Fourth"].map(named)
  check("four messages, no others", messages.length, 4)
  check("in two conversations", new Set(messages.map(message => message.conversation)).size, 2)
  check(
    "each follows the one it was said after, the fork too",
    [first?.parent, second?.parent, third?.parent, fourth?.parent],
    [null, first?.id, second?.id, second?.id],
  )
  check("the fork is a conversation of its own", third?.conversation === first?.conversation, false)
  check("the resumed session is the old one", fourth?.conversation, first?.conversation)
  const operations = stage.operations().filter(one => one.actor === "agent")
  const of = (id: string | undefined) =>
    operations.filter(one => one.message === id).flatMap(one => one.paths.map(path => `${path} ${one.capture}`))
  check("the sub-agent's work is of the message that started it", of(second?.id), [
    "b.txt recorded",
    "b.txt recorded",
    "c.txt simulated",
  ])
  check("nothing was done by nobody", stage.operations().filter(one => one.actor === "external").length, 0)
  const tree = galley("log").out
  check("galley log draws it", /First[^]*Second[^]*/.test(tree) && /Third/.test(tree) && /Fourth/.test(tree), true)
  if (process.env["GALLEY_KEEP"] !== undefined) process.stdout.write(tree)
  check("rewind to the sub-agent's message takes its work back", galley("rewind", second?.id ?? "?").code, 0)
  check(
    "its files are as before, the fork's work stands",
    [text("a.txt"), text("b.txt"), text("c.txt")],
    ["ALPHA\nFORK\ngamma\n", start["b.txt"], start["c.txt"]],
  )
} finally {
  code = stage.end()
}
process.exit(code)
