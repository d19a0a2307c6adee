/**
 * The library examples with the real packages: Anthropic's SDK and its text-editor tool, and the Vercel AI SDK, against the scripted model.
 * `node sdk-story.ts sdk`, inside a network namespace that has loopback only.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { realEnv } from "@galley/engine/io/env.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig } from "@galley/engine/session/config.ts"
import { type AnthropicClient, converse } from "../../packages/engine/examples/anthropic-text-editor.ts"
import { type AiSdk, galleyTools } from "../../packages/engine/examples/vercel-ai-sdk.ts"
import { startFakeModel } from "./fake-model.mjs"

const port = 18082
let wrong = 0
function check(what: string, found: unknown, expected: unknown): void {
  const good = JSON.stringify(found) === JSON.stringify(expected)
  if (!good) wrong++
  process.stdout.write(`${good ? "  ok   " : "  WRONG"} sdk: ${what}\n`)
  if (!good)
    process.stdout.write(`         found    ${JSON.stringify(found)}\n         expected ${JSON.stringify(expected)}\n`)
}

/** A package of this folder: not there when the types of this file are checked. */
async function packageOf<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(createRequire(import.meta.url).resolve(name)).href)) as T
}

/** A model of the AI SDK's third specification, which `ai` 6 takes: it makes the calls one by one, then ends. */
function scriptedModel(calls: readonly { readonly toolName: string; readonly input: object }[]): object {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  let at = 0
  return {
    specificationVersion: "v3",
    provider: "scripted",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => {
      const call = calls[at++]
      return Promise.resolve({
        content:
          call === undefined
            ? [{ type: "text", text: "Done." }]
            : [{ type: "tool-call", toolCallId: `call-${at}`, ...call, input: JSON.stringify(call.input) }],
        finishReason: call === undefined ? { unified: "stop" } : { unified: "tool-calls" },
        usage,
        warnings: [],
      })
    },
  }
}

const folder = mkdtempSync(join(tmpdir(), "galley-sdk-"))
const root = join(folder, "work")
const file = join(root, "a.txt")
const text = (): string => readFileSync(file, "utf8")
const stop = await startFakeModel(port, join(folder, "model"))
try {
  mkdirSync(root)
  writeFileSync(file, "one\ntwo\n")
  const workspace = await openWorkspace({ root, home: join(folder, "home"), config: resolveConfig([]), env: realEnv() })
  const scripted = (turns: readonly unknown[]): string => `Do it. @@SCRIPT ${JSON.stringify([...turns, "Done."])} @@END`

  const { default: Anthropic } = await packageOf<{
    default: new (options: { baseURL: string; apiKey: string }) => AnthropicClient
  }>("@anthropic-ai/sdk")
  const client = new Anthropic({ baseURL: `http://127.0.0.1:${port}`, apiKey: "dummy" })
  const shown: string[] = []
  const t = "str_replace_based_edit_tool"
  const message = await converse(
    client,
    workspace,
    proposal => {
      shown.push(proposal.fileDiff)
      return Promise.resolve({ allow: !proposal.newContent.includes("NO") })
    },
    "anthropic",
    scripted([
      [{ t, a: { command: "view", path: file } }],
      [{ t, a: { command: "str_replace", path: file, old_str: "one", new_str: "ONE" } }],
      [{ t, a: { command: "str_replace", path: file, old_str: "two", new_str: "NO" } }],
    ]),
  )
  check("Anthropic's SDK: allowed is written, denied is not", text(), "ONE\ntwo\n")
  check("Anthropic's SDK: each edit was shown before", shown.length, 2)
  await workspace.as({ actor: "person" }).rewind({ message })
  check("Anthropic's SDK: its message can be taken back", text(), "one\ntwo\n")

  const ai = await packageOf<
    AiSdk<unknown, unknown> & {
      generateText(options: object): Promise<{ readonly text: string }>
      stepCountIs(steps: number): unknown
    }
  >("ai")
  const answer = await ai.generateText({
    model: scriptedModel([
      { toolName: "str_replace_editor", input: { command: "str_replace", path: file, old_str: "two", new_str: "TWO" } },
      { toolName: "bash", input: { command: "sed -i s/one/1/ a.txt" } },
    ]),
    tools: galleyTools(ai, workspace, "vercel"),
    stopWhen: ai.stepCountIs(8),
    prompt: "Do it.",
  })
  check("Vercel AI SDK: its loop ends with the model's words", answer.text, "Done.")
  check("Vercel AI SDK: both tools wrote", text(), "1\nTWO\n")
  const { operations } = await workspace.as({ actor: "person" }).operations({})
  check(
    "Vercel AI SDK: captured as what they are",
    operations.filter(one => one.conversation === "vercel").map(one => one.capture),
    ["recorded", "simulated"],
  )
  await workspace.close()
} finally {
  stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
process.exit(wrong === 0 ? 0 : 1)
