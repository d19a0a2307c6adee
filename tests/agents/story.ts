/**
 * One real agent's conversation, from `galley install` to rewind. Runs inside a network namespace that has loopback only:
 * `node story.ts AGENT PROGRAM`, PROGRAM being a built bin/galley.mjs. Prints what was checked; ends with 1 if something was wrong.
 */
import { openStage, start } from "./stage.ts"

const [agent = "", program = ""] = process.argv.slice(2)
const stage = await openStage(agent, program, agent)
const { driver, check, galley, text, at, prompt } = stage
const { calls } = driver
let code = 1
try {
  driver.prepare(stage.place)
  check("galley install", galley("install", driver.name).code, 0)
  const again = JSON.parse(galley("install", driver.name, "--json").out) as { files: unknown[] }
  check("installing again changes nothing", again.files, [])

  await prompt(0, "First: our tools.", [
    [calls.edit({ command: "str_replace", path: at("a.txt"), old_str: "alpha", new_str: "ALPHA" })],
    [calls.bash("sed -i s/beta/BETA/ a.txt")],
  ])
  check("Galley's tools wrote", text("a.txt"), "ALPHA\nBETA\ngamma\n")

  await prompt(1, "Second: the agent's own tools.", [
    ...calls.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
    ...calls.ownWrite(at("new.txt"), "made\n").map(call => [call]),
  ])
  check("its own tools wrote", [text("b.txt"), text("new.txt")], ["one\nTWO\nthree\n", "made\n"])
  check("reject", galley("reject", "b.txt").code, 0)
  check("reject put the old text back", text("b.txt"), start["b.txt"])

  await prompt(2, "Third: its shell.", [
    ...(calls.readBefore === undefined ? [] : [[calls.readBefore(at("c.txt"))]]),
    [calls.ownShell("sed -i s/green/GREEN/ c.txt")],
    [calls.ownShell("printf 'out\\n' > out.txt && mv 'old name.txt' moved.txt")],
  ])
  check(
    "its shell wrote",
    [text("c.txt"), text("out.txt"), text("old name.txt"), text("moved.txt")],
    ["red\nGREEN\nblue\n", "out\n", null, "to be moved\n"],
  )
  // A rejection is told to the conversation that made the change; without prompts each run is one of its own.
  if (driver.tellsPrompts) check("the model was told of the rejection", stage.modelSaw("Rejected in b.txt"), true)

  const messages = stage.log()
  if (driver.tellsPrompts)
    check(
      "log shows the prompts as a line of messages",
      messages
        .map(({ title, parent }) => [title.slice(0, 6), messages.findIndex(one => one.id === parent)] as const)
        .toSorted(([, a], [, b]) => a - b),
      [
        ["First:", -1],
        ["Second", 0],
        ["Third:", 1],
      ],
    )
  check("in one conversation", new Set(messages.map(message => message.conversation)).size, driver.tellsPrompts ? 1 : 3)
  const operations = stage.operations()
  const captureOf = (path: string): string[] =>
    operations.filter(one => one.actor === "agent" && one.paths.includes(path)).map(one => one.capture)
  check("captures of Galley's tools", captureOf("a.txt").toSorted(), ["recorded", "simulated"])
  check("capture of its own edit", captureOf("b.txt"), ["recorded"])
  check("capture of its own sed -i", captureOf("c.txt"), [driver.ownSed])
  check("capture of its own shell", captureOf("moved.txt"), [driver.ownSed === "simulated" ? "previewed" : "recorded"])
  check("nothing was done by nobody", operations.filter(one => one.actor === "external").length, 0)

  check("accept", galley("accept", "a.txt").code, 0)
  const second = driver.tellsPrompts ? messages.find(message => message.title.startsWith("Second")) : messages[1]
  check("rewind to the second message", galley("rewind", second?.id ?? "?").code, 0)
  if (driver.tellsPrompts) {
    const names = ["a.txt", "b.txt", "c.txt", "old name.txt", "new.txt", "out.txt", "moved.txt"]
    check("files as before it", names.map(text), [
      "ALPHA\nBETA\ngamma\n",
      start["b.txt"],
      start["c.txt"],
      start["old name.txt"],
      null,
      null,
      null,
    ])
    check("nothing is pending", stage.status().files, [])
    check(
      "undo brings it back",
      [galley("undo").code, text("c.txt"), text("moved.txt")],
      [0, "red\nGREEN\nblue\n", "to be moved\n"],
    )
  }
  check("uninstall", galley("uninstall", driver.name).code, 0)
} finally {
  code = stage.end()
}
process.exit(code)
