import { mkdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { probeViews } from "../../src/io/view-probe.ts"
import { five, stories } from "./stories.ts"

/** *Scope and ignores* of the scenarios, as far as commands are concerned. */
const story = stories()

const scratch = join("/var/tmp", `galley-scope-probe-${process.pid}`)
const support = await probeViews(scratch, "p")
rmSync(scratch, { recursive: true, force: true })
const views = support.kind === "available"
if (!views) process.stdout.write(`skipped: views cannot be had here: ${support.reason}\n`)

/** As configuration: over a view, and directly between two looks. */
const ways = views ? [{}, { "view.enabled": false }] : [{ "view.enabled": false }]

test.each(ways)("S41 an ignored file that a command names is captured (%j)", async config => {
  const s = await story({ git: true, files: { ".gitignore": ".env\n" }, config })
  s.write(".env", "KEY=old\n")
  const agent = s.agent()
  const message = await agent.message("m")
  const result = await agent.bash("perl -pi -e 's/old/new/' .env")
  expect(result.changes).toEqual([{ path: ".env", kind: "modify" }])
  await s.person.rewind({ message })
  expect(s.read(".env")).toBe("KEY=old\n")
})

test.each(ways)(
  "S43 a command that writes .gitignore: what it ignores from now on is not cleaned by a rewind (%j)",
  async config => {
    const s = await story({ git: true, files: { "a.log": "mine\n", f: five }, config })
    const agent = s.agent()
    const message = await agent.message("m")
    await agent.bash("echo '*.log' > .gitignore && echo more >> f")
    await s.person.rewind({ message })
    expect([s.read(".gitignore"), s.read("f"), s.read("a.log")]).toEqual([null, five, "mine\n"])
  },
)

test.skipIf(!views)(
  "S44 files of a nested repository that a command changes are items, its git directory is none",
  async () => {
    const s = await story({ git: true, files: { f: five } })
    mkdirSync(join(s.root, "nested"))
    s.git("init", "-q", "nested")
    s.write("nested/g", five)
    const agent = s.agent()
    const result = await agent.bash("cd nested && echo x >> g && git add g")
    expect(result.changes).toEqual([{ path: "nested/g", kind: "modify" }])
    expect((await s.pending()).map(file => file.path)).toEqual(["nested/g"])
  },
)

test.each(ways)(
  "S46 commit and checkout by an agent are on record with their refs, and a rewind moves none (%j)",
  async config => {
    const s = await story({ git: true, files: { f: five }, config })
    const agent = s.agent()
    const message = await agent.message("m")
    await agent.bash(
      "git checkout -qb topic && echo x >> f && git -c user.name=A -c user.email=a@example.invalid commit -qam x",
    )
    const head = s.git("rev-parse", "HEAD")
    const remark = (await s.person.operations({ limit: 1 })).operations.at(-1)?.remark ?? ""
    expect([remark.includes("refs/heads/topic moved from nothing to"), remark.includes("HEAD")]).toEqual([true, true])
    await s.person.rewind({ message })
    expect([s.read("f"), s.git("rev-parse", "HEAD"), s.git("rev-parse", "--abbrev-ref", "HEAD").trim()]).toEqual([
      five,
      head,
      "topic",
    ])
  },
)

test.each(ways)("S49 an unmerged index does not hinder a capture (%j)", async config => {
  const s = await story({ git: true, files: { f: five }, config })
  s.git("checkout", "-q", "-b", "other")
  s.write("f", five.replace("one", "1"))
  s.git("commit", "-qam", "1")
  s.git("checkout", "-q", "main")
  s.write("f", five.replace("one", "uno"))
  s.git("commit", "-qam", "uno")
  try {
    s.git("merge", "-q", "other")
  } catch {
    // The conflict is what is wanted.
  }
  const result = await s.agent().bash("echo x > new; echo y >> f")
  expect(result.changes.map(change => change.path)).toEqual(["f", "new"])
})

test.each(ways)("S50 files that a sparse checkout left out are not taken for deleted (%j)", async config => {
  const s = await story({ git: true, files: { "in/f": five, "out/g": five }, config })
  s.git("sparse-checkout", "set", "in")
  const result = await s.agent().bash("echo x >> in/f")
  expect(result.changes).toEqual([{ path: "in/f", kind: "modify" }])
})

test.skipIf(!views)("S53 a command cannot write outside the workspace, and is told so", async () => {
  const s = await story({ git: true, files: { f: five } })
  const outside = join(realpathSync(s.root), "..", "outside.txt")
  const result = await s.agent().bash(`echo x > ${outside}; echo y > /etc/galley-was-here; echo z >> f`)
  expect(result.text).toMatch(/Read-only file system[^]*outside the workspace the disk is read-only/)
  expect([s.read("../outside.txt"), read("/etc/galley-was-here"), s.read("f")]).toEqual([null, null, `${five}z\n`])
})

test.skipIf(!views)("D9 from inside a view the store is out of reach", async () => {
  const s = await story({ git: true, files: { f: five } })
  const agent = s.agent("c1", "hold")
  await agent.bash("echo x >> f")
  const looked = await agent.bash(`find ${s.home} -type f 2>/dev/null | head; echo x > ${s.home}/mine; ls -A ${s.home}`)
  expect(looked.text).not.toMatch(/\.db|aside|views/)
  expect(read(join(s.home, "mine"))).toBeNull()
  expect((await agent.bash('echo "$GALLEY_VIEW"')).text).toBe("1")
})

test("S52 D9 an agent cannot decide, in any mode", async () => {
  const s = await story({ git: true, files: { f: five } })
  const agent = s.agent("c1", "hold")
  await agent.replace("f", "one", "ONE")
  await expect(agent.requests.accept({ all: true })).rejects.toMatchObject({ code: "DENIED" })
})

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return null
  }
}
