/**
 * An agent loop of one's own over Galley, without any SDK: prompts begin messages, calls run, a person reviews, a message is rewound.
 *
 *     node packages/engine/examples/bare-loop.ts DIR HOME
 */
import { realEnv } from "@galley/engine/io/env.ts"
import { openWorkspace } from "@galley/engine/open.ts"
import { resolveConfig } from "@galley/engine/session/config.ts"

/** What the model would answer, one list of calls for each prompt. */
const script = [
  {
    prompt: "Write a greeting",
    calls: [
      { tool: "str_replace_editor", input: { command: "create", path: "greet.txt", file_text: "Hello\nworld\n" } },
    ],
  },
  { prompt: "Be louder", calls: [{ tool: "bash", input: { command: "sed -i 's/Hello/HELLO/' greet.txt" } }] },
]

export async function converse(root: string, home: string, print: (line: string) => void): Promise<void> {
  const workspace = await openWorkspace({ root, home, config: resolveConfig([]), env: realEnv() })
  const stop = workspace.onChange(() => {
    // A host would ask `status` again here and redraw.
  })
  try {
    const conversation = "example"
    const agent = workspace.as({ actor: "agent", conversation })
    const person = workspace.as({ actor: "person" })
    for (const { prompt, calls } of script) {
      await agent.message({ text: prompt, conversation })
      for (const call of calls) {
        const result = await agent.call(call)
        print(
          `${result.ok ? "ok" : "failed"} (${result.capture}): ${result.changes.map(change => change.path).join(", ")}`,
        )
      }
    }
    const { files } = await person.status({})
    print(`pending: ${files.map(file => `${file.path}, ${file.hunks.length} hunk`).join("; ")}`)
    const { messages } = await person.log({})
    const second = messages.find(message => message.title === "Be louder")
    const rewound = await person.rewind({ message: second?.id ?? "" })
    print(`rewound: ${rewound.steps.map(step => `${step.path} (${step.action})`).join(", ")}`)
    await person.accept({ all: true })
    print(`pending: ${(await person.status({})).files.length}`)
  } finally {
    stop()
    await workspace.close()
  }
}

if (import.meta.main)
  await converse(process.argv[2] ?? process.cwd(), process.argv[3] ?? `${process.cwd()}/.galley-example`, line =>
    console.log(line),
  )
