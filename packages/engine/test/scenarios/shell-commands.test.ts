import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { five, stories } from "./stories.ts"
import { firstLine, told, until, views } from "./shell-ways.ts"

const story = stories()

/** The two ways to run where changes are applied at once: over a view, and directly between two looks. */
const ways = [
  ...(views ? [{ way: "view", capture: "previewed", config: {} }] : []),
  { way: "disk", capture: "recorded", config: { "view.enabled": false } },
] as const

afterAll(() => {
  // What a view leaves would be a mount, or a process with its folder in the command line.
  const ours = readdirSync("/proc")
    .filter(pid => /^\d+$/.test(pid) && pid !== String(process.pid))
    .filter(pid => text(`/proc/${pid}/cmdline`).includes(`run-${process.pid}-`))
  expect([ours, text("/proc/self/mounts").includes("galley-story-")]).toEqual([[], false])
})

function text(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

describe.each(ways)("over a $way", ({ way, capture, config }) => {
  const bin = new Uint8Array([0, 1, 2])
  const files = { "a.txt": five, "b.txt": "one\n", "d/c.txt": "one\nsee\n", "d/e/f.txt": "deep\n", bin }
  const cases: readonly (readonly [command: string, changes: string])[] = [
    ["perl -pi -e 's/one/ONE/' a.txt b.txt d/c.txt", "modify a.txt, modify b.txt, modify d/c.txt"],
    ["sed -i.bak s/one/1/ b.txt", "modify b.txt, create b.txt.bak"],
    ["echo x > new.txt", "create new.txt"],
    ["rm b.txt", "delete b.txt"],
    ["mv b.txt moved.txt", "delete b.txt, rename moved.txt"],
    ["mv d dd", "delete d/c.txt, delete d/e/f.txt, rename dd/c.txt, rename dd/e/f.txt"],
    ["chmod +x a.txt", "mode a.txt"],
    ["ln -s a.txt link", "symlink link"],
    ["printf '\\000\\377' > bin", "modify bin"],
    ["rm b.txt && mkdir b.txt && echo y > b.txt/y", "folder b.txt, create b.txt/y"],
    ["echo half >> a.txt; exit 3", "modify a.txt"],
  ]
  test.each(cases)("labels are true, and all is taken back: %s", async (command, changes) => {
    const s = await story({ git: true, files, config })
    expect(await told(s, await s.agent().bash(command))).toBe(`${capture}/${capture}: ${changes}`)
    const { messages } = await s.person.log({})
    await s.person.rewind({ message: messages.at(-1)?.id ?? "" })
    for (const [path, content] of Object.entries(files))
      expect(Buffer.from(readFileSync(join(s.root, path))).equals(Buffer.from(content)), path).toBe(true)
    expect(s.mode("a.txt")).toBe("644")
    expect([s.read("new.txt"), s.read("moved.txt"), s.read("dd/c.txt")]).toEqual([null, null, null])
    // Two looks do not tell an empty folder from none, so a folder that came into being between them stays.
    if (way === "view") expect([existsSync(join(s.root, "dd")), existsSync(join(s.root, "d"))]).toEqual([false, true])
  })

  test("S67 touch, opening for writing and the same bytes again are no change; descriptor 3 is the command's", async () => {
    const s = await story({ git: true, files, config })
    const result = await s
      .agent()
      .bash("touch a.txt; : >> b.txt; cp d/c.txt x && cat x > d/c.txt && rm x; exec 3<>a.txt")
    expect([result.changes, await s.pending(), s.read("a.txt")]).toEqual([[], [], five])
  })

  test.each([
    ["touch -r a.txt keep && perl -pi -e s/one/eno/ a.txt && touch -r keep a.txt && rm keep"],
    [`python3 -c "import mmap;f=open('a.txt','r+b');m=mmap.mmap(f.fileno(),0);m[0:3]=b'ONE';m.flush()"`],
  ])("S74 seen: %s", async command => {
    const s = await story({ git: true, files, config })
    expect((await s.agent().bash(command)).changes.map(change => change.path)).toEqual(["a.txt"])
  })

  test("S61 what was changed when the time was up, or when a signal came, is kept and said", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    const input = { command: "echo early >> a.txt; sleep 300 & sleep 300", timeout_ms: 1500 }
    const late = await agent.requests.call({ tool: "bash", input })
    expect([late.error?.code, late.changes.map(change => change.path)]).toEqual(["TIMEOUT", ["a.txt"]])
    expect(s.read("a.txt")).toBe(`${five}early\n`)
    const killed = await agent.bash("echo x >> b.txt; kill -9 $$")
    expect([killed.exitCode, killed.changes.map(change => change.path)]).toEqual([137, ["b.txt"]])
  })

  test("S71 a command deletes its folder: the next one is not run and told so, the one after runs", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    await agent.bash("cd d/e; X=1")
    expect(firstLine(await agent.bash('echo "$(basename "$PWD") [$X]"'))).toBe("e []")
    await agent.bash("rm -rf ../../d")
    expect(existsSync(join(s.root, "d"))).toBe(false)
    const refused = await agent.bash("rm -rf *")
    expect([refused.ok, refused.capture, s.read("a.txt")]).toEqual([false, "none", five])
    expect(firstLine(await agent.bash("pwd"))).toBe(s.root)
  })

  test("output: in order, inert, bounded with a notice; nothing waits for a person", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    const said = await agent.bash("echo 1; echo 2 >&2; echo 3; printf '\\033]0;x\\007\\377\\n' >&2")
    expect(said.text.split("\n").slice(0, 4)).toEqual(["1", "2", "3", "\\e]0;x\\x07\ufffd"])
    const long = await agent.bash("seq 1 100000")
    expect(long.text.length).toBeLessThan(31_000)
    expect(long.text).toMatch(/^1\n2\n[^]*\[… \d+ bytes left out …\][^]*\n100000(\n\[.*\])?$/)
    expect(firstLine(await agent.bash('read x; echo "[$x]"; cat'))).toBe("[]")
    expect((await agent.bash("if then (")).exitCode).toBe(2)
  })

  test.each(["git clean -fdxq", "git checkout -q .", "git stash -q", "git reset -q --hard"])(
    "S73 %s is taken back",
    async command => {
      const s = await story({ git: true, files, config })
      s.write("a.txt", "mine, not committed\n")
      s.write("untracked.txt", "mine too\n")
      const agent = s.agent()
      const message = await agent.message("m")
      await agent.bash(command)
      await s.person.rewind({ message })
      expect([s.read("a.txt"), s.read("untracked.txt")]).toEqual(["mine, not committed\n", "mine too\n"])
    },
  )

  test.skipIf(way === "disk")("S68 the mode of a large file alone", async () => {
    const s = await story({ git: true, files, config })
    s.write("large", "")
    truncateSync(join(s.root, "large"), 20_000_000)
    const result = await s.agent().bash("chmod 700 large")
    expect(result.changes).toEqual([{ path: "large", kind: "mode" }])
  })

  test("a commit by an agent accepts nothing, and the log tells from where to where its branch went", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    await agent.replace("a.txt", "one", "ONE")
    const before = s.git("rev-parse", "HEAD").slice(0, 10)
    await agent.bash("git -c user.name=A -c user.email=a@example.invalid commit -qam x")
    const after = s.git("rev-parse", "HEAD").slice(0, 10)
    expect((await s.pending()).map(file => file.path)).toEqual(["a.txt"])
    const last = (await s.person.operations({ limit: 1 })).operations.at(-1)
    expect(last?.remark).toContain(`refs/heads/main moved from ${before} to ${after}`)
  })

  test("S62 a background job's writes are the job's, noticed, until it ends", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    const command = "echo first > job.txt; echo says; while ! [ -e go ]; do sleep 0.05; done; echo last >> a.txt"
    const started = await agent.requests.call({ tool: "bash", input: { command, background: true } })
    expect([started.ok, started.capture]).toEqual([true, "detected"])
    await until(() => s.read("job.txt") === "first\n")
    expect((await agent.bash("galley-job output 1")).text).toBe("says\n\n[running]")
    s.write("go", "")
    await until(async () => (await agent.bash("galley-job list")).text.includes("ended with exit code 0"))
    await agent.bash("galley-job output 1")
    const byJob = (await s.person.operations({})).operations.filter(one => one.title?.startsWith("echo first"))
    expect(new Set(byJob.map(one => `${one.kind} ${one.actor} ${one.capture}`))).toEqual(
      new Set(["command agent detected"]),
    )
    expect(new Set(byJob.flatMap(one => one.paths))).toEqual(new Set(["a.txt", "go", "job.txt"]))
  })

  test("closing ends background jobs with their children", async () => {
    const s = await story({ git: true, files, config })
    const seconds = `4242${process.pid}`
    const command = `sleep ${seconds} & sleep ${seconds}`
    await s.agent().requests.call({ tool: "bash", input: { command, background: true } })
    await s.workspace.close()
    expect(spawnSync("pgrep", ["-f", `^sleep ${seconds}`], { encoding: "utf8" }).stdout).toBe("")
  })
})
