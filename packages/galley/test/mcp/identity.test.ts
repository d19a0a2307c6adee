import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { identify } from "../../src/mcp/identity.ts"
import { foldersOf } from "../../src/mcp/roots.ts"

type Fields = Readonly<Record<string, unknown>>

/** What a call's `_meta` and the server's environment say together. */
function check(name: string, meta: Fields, variables: Readonly<Record<string, string>>, expected: Fields): void {
  it(name, () => expect(identify({ fallback: "own", variables }, meta)).toEqual(expected))
}

const turn = { session_id: "s", thread_id: "t", turn_id: "turn" }

it("behind the ACP proxy messages are the proxy's, whatever turn the client names", () => {
  const meta = { sessionId: "s", callId: "c", "x-codex-turn-metadata": { session_id: "s", turn_id: "turn" } }
  const connection = { fallback: "own", variables: {}, conversation: "acp", toldElsewhere: true }
  expect(identify(connection, meta)).toEqual({ conversation: "acp", callId: "c" })
})

describe("whose call it is", () => {
  check(
    "claude-code: session by environment, call by _meta",
    { "claudecode/toolUseId": "toolu" },
    { CLAUDE_CODE_SESSION_ID: "c" },
    {
      conversation: "c",
      callId: "toolu",
    },
  )
  check(
    "codex: session, turn and call by _meta",
    { sessionId: "s", threadId: "t", callId: "c", "x-codex-turn-metadata": turn },
    {},
    {
      conversation: "s",
      message: "turn",
      callId: "c",
    },
  )
  check(
    "codex: a sub-agent's thread is part of its session",
    { threadId: "sub", "x-codex-turn-metadata": turn },
    {},
    {
      conversation: "s",
      message: "turn",
    },
  )
  check(
    "codex: turn as JSON text",
    { "x-codex-turn-metadata": JSON.stringify(turn) },
    {},
    { conversation: "s", message: "turn" },
  )
  check("qwen-code: session by environment", { progressToken: 4 }, { QWEN_CODE_SESSION_ID: "q" }, { conversation: "q" })
  check("gemini, opencode: the connection", { progressToken: 4 }, {}, { conversation: "own" })
  check("cline: no _meta at all", undefined as unknown as Fields, {}, { conversation: "own" })
  check(
    "what is not text, or too long, is not said",
    { sessionId: 7, callId: "x".repeat(201), "x-codex-turn-metadata": "{" },
    { CLAUDE_CODE_SESSION_ID: "" },
    {
      conversation: "own",
    },
  )
  it("the command line beats them all", () => {
    const connection = { fallback: "own", variables: {}, conversation: "c", message: "m" }
    expect(identify(connection, { sessionId: "s", "x-codex-turn-metadata": turn })).toEqual({
      conversation: "c",
      message: "m",
    })
  })
})

describe("roots are folders of this machine or nothing", () => {
  const folders = (...uris: unknown[]): readonly string[] => foldersOf({ roots: uris.map(uri => ({ uri })) })
  it("decodes file URLs", () => expect(folders("file:///a%20b", "file:///c/")).toEqual(["/a b", "/c/"]))
  it("leaves out the rest", () =>
    expect(folders("https://x/y", "file://host/share", "file:///a%2fb", 7, "/c")).toEqual([]))
  it("takes no nonsense", () =>
    expect([null, 1, {}, { roots: 1 }, { roots: [null, {}] }].flatMap(foldersOf)).toEqual([]))
})

describe("what models cache", () => {
  it("is what it was", async () => {
    const { instructions, tools } = await import("../../src/mcp/tools.ts")
    const pinned = readFileSync(new URL("./tools.json", import.meta.url), "utf8")
    expect(`${JSON.stringify({ instructions, tools }, null, 2)}\n`).toBe(pinned)
  })
})
