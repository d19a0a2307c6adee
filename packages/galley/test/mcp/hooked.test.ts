import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { expect, test } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

/** Two calls of one session of Claude Code, one after the other; their answers as text. */
async function twoCalls(program: BuiltProgram, place: Place, session: string): Promise<string[]> {
  const child = spawn(process.execPath, [program.file, "mcp", "--hooked", "--workspace", place.work], {
    cwd: place.work,
    env: { ...place.env, CLAUDE_CODE_SESSION_ID: session },
    stdio: ["pipe", "pipe", "ignore"],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: unknown): void => void child.stdin.write(`${JSON.stringify(message)}\n`)
  const answer = async (): Promise<string> => String((await lines.next()).value)
  const clientInfo = { name: "t", version: "1" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
  send({ jsonrpc: "2.0", id: 1, method: "initialize", params })
  await answer()
  send({ jsonrpc: "2.0", method: "notifications/initialized" })
  const answers: string[] = []
  for (const id of [2, 3]) {
    send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "bash", arguments: { command: "true" } } })
    answers.push(await answer())
  }
  child.stdin.end()
  await new Promise(resolve => child.on("exit", resolve))
  return answers
}

test("a session that no hook told of is said to the model and written down, once", { timeout: 120_000 }, async () => {
  const program = await builtProgram()
  const place = newPlace(program)
  try {
    const silent = await twoCalls(program, place, "s1")
    expect(silent.map(answer => answer.includes("hooks did not run"))).toEqual([true, false])
    expect(place.run(["log", "--operations"]).out).toContain("Hooks did not run")
    place.run(["message", "Hello", "--conversation", "s2"])
    const told = await twoCalls(program, place, "s2")
    expect(told.map(answer => answer.includes("hooks did not run"))).toEqual([false, false])
  } finally {
    place.remove()
    program.remove()
  }
})
