import { expect, test } from "vitest"
import { withEntries, withoutEntries, type JsonEntry } from "../../src/hooks/install/edits.ts"

const entries: readonly JsonEntry[] = [
  { kind: "value", path: ["servers", "galley"], value: { command: "node", args: ["mcp"] } },
  { kind: "element", path: ["hooks", "Stop"], value: "ours", isOurs: value => value === "ours" },
]

/** `after` is the text with the entries; taking them out gives `before` again. */
function check(before: string, after: string): void {
  test(JSON.stringify(before), () => {
    expect(withEntries("f", before, entries)).toBe(after)
    expect(withoutEntries("f", after, entries)).toBe(before)
    expect(withEntries("f", after, entries)).toBe(after)
  })
}

check(
  '{\n  "a": 1 // why\n}\n',
  '{\n  "a": 1, // why\n  "servers": {\n    "galley": {\n      "command": "node",\n      "args": [\n        "mcp"\n      ]\n    }\n  },\n  "hooks": {\n    "Stop": [\n      "ours"\n    ]\n  }\n}\n',
)
check('{"a":[1,2]}', '{"a":[1,2], "servers": {"galley":{"command":"node","args":["mcp"]}}, "hooks": {"Stop":["ours"]}}')
check(
  '{\n\t"hooks": {\n\t\t"Stop": ["mine", "too",], // last\n\t},\n}\n',
  '{\n\t"hooks": {\n\t\t"Stop": ["mine", "too", "ours",], // last\n\t},\n\t"servers": {\n\t\t"galley": {\n\t\t\t"command": "node",\n\t\t\t"args": [\n\t\t\t\t"mcp"\n\t\t\t]\n\t\t}\n\t},\n}\n',
)
check(
  '{\r\n  "servers": { "other": {} },\r\n  "hooks": { "Stop": [ 1 /* one */ ] }\r\n  // end\r\n}',
  '{\r\n  "servers": { "other": {}, "galley": {"command":"node","args":["mcp"]} },\r\n  "hooks": { "Stop": [ 1, "ours" /* one */ ] }\r\n  // end\r\n}',
)
