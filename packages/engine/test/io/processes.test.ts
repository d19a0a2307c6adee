import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { commandEnvironment } from "../../src/io/environment.ts"
import { type Job, startJob } from "../../src/io/jobs.ts"
import { type ProcessEnd, type ProcessRequest, runProcess } from "../../src/io/processes.ts"

const home = realpathSync(mkdtempSync(join(tmpdir(), "galley-proc-")))
afterAll(() => rmSync(home, { recursive: true, force: true }))

async function run(command: ProcessRequest["command"], more: Partial<ProcessRequest> = {}): Promise<ProcessEnd> {
  const env = commandEnvironment(process.env)
  return await runProcess({ command, cwd: home, env, timeoutMs: 20_000, outputLimit: 10_000, ...more })
}

function alive(text: string): boolean {
  return readdirSync("/proc").some(pid => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text)
    } catch {
      return false
    }
  })
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !condition(); tries++) await new Promise(resolve => setTimeout(resolve, 25))
  return condition()
}

describe("a command", () => {
  const cases: readonly (readonly [ProcessRequest["command"], string, Partial<ProcessEnd>])[] = [
    ["echo hi", "hi\n", { exitCode: 0, signal: null, cwd: home }],
    ["exit 3", "", { exitCode: 3 }],
    ["false", "", { exitCode: 1 }],
    ["kill -TERM $$", "", { exitCode: null, signal: "SIGTERM" }],
    ["no-such-program-here", "bash: line 1: no-such-program-here: command not found\n", { exitCode: 127 }],
    ["for i in 1 2 3; do echo out$i; echo err$i >&2; done", "out1\nerr1\nout2\nerr2\nout3\nerr3\n", {}],
    ["cat; echo after", "after\n", {}],
    ["read x; echo \"got '$x'\"", "got ''\n", {}],
    ["[ -t 0 ] || [ -t 1 ] || echo no terminal", "no terminal\n", {}],
    ['echo "$# $0"', "0 bash\n", {}],
    ["echo 'single \"double\"' \"\\$x\" $'tab\\t|'", 'single "double" $x tab\t|\n', {}],
    ["cat <<END\nhere\nEND", "here\n", {}],
    ["mkdir -p 'a b' && cd 'a b' && pwd", `${home}/a b\n`, { cwd: `${home}/a b` }],
    ["cd a\\ b; exit 5", "", { exitCode: 5, cwd: `${home}/a b` }],
    ["(cd a\\ b)", "", { cwd: home }],
    ["exec true", "", { exitCode: 0, cwd: null }],
    ["echo $PWD $GIT_TERMINAL_PROMPT $PAGER", `${home} 0 cat\n`, {}],
    [["printf", "%s|", "a b", "$HOME", "*", ""], "a b|$HOME|*||", { exitCode: 0, cwd: null }],
    [["false"], "", { exitCode: 1 }],
    ["printf '\\377\\303\\251'", "\ufffdé", {}],
    ["if", "", {}],
  ]
  for (const [command, output, end] of cases)
    test(typeof command === "string" ? command : command.join(" "), async () => {
      const done = await run(command)
      if (command !== "if") expect(done.output).toBe(output)
      else expect(done.output).toContain("syntax error")
      expect(done).toMatchObject({ timedOut: false, aborted: false, notStarted: null, ...end })
    })

  test("a working directory that is gone is said, and nothing is run", async () => {
    const done = await run("echo x", { cwd: join(home, "missing") })
    expect(done).toMatchObject({ exitCode: null, output: "" })
    expect(done.notStarted).toContain("missing")
    expect((await run(["/no/such/program"])).exitCode).toBe(127)
  })

  test("one that deletes its working directory ends as it does", async () => {
    mkdirSync(join(home, "gone"))
    const done = await run("rm -r ../gone; echo still", { cwd: join(home, "gone") })
    expect(done).toMatchObject({ exitCode: 0, output: expect.stringContaining("still") })
  })

  test("timeout ends the whole group, TERM first", async () => {
    const done = await run("trap 'echo asked; exit 9' TERM; sleep 87651 & wait", { timeoutMs: 300 })
    expect(done).toMatchObject({ timedOut: true, exitCode: 9, output: "asked\n" })
    expect(await until(() => !alive("87651"))).toBe(true)
  })

  test("who ignores TERM is killed", async () => {
    const done = await run("trap '' TERM; echo on; while :; do sleep 87652; done", { timeoutMs: 200 })
    expect(done).toMatchObject({ timedOut: true, signal: "SIGKILL", output: "on\n" })
    expect(await until(() => !alive("87652"))).toBe(true)
  })

  test("abort ends it, before the start too", async () => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 200)
    const done = await run("sleep 87653", { signal: abort.signal })
    expect(done).toMatchObject({ aborted: true, signal: "SIGTERM" })
    expect(await run("echo x", { signal: abort.signal })).toMatchObject({ aborted: true, output: "" })
    expect(await until(() => !alive("87653"))).toBe(true)
  })

  test("a background child that keeps the output open does not hold the end back", async () => {
    const done = await run("sleep 3 & echo done")
    expect(done).toMatchObject({ exitCode: 0, output: "done\n" })
  })

  test("output arrives while it runs, and is bounded", async () => {
    const pieces: string[] = []
    const done = await run("echo first; sleep 0.3; seq 100000; echo last", {
      onOutput: chunk => pieces.push(Buffer.from(chunk).toString()),
      outputLimit: 3_000,
    })
    expect(pieces[0]).toBe("first\n")
    expect(pieces.join("").length).toBe(done.outputBytes)
    expect(done.output.startsWith("first\n1\n2\n")).toBe(true)
    expect(done.output.endsWith("100000\nlast\n")).toBe(true)
    expect(done.output).toMatch(/\n\[… \d+ bytes left out …\]\n/)
    expect(done.output.length).toBeLessThan(3_100)
  })
})

