import { existsSync, lstatSync, readlinkSync, rmSync, statSync, symlinkSync, linkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { five, stories } from "./stories.ts"

const story = stories()

test.each([
  ["sed -i", "sed -i s/one/ONE/ f"],
  ["perl -pi", "perl -pi -e s/one/ONE/ f"],
  ["> f", "printf 'ONE\\ntwo\\nthree\\nfour\\nfive\\n' > f"],
  ["tee", "printf 'ONE\\ntwo\\nthree\\nfour\\nfive\\n' | tee f"],
  ["patch", "printf -- '--- f\\n+++ f\\n@@ -1 +1 @@\\n-one\\n+ONE\\n' | patch -s f"],
  ["git apply", "printf -- '--- a/f\\n+++ b/f\\n@@ -1,2 +1,2 @@\\n-one\\n+ONE\\n two\\n' | git apply"],
  ["python", 'python3 -c \'p=open("f").read(); open("f","w").write(p.replace("one","ONE"))\''],
  ["mv over it", "sed s/one/ONE/ f > g && mv g f"],
])("S58 %s is reviewed as a block", async (_, command) => {
  const s = await story({ git: true, files: { f: five } })
  const result = await s.agent().bash(command)
  expect([result.text, result.exitCode ?? 0]).toEqual([result.text, 0])
  const files = await s.pending()
  expect(files.map(file => [file.path, file.hunks.map(hunk => [hunk.oldStart, hunk.oldLines, hunk.newLines])])).toEqual(
    [["f", [[1, 1, 1]]]],
  )
  await s.person.reject({ path: "f", hunks: ["1"] })
  expect(s.read("f")).toBe(five)
})

test("S59 sed -i through a symlink, a hard link and with a backup: shown is what it really does", async () => {
  const s = await story({ files: { target: five, h1: five, b: five } })
  symlinkSync("target", join(s.root, "link"))
  linkSync(join(s.root, "h1"), join(s.root, "h2"))
  const message = await s.agent().message("m")
  await s.agent().bash("sed -i s/one/ONE/ link")
  expect(lstatSync(join(s.root, "link")).isFile()).toBe(true)
  await s.agent().bash("sed -i s/one/ONE/ h1")
  expect([s.read("h1"), s.read("h2")]).toEqual([five.replace("one", "ONE"), five])
  await s.agent().bash("sed -i.bak s/one/ONE/ b")
  expect([s.read("b"), s.read("b.bak")]).toEqual([five.replace("one", "ONE"), five])
  await s.person.rewind({ message })
  expect([readlinkSync(join(s.root, "link")), s.read("target"), s.read("h1"), s.read("h2")]).toEqual([
    "target",
    five,
    five,
    five,
  ])
  expect([s.read("b"), existsSync(join(s.root, "b.bak"))]).toEqual([five, false])
})

test("S61 what a command had done when its time was over is captured", async () => {
  const s = await story({ files: { f: five } })
  const input = { command: "sed -i s/one/ONE/ f; sleep 60; sed -i s/two/TWO/ f", timeout_ms: 1500 }
  const result = await s.agent().requests.call({ tool: "bash", input })
  expect(result.error?.code).toBe("TIMEOUT")
  expect(s.read("f")).toBe(five.replace("one", "ONE"))
  expect((await s.pending()).map(file => file.path)).toEqual(["f"])
})

test("S67 a file that was opened, touched, or written as it was is nothing to review", async () => {
  const s = await story({ files: { f: five, g: five, h: five } })
  await s.agent().bash('touch f; cat g > g.new && cat g.new > g && rm g.new; python3 -c \'open("h", "r+").close()\'')
  expect(await s.pending()).toEqual([])
})

test("S68 a mode alone is shown as a mode, however large the file", async () => {
  const s = await story()
  s.write("big", `${"x".repeat(99)}\n`.repeat(50_000))
  await s.agent().bash("chmod 755 big")
  expect((await s.pending()).map(file => [file.path, file.kinds, file.hunks])).toEqual([["big", ["mode"], []]])
  await s.person.reject({ path: "big" })
  expect(statSync(join(s.root, "big")).mode & 0o777).toBe(0o644)
})

test("S70 two commands at once in one file: both changes, or the second is held as overtaken", async () => {
  const s = await story({ files: { f: five } })
  const [a, b] = await Promise.all([
    s.agent("a").bash("sleep 0.5; sed -i -e s/one/ONE/ f"),
    s.agent("b").bash("sleep 0.5; sed -i -e s/five/FIVE/ f"),
  ])
  expect([a.ok, b.ok]).toEqual([true, true])
  const [file] = await s.pending()
  const current = (await s.person.cat({ path: "f", side: "current" })).text ?? ""
  expect(file?.hunks.length).toBeGreaterThan(0)
  const both = `${current}${s.read("f") ?? ""}${(await s.person.diff({})).diff}`
  expect([both.includes("ONE"), both.includes("FIVE")]).toEqual([true, true])
})

test("S71 a command that deletes its folder leaves a session that goes on, and can be taken back", async () => {
  const s = await story({ files: { "d/f": five } })
  const agent = s.agent()
  await agent.bash("cd d")
  const message = await agent.message("m")
  await agent.bash("rm -r ../d")
  expect((await agent.bash("echo lost")).text).toContain("does not exist any more")
  expect((await agent.bash("echo still here")).text).toContain("still here")
  await s.person.rewind({ message })
  expect(s.read("d/f")).toBe(five)
})

test.each([["git clean -fdxq"], ["git checkout -q ."], ["git stash -q -u"], ["git reset -q --hard"]])(
  "S73 what %s by an agent does to the files can be taken back",
  async command => {
    const s = await story({ git: true, files: { f: five, ".gitignore": "*.log\n" } })
    s.write("f", five.replace("one", "mine"))
    s.write("new", "mine\n")
    s.write("deep/new", "mine\n")
    const message = await s.agent().message("m")
    const result = await s.agent().bash(command)
    expect(result.exitCode).toBe(0)
    await s.person.rewind({ message })
    expect([s.read("f"), s.read("new"), s.read("deep/new")]).toEqual([five.replace("one", "mine"), "mine\n", "mine\n"])
  },
)

test("S74 an edit of the same size with its time put back is seen, by mmap too", async () => {
  const s = await story({ git: true, files: { f: five, g: five } })
  await s
    .agent()
    .bash(
      "cp -p f ref; sed -i s/one/ONE/ f; touch -r ref f; rm ref; " +
        'python3 -c \'import mmap; h = open("g", "r+b"); m = mmap.mmap(h.fileno(), 0); m[0:3] = b"ONE"; m.close()\'',
    )
  expect((await s.pending()).map(file => file.path)).toEqual(["f", "g"])
})

test("a folder that a command removes and the person still uses is not lost", async () => {
  const s = await story({ files: { "d/f": five } })
  const message = await s.agent().message("m")
  await s.agent().bash("rm -r d")
  expect(existsSync(join(s.root, "d"))).toBe(false)
  s.write("d/mine", "mine\n")
  await s.person.rewind({ message })
  expect([s.read("d/f"), s.read("d/mine")]).toEqual([five, "mine\n"])
  rmSync(join(s.root, "d/mine"))
})
