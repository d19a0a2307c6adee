/**
 * The edit tool alone, in an agent of one's own: no store, no review, no session. Run it on a folder of your choice:
 *
 *     node packages/engine/examples/edit-tool.ts DIR
 */
import { realEnv } from "@galley/engine/io/env.ts"
import { realFiles } from "@galley/engine/io/real-files.ts"
import type { IntentHandler } from "@galley/engine/session/intents.ts"
import { plainToolFiles } from "@galley/engine/session/plain-tool-files.ts"
import { createEditTool } from "@galley/engine/tools/edit-tool.ts"

export async function converse(root: string, print: (line: string) => void): Promise<void> {
  const files = await plainToolFiles({ files: realFiles(), env: realEnv(), root })
  const lockFilesAreGenerated: IntentHandler = intent =>
    intent.path.endsWith(".lock") ? { kind: "deny", reason: "lock files are generated" } : undefined
  const tool = createEditTool({ files, config: { expandTabsOnMutation: false }, intents: [lockFilesAreGenerated] })

  // To the model: tool.name, tool.description, tool.inputSchema. From it, one input after the other:
  const inputs = [
    { command: "create", path: `${files.root}/greet.py`, file_text: 'def greet(name):\n\treturn "Hello " + name\n' },
    { command: "view", path: `${files.root}/greet.py` },
    {
      command: "str_replace",
      path: `${files.root}/greet.py`,
      old_str: '    return "Hello "',
      new_str: '    return "Hi "',
    },
    { command: "str_replace", path: `${files.root}/greet.py`, old_str: '"Hello "', new_str: '"Hi "' },
    { command: "insert", path: `${files.root}/greet.py`, insert_line: 0, insert_text: "# Says hello." },
    { command: "create", path: `${files.root}/yarn.lock`, file_text: "" },
  ]
  for (const [at, input] of inputs.entries()) {
    for (const { path, oldText, newText } of tool.diffCards(input))
      print(`about to change ${path}: ${JSON.stringify(oldText)} -> ${JSON.stringify(newText)}`)
    const result = await tool.call(input, {
      conversation: "example",
      message: "first",
      callId: String(at),
      policy: "workspace-write",
    })
    print(`${result.ok ? "ok" : result.error?.code}: ${result.text}`)
  }
}

if (import.meta.main) await converse(process.argv[2] ?? process.cwd(), line => console.log(line))
