import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zstdCompressSync } from "node:zlib"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { temporaryFolder } from "../store/samples.ts"
import { tell } from "../story.ts"

test("a forged frame that says it holds 100 GB, and one that holds far more than it says, cost nothing and are damage", async () => {
  const folder = temporaryFolder()
  const store = await openSqliteStore({ folder })
  const [id = ""] = await store.putBlobs([{ bytes: new TextEncoder().encode("small and honest\n") }])
  await store.close()
  const head = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0])
  // RFC 8878 §3.1.1: magic, a descriptor with an eight-byte content size, a window, 10^11 bytes, an empty last block.
  const lying = Buffer.concat([
    head,
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xc0, 0x88]),
    Buffer.from(new BigUint64Array([100_000_000_000n]).buffer),
    Buffer.from([1, 0, 0]),
  ])
  const bomb = Buffer.concat([head, zstdCompressSync(Buffer.alloc(300_000_000))])
  for (const [frame, size] of [
    [lying, 17],
    [lying, 100_000_000_000],
    [bomb, 17],
  ] as const) {
    const db = new DatabaseSync(join(folder, "galley.db"))
    db.prepare("UPDATE blobs SET frame = ?, size = ?, stored = ? WHERE id = ?").run(
      frame,
      size,
      frame.length,
      Buffer.from(id, "hex"),
    )
    db.close()
    const again = await openSqliteStore({ folder })
    const before = process.memoryUsage().rss
    await expect(again.blob(id)).rejects.toMatchObject({ code: "STORE_FAILED" })
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
    expect((await again.check()).join()).toContain(id)
    await again.close()
  }
  expect(bomb.length).toBeLessThan(100_000)
})

test("huge inputs: too large a file is refused, a line of 5 MB and 100,000 lines are edited and reviewed", {
  timeout: 240_000,
}, async () => {
  const s = await tell({ config: { "file.maxBytes": 16 << 20 } })
  const agent = s.agent()
  writeFileSync(join(s.root, "huge.bin"), Buffer.alloc((16 << 20) + 1, 0x61))
  for (const input of [
    { command: "view" },
    { command: "str_replace", old_str: "a", new_str: "b" },
    { command: "insert", insert_line: 0, insert_text: "b" },
  ]) {
    const result = await agent.requests.call({ tool: "str_replace_editor", input: { path: "huge.bin", ...input } })
    expect(result.error?.code, JSON.stringify(input)).toMatch(/^(NOT_TEXT|BAD_ARGUMENT|DENIED)$/)
  }
  expect((await agent.create("also-huge.txt", "x".repeat((16 << 20) + 1))).ok).toBe(false)
  s.write("line.txt", `${"x".repeat(5_000_000)}needle\nshort\n`)
  expect((await agent.replace("line.txt", "needle\nshort", "found\nshort")).error).toBe(undefined)
  s.write("lines.txt", Array.from({ length: 100_000 }, (_, at) => `line ${at}\n`).join(""))
  expect((await agent.replace("lines.txt", "line 99998\n", "last but one\n")).error).toBe(undefined)
  const files = await s.pending()
  expect(files.map(file => [file.path, file.hunks.length])).toEqual([
    ["line.txt", 1],
    ["lines.txt", 1],
  ])
  expect((await s.person.diff({})).diff.length).toBeLessThan(11_000_000)
  await s.person.reject({ all: true })
  expect(
    createHash("sha256")
      .update(s.read("lines.txt") ?? "")
      .digest("hex"),
  ).toBe(
    createHash("sha256")
      .update(Array.from({ length: 100_000 }, (_, at) => `line ${at}\n`).join(""))
      .digest("hex"),
  )
  await s.end()
})

test("secrets of the surroundings are not handed to commands, nor may a command read Galley's own memory of them", async () => {
  const secrets = {
    ANTHROPIC_API_KEY: "sk-1",
    OPENAI_API_KEY: "sk-2",
    CLAUDE_CODE_OAUTH_TOKEN: "t-3",
    GALLEY_TOKEN: "t-4",
    BASH_ENV: "/tmp/evil",
    LD_PRELOAD: "/tmp/evil.so",
    NODE_OPTIONS: "--require=/tmp/evil",
    GIT_DIR: "/tmp/elsewhere",
  }
  const s = await tell({ env: { variables: { ...process.env, ...secrets } } })
  for (const config of ["env", "env; cat /proc/$PPID/environ | tr '\\0' '\\n' || true"]) {
    const { text } = await s.agent().bash(config)
    for (const [name, value] of Object.entries(secrets)) expect(text, name).not.toContain(`${name}=${value}`)
  }
  await s.end()
})
