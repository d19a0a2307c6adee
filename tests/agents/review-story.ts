/**
 * One real agent in `hold` and in `ask`, the person answering by the command line meanwhile: `node review-story.ts AGENT PROGRAM`, inside a
 * network namespace that has loopback only.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { openStage, start } from "./stage.ts"

const [agent = "", program = ""] = process.argv.slice(2)
const stage = await openStage(agent, program, `review ${agent}`)
const { driver, check, galley, text, at, prompt } = stage
const { calls } = driver
const replace = (name: string, old_str: string, new_str: string) =>
  calls.edit({ command: "str_replace", path: at(name), old_str, new_str })

/** What the person is asked, once they are; null if the prompt ends before. */
async function question(running: Promise<unknown>) {
  let over = false
  void running.finally(() => (over = true))
  const ended = (): boolean => over
  while (!ended()) {
    const [one] = stage.status().waiting
    if (one !== undefined) return one
    await sleep(200)
  }
  return null
}

let code = 1
try {
  driver.prepare(stage.place)
  check("install --review hold", galley("install", driver.name, "--review", "hold").code, 0)
  await prompt(0, "First: held.", [
    [replace("a.txt", "alpha", "ALPHA")],
    ...calls.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
    [calls.ownShell("echo shell > c.txt")],
    [calls.edit({ command: "view", path: at("a.txt") })],
  ])
  check(
    "nothing is on disk",
    [text("a.txt"), text("b.txt"), text("c.txt")],
    [start["a.txt"], start["b.txt"], start["c.txt"]],
  )
  check(
    "what Galley's tool made is held",
    stage.status().files.map(file => [file.path, file.disk]),
    [["a.txt", "base"]],
  )
  check("the agent reads its own held text", stage.modelSaw("ALPHA\\\\nbeta") || stage.modelSaw("ALPHA"), true)
  check("accept writes it", [galley("accept", "a.txt").code, text("a.txt")], [0, "ALPHA\nbeta\ngamma\n"])
  check("uninstall", galley("uninstall", driver.name).code, 0)

  check("install --review ask", galley("install", driver.name, "--review", "ask").code, 0)
  const allowing = prompt(1, "Second: allowed.", [[replace("a.txt", "beta", "BETA")]])
  const first = await question(allowing)
  check("the person is asked, with the diff", first?.diff?.includes("+BETA"), true)
  check("nothing is on disk meanwhile", text("a.txt"), "ALPHA\nbeta\ngamma\n")
  check("allow", galley("answer", first?.id ?? "?", "allow").code, 0)
  await allowing
  check(
    "allowed, it is written, and nothing is left to review",
    [text("a.txt"), stage.status().files],
    ["ALPHA\nBETA\ngamma\n", []],
  )
  const denying = prompt(2, "Third: denied.", [[replace("a.txt", "gamma", "GAMMA")]])
  const second = await question(denying)
  check("deny", galley("answer", second?.id ?? "?", "deny", "--reason", "gamma stays small").code, 0)
  await denying
  check("denied, nothing is written", text("a.txt"), "ALPHA\nBETA\ngamma\n")
  check("the model reads the reason", stage.modelSaw("gamma stays small"), true)
  check("uninstall", galley("uninstall", driver.name).code, 0)

  // Its own tools stay where `ask` is the person's setting: then its hooks ask.
  check("install", galley("install", driver.name).code, 0)
  stage.configure({ review: { mode: "ask" } })
  const own = prompt(
    3,
    "Fourth: its own tool.",
    calls.ownReplace(at("b.txt"), "two", "TWO").map(call => [call]),
  )
  const third = await question(own)
  check("its hook asks the person", third?.path, "b.txt")
  check("answer with another text", stage.answer(third?.id ?? "?", "one\nzwei\nthree\n").code, 0)
  await own
  check("the person's text is on disk, accepted", [text("b.txt"), stage.status().files], ["one\nzwei\nthree\n", []])
  const greener = calls.ownReplace(at("c.txt"), "green", "GREEN").map(call => [call])
  const ownDenied = prompt(4, "Fifth: denied by the hook.", greener)
  const fourth = await question(ownDenied)
  check("deny in the hook", galley("answer", fourth?.id ?? "?", "deny", "--reason", "green is right").code, 0)
  await ownDenied
  check("its tool did not write", text("c.txt"), start["c.txt"])
  check("the model reads the person's reason", stage.modelSaw("green is right"), true)
} finally {
  code = stage.end()
}
process.exit(code)
