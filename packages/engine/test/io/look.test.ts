import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { commandEnvironment } from "../../src/io/environment.ts"
import { lookBefore, type LookRequest, runBetweenLooks } from "../../src/io/look.ts"
import { type Stage, stage, told } from "./view-stage.ts"

const stages: Stage[] = []
afterAll(() => {
  for (const made of stages) made.end()
})

let count = 0
function request(made: Stage, more: Partial<LookRequest> = {}): LookRequest {
  return {
    root: made.root,
    atRisk: [],
    keep: { total: 1_000_000, file: 100_000 },
    walkLimit: 1_000,
    dependencyFolders: ["node_modules"],
    scratch: made.scratch,
    id: `l${count++}`,
    ...more,
  }
}

function outside(files: Readonly<Record<string, string>>): Stage {
  const made = stage("/var/tmp")
  stages.push(made)
  made.put(files)
  return made
}

/** A repository in which `a`, `b`, `d/x` and `run` are committed; what else is given is untracked or differs. */
function repository(files: Readonly<Record<string, string>> = {}): Stage {
  const made = outside({
    a: "one\n",
    b: "b\n",
    "d/x": "x\n",
    run: "#!/bin/sh\n",
    link: "-> a",
    ".gitignore": "*.log\nout/\n",
  })
  made.git("init", "-q")
  made.git("add", ".")
  made.git("commit", "-qm", "first")
  made.put(files)
  return made
}

/** Changes as lines, each with `recorded` (none shown) or `detected`. */
async function changes(made: Stage, command: string, more: Partial<LookRequest> = {}): Promise<readonly string[]> {
  const run = await runBetweenLooks({
    ...request(made, more),
    command,
    cwd: made.root,
    env: commandEnvironment(process.env, { HOME: made.home }),
    timeoutMs: 20_000,
    outputLimit: 10_000,
  })
  const lines = await Promise.all(
    run.changes.map(async change => (await told(change)) + (change.capture === "detected" ? " detected" : "")),
  )
  await run.close()
  expect(readdirSync(made.scratch)).toEqual([])
  return lines
}

const dirty = { b: "dirty\n", new: "n\n", "out/o": "ignored\n", "x.log": "log\n" }

