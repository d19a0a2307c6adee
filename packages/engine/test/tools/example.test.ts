import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { converse } from "../../examples/edit-tool.ts"

test("the example does what the documentation says of it", async () => {
  const root = mkdtempSync(join(tmpdir(), "galley-example-"))
  try {
    const printed: string[] = []
    await converse(root, line => printed.push(line.replaceAll(root, "DIR")))
    expect(printed).toEqual([
      'about to change DIR/greet.py: null -> "def greet(name):\\n\\treturn \\"Hello \\" + name\\n"',
      "ok: Created DIR/greet.py.",
      'ok: DIR/greet.py, 3 lines\n     1\tdef greet(name):\n     2\t\treturn "Hello " + name\n     3\t',
      'about to change DIR/greet.py: "    return \\"Hello \\"" -> "    return \\"Hi \\""',
      'NO_MATCH: old_str "    return "Hello "" does not occur in DIR/greet.py. Nothing was changed.\n' +
        'The file has tabs where old_str has spaces. Real text:\n     2\t\treturn "Hello " + name',
      'about to change DIR/greet.py: "\\"Hello \\"" -> "\\"Hi \\""',
      "ok: Replaced text at line 2 of DIR/greet.py.",
      "ok: Inserted text at line 1 of DIR/greet.py.",
      'about to change DIR/yarn.lock: null -> ""',
      "DENIED: DIR/yarn.lock was not changed: lock files are generated",
    ])
    expect(readFileSync(join(root, "greet.py"), "utf8")).toBe(
      '# Says hello.\ndef greet(name):\n\treturn "Hi " + name\n',
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
