import type { RequestContext, RequestName } from "@galley/core/protocol/requests.ts"

/** One state-changing request, and the fixture it is made on. */
export interface Deed {
  readonly name: string
  readonly fixture: "plain" | "undone" | "old schema"
  readonly actor: "agent" | "person"
  readonly request: RequestName
  readonly params: Readonly<Record<string, unknown>>
  readonly context?: Partial<RequestContext>
  readonly config?: Readonly<Record<string, unknown>>
  /**
   * Changes the disk itself, before Galley looks: killed in between, what it did stands and is nobody's in the log. The next look takes it
   * for somebody else's; what was at risk is in the store.
   */
  readonly direct?: true
}

const edit = (input: Readonly<Record<string, unknown>>) => ({ tool: "str_replace_editor", input })
const shell =
  "mkdir -p gen/sub && printf 'made\\n' > gen/sub/out.txt && printf 'more\\n' >> plain.txt && rm mine/notes.txt && mv key.txt moved.txt && chmod 755 script.sh"

/** `WAITING`, `MESSAGE` and `HUNK` are replaced by what the fixture has. */
export const deeds: readonly Deed[] = [
  agent("create in new folders", edit({ command: "create", path: "new/x/y.txt", file_text: "a\nb\n" })),
  agent(
    "edit a mixed file",
    edit({ command: "str_replace", path: "mixed.txt", old_str: "line 12\n", new_str: "agent 12\n" }),
  ),
  agent(
    "edit a hard-linked file",
    edit({ command: "insert", path: "linked.txt", insert_line: 1, insert_text: "inserted\n" }),
  ),
  agent(
    "edit a large file",
    edit({ command: "str_replace", path: "large.txt", old_str: "row 700 ", new_str: "ROW 700 " }),
  ),
  agent("edit a 0600 file", edit({ command: "str_replace", path: "key.txt", old_str: "secret", new_str: "sacred" })),
  agent("propose, held", edit({ command: "create", path: "later.txt", file_text: "later\n" }), { review: "hold" }),
  agent("sed", { tool: "bash", input: { command: "sed -i 's/line 3$/sed 3/' mixed.txt plain.txt" } }),
  agent("run in a view", { tool: "bash", input: { command: shell } }),
  agent("run in a view, held", { tool: "bash", input: { command: shell } }, { review: "hold" }),
  {
    ...agent("run without a view", { tool: "bash", input: { command: shell } }),
    config: { "view.enabled": false },
    direct: true,
  },
  person("run", "run", { command: ["sh", "-c", shell] }),
  person("accept all", "accept", { all: true }),
  person("accept a hunk", "accept", { path: "mixed.txt", hunks: ["HUNK"] }),
  person("accept what is held", "accept", { path: "held.txt" }),
  person("accept a message", "accept", { message: "MESSAGE" }),
  person("reject all", "reject", { all: true, onConflict: "take-theirs" }),
  person("reject a hunk", "reject", { path: "mixed.txt", hunks: ["HUNK"] }),
  person("reject a deletion", "reject", { path: "gone.txt" }),
  person("write", "write", { path: "mixed.txt", text: "all of it anew\nline 2\n" }),
  person("write what is held", "write", { path: "held.txt", text: "held, by the person\n" }),
  person("allow", "answer", { id: "WAITING", decision: "allow" }),
  person("allow, edited", "answer", { id: "WAITING", decision: "allow", content: "asked, edited\n" }),
  person("deny", "answer", { id: "WAITING", decision: "deny", reason: "no" }),
  person("comment", "comment", { path: "mixed.txt", line: 2, text: "why?" }),
  person("mark", "mark", { path: "mixed.txt" }),
  person("message", "message", { text: "a new message" }),
  person("rewind", "rewind", { message: "MESSAGE", onConflict: "keep-mine" }),
  person("undo", "undo", {}),
  { ...person("redo", "redo", {}), fixture: "undone" },
  person("purge", "purge", { path: "decided.txt" }),
  person("gc", "gc", { keepDays: 0 }),
  { ...person("migrate", "message", { text: "after the migration" }), fixture: "old schema" },
]

function agent(name: string, params: Deed["params"], context: Partial<RequestContext> = {}): Deed {
  return { name, fixture: "plain", actor: "agent", request: "call", params, context }
}

function person(name: string, request: RequestName, params: Deed["params"]): Deed {
  return { name, fixture: "plain", actor: "person", request, params }
}