describe("in a repository", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["true", []],
    ["echo two > a", ['a: "one\\n" => "two\\n"']],
    ["echo more >> b", ['b: "dirty\\n" => "dirty\\nmore\\n"']],
    ["echo more >> new", ['new: "n\\n" => "n\\nmore\\n"']],
    ["rm a b new", ['a: "one\\n" => -', 'b: "dirty\\n" => -', 'new: "n\\n" => -']],
    ["rm -r d", ['d/x: "x\\n" => -']],
    ["mkdir n; echo k > n/k", ['n/k: - => "k\\n"']],
    ["mv a c", ['a: "one\\n" => -', 'c: - => "one\\n" (from a)']],
    ["chmod 755 a", ['a: "one\\n" => "one\\n" 755']],
    ["chmod 600 b", ['b: "dirty\\n" => "dirty\\n" 600']],
    ["rm link; ln -s d link", ["link: -> a => -> d"]],
    ["rm a; mkdir a; echo i > a/i", ['a: "one\\n" => folder', 'a/i: - => "i\\n"']],
    ["touch a b new", []],
    ["cp b b2; cat b2 > b; rm b2", []],
    ["git checkout -q .", ['b: "dirty\\n" => "b\\n"']],
    ["git stash -q", ['b: "dirty\\n" => "b\\n"']],
    ["git clean -fdq", ['new: "n\\n" => -']],
    ["echo two > a; git add . ; git commit -qm second", ['a: "one\\n" => "two\\n"']],
    ["git rm -qf --cached a", []],
    ["echo q > 'sp ace'; echo r > $'new\\nline'", ['new\nline: - => "r\\n"', 'sp ace: - => "q\\n"']],
    ['t=$(stat -c %y a); echo two > a; touch -d "$t" a', ['a: "one\\n" => "two\\n"']],
    ["echo x >> out/o; echo y >> x.log", []],
  ]
  for (const [command, expected] of cases)
    test(command, async () => {
      const made = repository(dirty)
      made.git("config", "user.name", "T")
      made.git("config", "user.email", "t@example.invalid")
      expect(await changes(made, command)).toEqual(expected)
    })

  test("a same-size edit with a restored mtime is seen although git is told to trust neither ctime nor inode", async () => {
    const made = repository()
    made.git("config", "core.trustctime", "false")
    made.git("config", "core.checkStat", "minimal")
    expect(await changes(made, 't=$(stat -c %y a); printf "eno\\n" > a; touch -d "$t" a')).toEqual([
      'a: "one\\n" => "eno\\n"',
    ])
  })

  test("an edit made just after the index was written is seen", async () => {
    const made = repository()
    made.git("add", ".")
    expect(await changes(made, 'printf "eno\\n" > a')).toEqual(['a: "one\\n" => "eno\\n"'])
  })

  test("ignored files named in the command are kept and seen", async () => {
    const made = repository(dirty)
    expect(
      await changes(made, "echo 1 >> x.log; echo 2 >> out/o; rm nothing", { atRisk: ["x.log", "nothing"] }),
    ).toEqual(['x.log: "log\\n" => "log\\n1\\n" ignored'.replace(" ignored", "")])
  })

  test("what is too large to keep is detected, not made up", async () => {
    const made = repository({ big: "0123456789".repeat(30), small: "s" })
    expect(await changes(made, "echo >> big; rm small", { keep: { total: 100, file: 100 } })).toEqual([
      `big: ? => ${JSON.stringify(`${"0123456789".repeat(30)}\n`)} detected`,
      'small: "s" => -',
    ])
  })

  test("a file that git converts on checkout is detected, one whose line ends are its own is recorded", async () => {
    const made = repository()
    made.put({ ".gitattributes": "*.txt text eol=crlf\n*.id ident\n" })
    writeFileSync(join(made.root, "f.txt"), "l\r\n")
    writeFileSync(join(made.root, "f.id"), "$Id$\n")
    made.git("add", ".")
    made.git("commit", "-qm", "attributes")
    expect(await changes(made, "echo x > f.txt; echo y > f.id; echo z > a")).toEqual([
      'a: "one\\n" => "z\\n"',
      'f.id: ? => "y\\n" detected',
      'f.txt: ? => "x\\n" detected',
    ])
  })

  test("files that new rules uncover are not taken for new", async () => {
    const made = repository(dirty)
    expect(await changes(made, "echo > .gitignore")).toEqual([
      '.gitignore: "*.log\\nout/\\n" => "\\n"',
      'out/o: ? => "ignored\\n" detected',
      'x.log: ? => "log\\n" detected',
    ])
  })

  test("an unreadable file is never told to be absent, and does not hinder the rest", async () => {
    const made = repository({ closed: "c\n" })
    chmodSync(join(made.root, "closed"), 0)
    const run = await changes(made, "echo two > a; chmod 644 closed")
    expect(run[0]).toBe('a: "one\\n" => "two\\n"')
    expect(run[1]).toMatch(/^closed: (\?|"c\\n" 0) => "c\\n"/)
  })

  test("the index is not written, and an unmerged or missing one does not hinder", async () => {
    const made = repository(dirty)
    const key = (): unknown => {
      const stat = statSync(join(made.root, ".git/index"), { bigint: true })
      return [stat.ino, stat.mtimeNs, stat.ctimeNs]
    }
    utimesSync(join(made.root, "a"), 1, 1)
    const before = key()
    expect(await changes(made, "echo two > a")).toEqual(['a: "one\\n" => "two\\n"'])
    expect(key()).toEqual(before)
    expect(readdirSync(join(made.root, ".git")).filter(name => name.includes("lock"))).toEqual([])
    const unborn = outside({ f: "f\n" })
    unborn.git("init", "-q")
    expect(await changes(unborn, "echo g > f; echo h > h")).toEqual(['f: "f\\n" => "g\\n"', 'h: - => "h\\n"'])
    made.git("commit", "-qam", "main")
    made.git("switch", "-qc", "side", "HEAD~1")
    writeFileSync(join(made.root, "a"), "side\n")
    made.git("commit", "-qam", "side")
    expect(() => made.git("merge", "main")).toThrow()
    expect(await changes(made, "echo solved > a")).toEqual([`a: ${JSON.stringify(readConflict())} => "solved\\n"`])
    function readConflict(): string {
      return "<<<<<<< HEAD\nside\n=======\ntwo\n>>>>>>> main\n"
    }
  })

  test("a workspace that is a folder of the repository, and refs that move", async () => {
    const made = repository(dirty)
    const inner = join(made.root, "d")
    const run = await runBetweenLooks({
      ...request(made),
      root: inner,
      command:
        "echo y > x; echo z > z; echo w > ../a; git -c user.name=T -c user.email=t@example.invalid commit -qam s",
      cwd: inner,
      env: commandEnvironment(process.env, { HOME: made.home }),
      timeoutMs: 20_000,
      outputLimit: 1000,
    })
    expect(run.changes.map(change => change.path)).toEqual(["x", "z"])
    expect(run.refsMoved.map(move => move.ref)).toEqual(["refs/heads/main"])
    await run.close()
  })

  test("nested repositories and what git cannot see are named", async () => {
    const made = repository({ "n/f": "f\n" })
    execFileSync("git", ["init", "-q", join(made.root, "n")])
    const first = await lookBefore(request(made))
    const second = await first.again()
    await first.close()
    expect(second.unseen).toContain("the repository in n/")
  })
})

