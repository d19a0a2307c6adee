import { afterEach, expect, test } from "vitest"
import { converse as anthropic, type AnthropicBlock } from "../../examples/anthropic-text-editor.ts"
import { converse as bare } from "../../examples/bare-loop.ts"
import { galleyTools } from "../../examples/vercel-ai-sdk.ts"
import { tell, type Story } from "../story.ts"

let story: Story | null = null
afterEach(async () => {
  await story?.end()
  story = null
})

test("the bare loop does what it prints", async () => {
  story = await tell()
  const printed: string[] = []
  await story.workspace.close()
  await bare(story.root, story.home, line => printed.push(line))
  expect(printed).toEqual([
    "ok (recorded): greet.txt",
    "ok (simulated): greet.txt",
    "pending: greet.txt, 1 hunk",
    "rewound: greet.txt (write)",
    "pending: 0",
  ])
  expect(story.read("greet.txt")).toBe("Hello\nworld\n")
})

test("Claude's text editor is confirmed edit by edit, and its message can be taken back", async () => {
  story = await tell({ files: { "a.txt": "one\ntwo\n" } })
  const turns: AnthropicBlock[][] = [
    [
      { type: "tool_use", id: "u1", name: "e", input: { command: "view", path: "a.txt" } },
      {
        type: "tool_use",
        id: "u2",
        name: "e",
        input: { command: "str_replace", path: "a.txt", old_str: "one", new_str: "ONE" },
      },
    ],
    [
      {
        type: "tool_use",
        id: "u3",
        name: "e",
        input: { command: "insert", path: "a.txt", insert_line: 2, insert_text: "no\n" },
      },
    ],
    [
      {
        type: "tool_use",
        id: "u4",
        name: "e",
        input: { command: "str_replace", path: "a.txt", old_str: "x", new_str: "y" },
      },
    ],
    [{ type: "text", text: "done" }],
  ]
  const sent: string[] = []
  const client = {
    messages: {
      create: async (request: Readonly<Record<string, unknown>>) => {
        sent.push(JSON.stringify(request["messages"]))
        return await Promise.resolve({ stop_reason: null, content: turns.shift() ?? [] })
      },
    },
  }
  const message = await anthropic(
    client,
    story.workspace,
    async proposal =>
      await Promise.resolve({
        allow: proposal.newContent.includes("ONE") && !proposal.newContent.includes("no"),
        content: "ONE!\ntwo\n",
      }),
    "chat",
    "Shout",
  )
  expect(story.read("a.txt")).toBe("ONE!\ntwo\n")
  expect(sent.at(-1)).toContain("denied")
  expect(sent.at(-1)).toContain("does not occur")
  await story.person.rewind({ message })
  expect(story.read("a.txt")).toBe("one\ntwo\n")
})

test("the AI SDK's tools make calls of their conversation", async () => {
  story = await tell({ files: { "a.txt": "one\n" } })
  const sdk = {
    jsonSchema: (schema: unknown) => schema,
    dynamicTool: (tool: { execute: (input: unknown, options: { toolCallId: string }) => Promise<string> }) => tool,
  }
  const tools = galleyTools(sdk, story.workspace, "chat")
  expect(Object.keys(tools)).toEqual(["str_replace_editor", "bash"])
  await tools["bash"]?.execute({ command: "sed -i s/one/ONE/ a.txt" }, { toolCallId: "t1" })
  expect(story.read("a.txt")).toBe("ONE\n")
  const { operations } = await story.person.operations({})
  expect(operations.map(one => [one.conversation, one.capture])).toEqual([["chat", "simulated"]])
})
