/** Runs one command in a view and prints the outcome; started by tests as a process of its own (to be killed, or as another user). */
import { commandEnvironment } from "../../src/io/environment.ts"
import { surveyWorkspace } from "../../src/io/view-copy.ts"
import { runInView } from "../../src/io/view.ts"
import { told } from "./view-stage.ts"

const [root = "", scratch = "", command = ""] = process.argv.slice(2)
const outcome = await runInView({
  root,
  pending: [],
  command,
  cwd: root,
  env: commandEnvironment(process.env),
  timeoutMs: 60_000,
  outputLimit: 10_000,
  mask: [],
  git: "dropped",
  passThrough: [],
  caches: [],
  dependencyFolders: [],
  scratch,
  id: "child",
  ...(await surveyWorkspace(root, [])),
})
if (outcome.kind === "noView") process.stdout.write(`${JSON.stringify(outcome)}\n`)
else {
  const { exitCode, output, remarks, foreignOwner } = outcome
  const changes = await Promise.all(outcome.changes.map(told))
  await outcome.close()
  process.stdout.write(`${JSON.stringify({ exitCode, output, remarks, foreignOwner, changes })}\n`)
}