describe("outside a repository", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["true", []],
    ["echo two > a", ['a: "one\\n" => "two\\n"']],
    ["rm -r d", ['d/x: "x\\n" => -']],
    ["rm d/x", ['d/x: "x\\n" => -', "d: - => folder"].slice(0, 1)],
    ["mkdir -p n/m", ["n/m: - => folder"]],
    ["rmdir empty", ["empty: folder => -"]],
    ["echo i > empty/i", ['empty/i: - => "i\\n"']],
    ["chmod 700 empty", ["empty: folder => folder 700"]],
    ["mv a c", ['a: "one\\n" => -', 'c: - => "one\\n" (from a)']],
    ["mkfifo p", ["p: - => fifo"]],
    ['t=$(stat -c %y a); printf "eno\\n" > a; touch -d "$t" a', ['a: "one\\n" => "eno\\n"']],
    ["echo z > $'\\377'", ['\udcff: - => "z\\n"']],
    ["mkdir -p node_modules/x; echo > node_modules/x/y", []],
  ]
  for (const [command, expected] of cases)
    test(command, async () => {
      const made = outside({ a: "one\n", "d/x": "x\n", "empty/": "" })
      expect(await changes(made, command)).toEqual(expected)
    })

  test("beyond the limit it says so, and takes nothing for new or gone", async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`d${i}/f`, `${i}`]))
    const made = outside(files)
    const first = await lookBefore(request(made, { walkLimit: 40 }))
    execFileSync("sh", ["-c", "echo x > d0/f; rm d29/f; echo n > d28/n"], { cwd: made.root })
    const second = await first.again()
    await first.close()
    expect(second.changes.map(change => [change.path, change.capture])).toContainEqual(["d0/f", "recorded"])
    expect(second.changes.filter(change => change.before.kind === "absent")).toEqual([])
    expect(second.unseen).toContain("what lies beyond 40 entries")
  })
})

test("a workspace that its outer repository ignores is looked at all the same", async () => {
  const outer = repository({ "out/ws/a": "one\n" })
  const root = join(outer.root, "out/ws")
  const first = await lookBefore(request(outer, { root }))
  writeFileSync(join(root, "a"), "two\n")
  mkdirSync(join(root, "n"))
  const second = await first.again()
  expect(second.changes.map(change => change.path)).toEqual(["a", "n"])
  await first.close()
  expect(readFileSync(join(root, "a"), "utf8")).toBe("two\n")
})

test("a look can be repeated for a job that goes on", async () => {
  const made = repository()
  const first = await lookBefore(request(made))
  writeFileSync(join(made.root, "a"), "two\n")
  expect((await first.again()).changes.map(change => change.path)).toEqual(["a"])
  writeFileSync(join(made.root, "b"), "two\n")
  expect((await first.again()).changes.map(change => change.path)).toEqual(["a", "b"])
  await first.close()
})