describe("the environment of commands", () => {
  const from = {
    PATH: "/bin",
    HOME: "/home/p",
    ANTHROPIC_API_KEY: "k",
    OPENAI_API_KEY: "k",
    GEMINI_API_KEY: "k",
    CLAUDE_CODE_OAUTH_TOKEN: "k",
    GITHUB_TOKEN: "kept: git and gh need it",
    AWS_SECRET_ACCESS_KEY: "kept: the person's own tools need it",
    GIT_DIR: "/x",
    GIT_INDEX_FILE: "/x",
    GIT_AUTHOR_NAME: "A",
    GIT_EDITOR: "vi",
    BASH_ENV: "/x",
    NODE_OPTIONS: "--inspect",
    LD_PRELOAD: "/x",
    "BASH_FUNC_ls%%": "() { evil; }",
    GALLEY_TOKEN: "t",
    SSH_AUTH_SOCK: "/run/s",
  }

  test("is clean", () => {
    expect(commandEnvironment(from, { EXTRA: "e" })).toEqual({
      PATH: "/bin",
      HOME: "/home/p",
      GITHUB_TOKEN: from.GITHUB_TOKEN,
      AWS_SECRET_ACCESS_KEY: from.AWS_SECRET_ACCESS_KEY,
      GIT_AUTHOR_NAME: "A",
      GIT_EDITOR: "vi",
      SSH_AUTH_SOCK: "/run/s",
      PAGER: "cat",
      GIT_PAGER: "cat",
      GIT_TERMINAL_PROMPT: "0",
      TERM: "dumb",
      LANG: "C.UTF-8",
      EXTRA: "e",
    })
    expect(commandEnvironment({})["GIT_EDITOR"]).toBe("true")
  })
})

describe("a background job", () => {
  const jobs: Job[] = []
  afterAll(async () => {
    for (const job of jobs) await job.stop()
  })
  function start(command: string, outputLimit = 1_000): Job {
    const job = startJob({ command, cwd: home, env: commandEnvironment(process.env), outputLimit })
    jobs.push(job)
    return job
  }

  test("is read piece by piece and stopped with its children", async () => {
    const job = start("echo one; sleep 0.3; echo two; sleep 87654 & wait")
    await until(() => job.read(0).text === "one\n")
    const first = job.read(0)
    expect(first).toEqual({ text: "one\n", next: 4, lost: 0 })
    await until(() => job.read(first.next).text === "two\n")
    expect(job.read(first.next)).toEqual({ text: "two\n", next: 8, lost: 0 })
    expect(job.state()).toBeNull()
    expect(await job.stop()).toMatchObject({ signal: "SIGTERM" })
    expect(job.state()).toMatchObject({ signal: "SIGTERM" })
    expect(await until(() => !alive("87654"))).toBe(true)
  })

  test("ends by itself and keeps what it said", async () => {
    const job = start("echo out; exit 4")
    expect(await job.done).toEqual({ exitCode: 4, signal: null, notStarted: null })
    expect(job.read(0).text).toBe("out\n")
    expect(await job.stop()).toMatchObject({ exitCode: 4 })
  })

  test("keeps the last of a long output and says what was lost", async () => {
    const job = start("seq 1000")
    await job.done
    const { text, next, lost } = job.read(0)
    expect(next).toBe(3893)
    expect(lost).toBe(next - text.length)
    expect(text.endsWith("\n999\n1000\n")).toBe(true)
    expect(job.read(next)).toEqual({ text: "", next, lost: 0 })
  })

  test("that cannot start says why", async () => {
    const job = startJob({ command: "echo x", cwd: "/no/such", env: {}, outputLimit: 10 })
    expect((await job.done).notStarted).toContain("/no/such")
  })
})
