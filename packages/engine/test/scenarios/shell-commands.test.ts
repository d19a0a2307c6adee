import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync } from "node:fs"
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
    const folders = ["dd", "n", "d"].map(path => existsSync(join(s.root, path)))
    expect(folders).toEqual([false, false, true])
  })

  const folderCases: readonly (readonly [command: string, before: string, after: string])[] = [
    ["mkdir -p n/m", "", "n n/m"],
    ["mkdir -p n/m && echo x > n/m/f", "", "n n/m"],
    ["mkdir -p d/n/m && echo x > d/n/f", "", "d/n d/n/m"],
    ["mkdir e/n", "e", "e e/n"],
    ["echo x > e/f", "e", "e"],
    ["mv d n", "", "n n/e"],
    ["cp -a d n", "", "n n/e"],
    ["rm -r d", "", ""],
    ["rm d/e/f.txt", "", "d d/e"],
    ["rm -r d/e && mkdir d/e", "", "d d/e"],
  ]
  const allFolders = (root: string): string[] => {
    const words = [root, "-mindepth", "1", "-name", ".git", "-prune", "-o", "-type", "d", "-printf", "%P\\n"]
    return spawnSync("find", words, { encoding: "utf8" }).stdout.split("\n").filter(Boolean).sort()
  }
  test.each(folderCases)(
    "folders come and go with what is taken back and made again: %s",
    async (command, before, after) => {
      const s = await story({ git: true, files, config })
      const words = (text: string): string[] => text.split(" ").filter(Boolean)
      for (const folder of words(before)) mkdirSync(join(s.root, folder))
      const start = allFolders(s.root)
      const agent = s.agent()
      const message = await agent.message("m")
      await agent.bash(command)
      const gone = command.startsWith("rm -r d") || command.startsWith("mv d") ? ["d", "d/e"] : []
      const end = [...new Set([...start.filter(one => !gone.includes(one)), ...words(after)])].sort()
      expect(allFolders(s.root)).toEqual(end)
      await s.person.rewind({ message })
      expect(allFolders(s.root)).toEqual(start)
      await s.person.undo({})
      expect(allFolders(s.root)).toEqual(end)
    },
  )

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

  test("what a background job wrote is the job's also where an edit tool of any caller comes first", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    await agent.replace("a.txt", "one", "ONE")
    const job =
      "echo job >> a.txt; echo job >> b.txt; echo job > n.txt; touch there; while ! [ -e go ]; do sleep 0.05; done"
    await agent.requests.call({ tool: "bash", input: { command: job, background: true } })
    await until(() => s.read("there") === "")
    await agent.replace("a.txt", "two", "TWO")
    await s.agent("c2").replace("b.txt", "one", "ONE")
    await s.agent("c2").replace("n.txt", "job", "JOB")
    const { operations } = await s.person.operations({})
    const told = operations.map(one => `${one.actor} ${one.kind} ${[...one.paths].sort().join(" ")}`)
    expect(told.slice(1)).toEqual([
      "agent command a.txt b.txt n.txt there",
      "agent edit a.txt",
      "agent edit b.txt",
      "agent edit n.txt",
    ])
    await s.person.reject({ all: true })
    expect([s.read("a.txt"), s.read("b.txt"), s.read("n.txt")]).toEqual([files["a.txt"], files["b.txt"], null])
    s.write("go", "")
  })

  test.each([
    ["truncate -s 3G huge; echo x >> a.txt", "modify a.txt", /huge (was not kept|is on disk and cannot be reviewed)/],
    ["rm huge2; echo x >> a.txt", "modify a.txt", way === "view" ? /huge2 was left as it was/ : /^/],
    ["echo small > huge2; echo x >> a.txt", "modify a.txt", way === "view" ? /huge2 was left as it was/ : /^/],
  ])("a file too large to be kept does not cost the others: %s", async (command, changes, said) => {
    const s = await story({ git: true, files, config })
    s.write("huge2", "")
    truncateSync(join(s.root, "huge2"), 300_000_000)
    const result = await s.agent().bash(command)
    expect([
      result.ok,
      result.changes
        .filter(one => one.path === "a.txt")
        .map(one => `${one.kind} ${one.path}`)
        .join(),
    ]).toEqual([true, changes])
    expect(result.text).toMatch(said)
    expect(s.read("a.txt")).toBe(`${five}x\n`)
  })

  test("what is larger than any tool may edit is taken back all the same, and comes again", async () => {
    const s = await story({ git: true, files, config: { ...config, "file.maxBytes": 1024 } })
    await s.agent().bash("head -c 5000 /dev/zero > large")
    await s.person.reject({ path: "large" })
    expect(s.read("large")).toBeNull()
    await s.person.undo({})
    expect(s.read("large")?.length).toBe(5000)
    await s.person.accept({ path: "large" })
    expect(await s.pending()).toEqual([])
  })

  test.skipIf(way === "view")("processes that go on after a command are told of, as nobody watches them", async () => {
    const s = await story({ git: true, files, config })
    const agent = s.agent()
    const result = await agent.bash("sleep 3 & echo started")
    expect(result.remarks?.join()).toContain("go on; what they write from now on")
    expect((await agent.bash("sleep 0.01 | cat; echo done")).remarks?.join()).not.toContain("go on")
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
