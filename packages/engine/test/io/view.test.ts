import { execFileSync, spawn } from "node:child_process"
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { homedir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readRefs } from "../../src/io/git-folder.ts"
import { commandEnvironment } from "../../src/io/environment.ts"
import { runProcess } from "../../src/io/processes.ts"
import type { ViewRequest } from "../../src/io/view.ts"
import { surveyWorkspace } from "../../src/io/view-copy.ts"
import { probeViews } from "../../src/io/view-probe.ts"
import { canBeNobody, nobody } from "../nobody.ts"
import { type Stage, stage } from "./view-stage.ts"

/** /var/tmp is on a disk; /tmp may be a tmpfs, and is covered in views, which is a case of its own. */
const stages: Stage[] = []
function fresh(files: Readonly<Record<string, string>> = {}, name?: string, under = "/var/tmp"): Stage {
  const made = stage(under, name)
  stages.push(made)
  made.put(files)
  return made
}

/** A folder that views do not cover with a private one. */
// Not below /tmp, which is a command's own in a view; a checkout may stand there.
const onDisk = [
  join(import.meta.dirname, "../../node_modules/.galley-test"),
  "/var/cache/galley-test",
  join(homedir(), ".galley-test"),
].find(folder => {
  try {
    return !folder.startsWith("/tmp/") && mkdirSync(folder, { recursive: true }) !== null
  } catch {
    return false
  }
})

const probe = fresh()
const support = await probeViews(join(probe.home, "probe"), "p")
const possible = support.kind === "available"
if (!possible) process.stdout.write(`skipped: views cannot be had here: ${support.reason}\n`)

const mountsBefore = ourMounts()
afterAll(() => {
  for (const made of stages) made.end()
  expect(ourMounts()).toEqual(mountsBefore)
})

function ourMounts(): readonly string[] {
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .filter(line => line.includes("galley-view-"))
}

/** Processes whose command line has a text. */
function processesWith(text: string): readonly string[] {
  return readdirSync("/proc").filter(pid => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(text)
    } catch {
      return false
    }
  })
}

async function gone(text: string): Promise<readonly string[]> {
  for (let tries = 0; tries < 100 && processesWith(text).length > 0; tries++) await new Promise(r => setTimeout(r, 50))
  return processesWith(text)
}

const small = { a: "one\n", "d/e/f": "x\n", "d/g": "g\n", run: "#!/bin/sh\n", link: "-> a" }

describe.skipIf(!possible)("a view tells what a command did", () => {
  let made: Stage
  beforeAll(() => {
    made = fresh(small)
  })

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["true", []],
    ["echo two > a", ['a: "one\\n" => "two\\n"']],
    ["echo more >> a; rm -f nothing", ['a: "one\\n" => "one\\nmore\\n"']],
    ["perl -pi -e 's/x/y/' d/e/f", ['d/e/f: "x\\n" => "y\\n"']],
    ["rm d/g", ['d/g: "g\\n" => -']],
    ["rm -r d", ['d/e/f: "x\\n" => -', 'd/g: "g\\n" => -']],
    ["rm -r d; mkdir d; echo q > d/q", ['d/e/f: "x\\n" => -', 'd/g: "g\\n" => -', 'd/q: - => "q\\n"']],
    ["rm -r d; mkdir -p d/e; echo q > d/e/f", ['d/e/f: "x\\n" => "q\\n"', 'd/g: "g\\n" => -']],
    ["mv d t; mkdir d; mv t/g d/g; rm -r t", ['d/e/f: "x\\n" => -']],
    ["rm -r d/e; mkdir d/e", ['d/e/f: "x\\n" => -']],
    ["mkdir -p n/m", ["n/m: - => folder"]],
    ["mkdir n; chmod 700 n", ["n: - => folder 700"]],
    ["chmod 700 d", ["d: folder => folder 700"]],
    ["chmod 600 a", ['a: "one\\n" => "one\\n" 600']],
    ["ln -sf d/g link", ["link: -> a => -> d/g"]],
    ["rm a; ln -s d a", ['a: "one\\n" => -> d']],
    ["rm link; echo file > link", ['link: -> a => "file\\n"']],
    ["rm a; mkdir a; echo in > a/b", ['a: "one\\n" => folder', 'a/b: - => "in\\n"']],
    ["rm -r d; echo file > d", ['d: folder => "file\\n"', 'd/e/f: "x\\n" => -', 'd/g: "g\\n" => -']],
    ["mkfifo pipe", ["pipe: - => fifo"]],
    ["printf '\\0\\377' > bin", ['bin: - => "\\u0000ÿ"']],
    ["cp a b; rm b; touch a d/g", []],
    ["cat a > copy; cat copy > a; rm copy", []],
    ["chmod 600 a; chmod 644 a", []],
    ["exec 3<>a; exec 3>&-", []],
    ["cp a a2; mv a2 a", []],
    ["mv d/g h", ['d/g: "g\\n" => -', 'h: - => "g\\n" (from d/g)']],
    [
      "mv d moved",
      [
        'd/e/f: "x\\n" => -',
        'd/g: "g\\n" => -',
        'moved/e/f: - => "x\\n" (from d/e/f)',
        'moved/g: - => "g\\n" (from d/g)',
      ],
    ],
    ["printf x > 'sp ace'; printf y > $'new\\nline'", ['new\nline: - => "y"', 'sp ace: - => "x"']],
    ["printf z > $'\\377'", ['\udcff: - => "z"']],
    ["mkdir .hidden && echo h > .hidden/h", ['.hidden/h: - => "h\\n"']],
    ["echo k >a; false", ['a: "one\\n" => "k\\n"']],
  ]
  for (const [command, expected] of cases)
    test(command, async () => {
      expect(await made.changes(command)).toEqual(expected)
      expect(made.text("a")).toBe("one\n")
      expect(readdirSync(made.scratch)).toEqual([])
    })

  test("a folder that moved is one line for display", async () => {
    const done = await made.run("mv d moved")
    expect(done.folderRenames).toEqual([{ from: "d", to: "moved", files: 2 }])
    await done.close()
  })

  test("exit code, output in order, the folder it ended in, and that it is a view", async () => {
    const done = await made.run("echo out; echo err >&2; echo out2; cd d; id -u; echo $GALLEY_VIEW; exit 7")
    expect(done).toMatchObject({ exitCode: 7, signal: null, timedOut: false, cwd: join(made.root, "d") })
    expect(done.output).toBe(`out\nerr\nout2\n${process.getuid?.() ?? 0}\n1\n`)
    await done.close()
  })

  test("what stands deeper than a path can lead does not cost the rest, and nothing is left of it", async () => {
    const deep = "x".repeat(100)
    const command = `echo two > a; for i in $(seq 60); do mkdir ${deep}; cd -P ${deep}; done; echo f > f`
    const done = await made.run(command)
    expect(done.changes.map(change => change.path)).toEqual(["a"])
    expect(done.remarks.join()).toContain("too deep")
    await done.close()
    expect(readdirSync(made.scratch)).toEqual([])
  })

  test("a reader that goes away ends who writes on, and nothing else", async () => {
    const gone = new AbortController()
    const onOutput = (): void => gone.abort()
    const writes = await made.run("echo w > w; yes", { readerGone: gone.signal, onOutput })
    expect([writes.exitCode, writes.timedOut, writes.changes.map(change => change.path)]).toEqual([141, false, ["w"]])
    await writes.close()
    const later = new AbortController()
    const more = { readerGone: later.signal, onOutput: () => later.abort() }
    const silent = await made.run("echo said; sleep 0.2; echo s > s", more)
    expect([silent.exitCode, silent.changes.map(change => change.path)]).toEqual([0, ["s"]])
    await silent.close()
  })

  test("an argument vector is run as it is, without a shell", async () => {
    const done = await made.run(["printf", "%s|", "$HOME", "a b", "'", "*"])
    expect(done.output).toBe("$HOME|a b|'|*|")
    await done.close()
  })

  test("nothing outside can be written but /tmp and caches, and /tmp is the command's own", async () => {
    const made = fresh({}, "ws", onDisk)
    const outside = join(made.home, "outside")
    writeFileSync(outside, "mine\n")
    const cache = join(made.home, "cache")
    const done = await made.run(
      `echo x > ../outside; echo x > ../new; echo t > /tmp/galley-view-t; cat /tmp/galley-view-t; echo c > ../cache/c`,
      { caches: [cache] },
    )
    expect(done.output).toContain("Read-only file system")
    expect(done.output.endsWith("t\n")).toBe(true)
    expect(done.outsideWrites).toBe("refused")
    await done.close()
    expect(readFileSync(outside, "utf8")).toBe("mine\n")
    expect([existsSync(join(made.home, "new")), existsSync("/tmp/galley-view-t")]).toEqual([false, false])
    expect(readFileSync(join(cache, "c"), "utf8")).toBe("c\n")
  })

  test("the store is out of reach, by name, by mount and by other processes", async () => {
    mkdirSync(join(made.home, "store"), { recursive: true })
    writeFileSync(join(made.home, "store/secret"), "s")
    const store = join(made.home, "store")
    const command = `ls -A ${store}; umount ${store}; umount -l ${made.root}; cat /proc/*/root${store}/secret; cat ${store}/secret; ls -A ${store}`
    const done = await made.run(command)
    expect(done.output).not.toMatch(/^s$/m)
    expect(done.output).toContain("No such file")
    await done.close()
    expect(readFileSync(join(store, "secret"), "utf8")).toBe("s")
  })

  test("a FIFO that nobody writes is told and not read", async () => {
    expect(await made.changes("mkfifo p1 && ln a hard && rm hard")).toEqual(["p1: - => fifo"])
  })
})

describe.skipIf(!possible)("pending text is what the command sees", () => {
  const bytes = (text: string): Uint8Array => Buffer.from(text)
  const file = (path: string, text: string, mode = 0o644) =>
    ({ path, state: { kind: "file", mode, bytes: bytes(text) } }) as const
  const gone = (path: string) => ({ path, state: { kind: "absent" } }) as const

  test("it compiles a source that is only pending", async () => {
    const made = fresh({ "src/main.c": "this is not C\n" })
    const pending = [
      file("src/main.c", '#include "n.h"\n#include <stdio.h>\nint main(void) { puts(N); return 0; }\n'),
      file("src/n.h", '#define N "pending"\n'),
    ]
    const done = await made.run("cc -o out src/main.c && ./out", { pending })
    expect(done.output).toBe("pending\n")
    expect(done.changes.map(change => change.path)).toEqual(["out"])
    await done.close()
    expect(made.text("src/main.c")).toBe("this is not C\n")
  })

  const pending = [file("a", "P\n"), file("new/n", "N\n"), gone("d/g"), file("run", "#!/bin/sh\necho hi\n", 0o755)]
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["true", []],
    ["cat a new/n; test ! -e d/g && ./run", []],
    ["echo Q > a", ['a: "P\\n" => "Q\\n"']],
    ["echo one > a", ['a: "P\\n" => "one\\n"']],
    ["rm a new/n", ['a: "P\\n" => -', 'new/n: "N\\n" => -']],
    ["rm -r new", ['new/n: "N\\n" => -']],
    ["echo g > d/g", ['d/g: - => "g\\n"']],
    ["rm -r d", ['d/e/f: "x\\n" => -']],
    ["mv new old", ['new/n: "N\\n" => -', 'old/n: - => "N\\n" (from new/n)']],
    ["touch a; chmod 644 a", []],
  ]
  for (const [command, expected] of cases)
    test(command, async () => {
      const made = fresh(small)
      expect(await made.changes(command, { pending })).toEqual(expected)
    })

  test("folders above pending files keep their looks", async () => {
    const made = fresh({ "deep/x/y": "1" })
    const done = await made.run("stat -c %a,%Y deep deep/x", { pending: [file("deep/x/z", "2")] })
    const plain = await made.run("stat -c %a,%Y deep deep/x")
    expect(done.output).toBe(plain.output)
    await done.close()
    await plain.close()
  })
})

describe.skipIf(!possible)("places", () => {
  for (const name of [
    "sp ace",
    "co:lon",
    "com,ma",
    "back\\slash",
    "new\nline",
    "quote'\"",
    "dash -o ro",
    "ключ",
    "$(x)`y`",
  ])
    test(`a workspace named ${JSON.stringify(name)}`, async () => {
      const made = fresh({ a: "one\n" }, name)
      expect(await made.changes("echo two > a; mkdir n; echo n > n/n")).toEqual([
        'a: "one\\n" => "two\\n"',
        'n/n: - => "n\\n"',
      ])
    })

  test("a workspace below /tmp, which the view covers", async () => {
    const made = fresh({ a: "one\n" }, "ws", "/tmp")
    const cache = join(made.home, "cache")
    expect(
      await made.changes("echo two > a; echo t > /tmp/galley-view-t; echo c > ../cache/c", { caches: [cache] }),
    ).toEqual(['a: "one\\n" => "two\\n"'])
    expect(existsSync("/tmp/galley-view-t")).toBe(false)
    expect(readFileSync(join(cache, "c"), "utf8")).toBe("c\n")
  })

  test("an ssh agent whose socket is in /tmp is reached", async () => {
    const made = fresh({}, "ws", "/tmp")
    const socket = join(made.home, "agent/socket")
    mkdirSync(join(made.home, "agent"))
    const server = createServer(connection => connection.end("hello")).listen(socket)
    await new Promise(resolve => server.once("listening", resolve))
    const client = `require("net").connect(process.env.SSH_AUTH_SOCK).pipe(process.stdout)`
    const env = commandEnvironment(process.env, { HOME: made.home, SSH_AUTH_SOCK: socket })
    const done = await made.run([process.execPath, "-e", client], { env })
    server.close()
    expect(done.output).toBe("hello")
    await done.close()
  })

  test("two views at once do not see each other", async () => {
    const made = fresh({ a: "one\n" })
    const [first, second] = await Promise.all([
      made.changes("echo first > a; sleep 0.2; cat a > copy"),
      made.changes("echo second > a; sleep 0.2; cat a > copy"),
    ])
    expect(first).toEqual(['a: "one\\n" => "first\\n"', 'copy: - => "first\\n"'])
    expect(second).toEqual(['a: "one\\n" => "second\\n"', 'copy: - => "second\\n"'])
  })

  test("what somebody else wrote meanwhile is marked", async () => {
    const made = fresh({ a: "one\n", b: "b\n", c: "c\n" })
    const running = made.changes("until grep -q person a; do sleep 0.05; done; echo agent > a; rm b; echo z > c")
    await new Promise(resolve => setTimeout(resolve, 300))
    writeFileSync(join(made.root, "a"), "person\n")
    expect(await running).toEqual(['a: "person\\n" => "agent\\n" !', 'b: "b\\n" => -', 'c: "c\\n" => "z\\n"'])
  })

  test("a file that somebody else made meanwhile is not taken for deleted", async () => {
    const made = fresh({ a: "one\n", "d/x": "x\n", "e/y": "y\n" })
    const running = made.changes(
      "ls d/new e/new; until grep -q person a; do sleep 0.05; done; echo w > d/w; rm -r e; mkdir e; echo v > e/v",
    )
    await new Promise(resolve => setTimeout(resolve, 400))
    made.put({ "d/new": "n\n", "e/new": "n\n", a: "person\n" })
    // Where somebody was in the folder, it is not certain that nothing stood there before.
    expect(await running).toEqual(['d/w: - => "w\\n" !', 'e/v: - => "v\\n" !', 'e/y: "y\\n" => -'])
  })

  test("a working directory that is only pending, and one that is not there", async () => {
    const made = fresh()
    const pending = [{ path: "in/x", state: { kind: "file", mode: 0o644, bytes: new Uint8Array() } }] as const
    const done = await made.run("pwd; ls", { cwd: join(made.root, "in"), pending })
    expect(done.output).toBe(`${made.root}/in\nx\n`)
    await done.close()
    await expect(made.run("true", { cwd: join(made.root, "missing") })).rejects.toThrow("working directory")
    expect(readdirSync(made.scratch)).toEqual([])
  })

  test("a command that deletes its working directory", async () => {
    const made = fresh({ "d/x": "x" })
    expect(await made.changes("rm -r ../d; echo still", { cwd: join(made.root, "d") })).toEqual(['d/x: "x" => -'])
  })
})

describe.skipIf(!possible)("an end is the end", () => {
  test("timeout tells what was changed up to there", async () => {
    const made = fresh({ a: "one\n" })
    const done = await made.run("echo two > a; sleep 98765", { timeoutMs: 500 })
    expect(done).toMatchObject({ timedOut: true, exitCode: 143 })
    expect(done.changes.map(change => change.path)).toEqual(["a"])
    await done.close()
    expect(await gone("98765")).toEqual([])
  })

  test("a command that ignores TERM, with a child in a session of its own", async () => {
    const made = fresh({ a: "one\n" })
    const done = await made.run("trap '' TERM; setsid sleep 98764 & echo two > a; while :; do sleep 98764; done", {
      timeoutMs: 300,
    })
    expect(done).toMatchObject({ timedOut: true, exitCode: null, signal: "SIGKILL" })
    expect(done.changes.map(change => change.path)).toEqual(["a"])
    await done.close()
    expect(await gone("98764")).toEqual([])
  })

  test("background children end with the command and write nothing more", async () => {
    const made = fresh({})
    const done = await made.run(
      "(setsid sh -c 'while :; do date > tick; sleep 0.01; done; : 98763' &) ; sleep 0.2; echo done",
    )
    expect(await gone("98763")).toEqual([])
    expect(done.output).toBe("done\n")
    await done.close()
  })

  test("abort", async () => {
    const made = fresh({})
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 300)
    const done = await made.run("sleep 98762", { signal: abort.signal })
    expect(done).toMatchObject({ aborted: true, timedOut: false })
    await done.close()
    expect(await gone("98762")).toEqual([])
  })

  test("kill -9 of the process that runs it leaves no process and no mount, and its folder is swept", async () => {
    const made = fresh({ a: "one\n" })
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "view-child.ts"), made.root, made.scratch, "sleep 98761"],
      {
        stdio: "inherit",
      },
    )
    for (let tries = 0; tries < 200 && processesWith("98761").length < 2; tries++)
      await new Promise(r => setTimeout(r, 50))
    await new Promise(r => setTimeout(r, 300))
    child.kill("SIGKILL")
    expect(await gone("98761")).toEqual([])
    expect(readdirSync(made.scratch).length).toBe(1)
    await probeViews(made.scratch, "q")
    expect(readdirSync(made.scratch)).toEqual([])
  })

  test("the view itself killed from outside is said, and nothing is left", async () => {
    const made = fresh({ a: "one\n" })
    const running = made.run("sleep 98760")
    for (let tries = 0; tries < 200 && processesWith("98760").length < 2; tries++)
      await new Promise(r => setTimeout(r, 50))
    for (const pid of processesWith("98760")) {
      try {
        process.kill(Number(pid), "SIGKILL")
      } catch {
        // Gone with another.
      }
    }
    await expect(running).rejects.toThrow("no view")
    expect(await gone("98760")).toEqual([])
    expect(readdirSync(made.scratch)).toEqual([])
  })
})

describe.skipIf(!possible)("git directories", () => {
  function repository(files: Readonly<Record<string, string>> = { a: "one\n" }): Stage {
    const made = fresh(files)
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-qm", "first")
    return made
  }
  const who = "git config user.name T; git config user.email t@example.invalid;"

  test("through: a commit is the agent's own, and its refs are told", async () => {
    const made = repository()
    const done = await made.run(`${who} echo two > a; git commit -qam second; git tag v1`, { git: "through" })
    expect(done.changes.map(change => change.path)).toEqual(["a"])
    expect(done.refsMoved.map(move => move.ref)).toEqual(["refs/heads/main", "refs/tags/v1"])
    expect(made.git("log", "--format=%s", "-1")).toBe("second")
    expect(made.text("a")).toBe("one\n")
    await done.close()
  })

  test("dropped: the same leaves the repository as it was, and is told", async () => {
    const made = repository()
    const before = await readRefs({ gitDir: join(made.root, ".git"), commonDir: join(made.root, ".git") })
    const done = await made.run(`${who} echo two > a; git commit -qam second; git status --short`)
    expect(done.exitCode).toBe(0)
    expect(done.changes.map(change => change.path)).toEqual(["a"])
    expect(done.remarks).toEqual(["git state not kept: accept first"])
    expect(done.refsMoved.map(move => move.ref)).toEqual(["refs/heads/main"])
    expect(await readRefs({ gitDir: join(made.root, ".git"), commonDir: join(made.root, ".git") })).toEqual(before)
    await done.close()
  })

  test("dropped: git add is told, git status is not", async () => {
    const made = repository()
    const added = await made.run("echo two > a; git add a")
    expect(added.remarks).toEqual(["git state not kept: accept first"])
    await added.close()
    const looked = await made.run("touch a; git status")
    expect(looked.remarks).toEqual([])
    await looked.close()
  })

  const destructive: readonly (readonly [string, readonly string[]])[] = [
    ["git checkout -q .", ['a: "dirty\\n" => "one\\n"']],
    ["git reset -q --hard", ['a: "dirty\\n" => "one\\n"']],
    ["git stash -q", ['a: "dirty\\n" => "one\\n"']],
    ["git clean -fdxq", ['u: "u\\n" => -']],
    ["git mv d e", ['d/x: "x\\n" => -', 'e/x: - => "x\\n" (from d/x)']],
  ]
  for (const [command, expected] of destructive)
    test(`dropped: ${command}`, async () => {
      const made = repository({ a: "one\n", "d/x": "x\n" })
      made.put({ a: "dirty\n", u: "u\n" })
      expect(await made.changes(`${who} ${command}`)).toEqual(expected)
      expect(made.text("a")).toBe("dirty\n")
    })

  test("through: a repository that the command makes is made, and one that it enters works", async () => {
    const made = fresh({ "old/x": "x\n" })
    const done = await made.run(`git init -q made; echo y > made/y; cd made; ${who} git add .; git commit -qm made`, {
      git: "through",
    })
    expect(done.changes.map(change => change.path)).toEqual(["made/y"])
    await done.close()
    made.put({ "made/y": "y\n" })
    expect(made.git("-C", "made", "log", "--format=%s")).toBe("made")
    expect(made.git("-C", "made", "status", "--short")).toBe("")
    const again = await made.run(`echo z > y; git commit -qam more`, { git: "through", cwd: join(made.root, "made") })
    await again.close()
    const far = await made.run(`echo w > made/y; git -C made commit -qam most; git -C made gc -q`, { git: "through" })
    await far.close()
    expect(made.git("-C", "made", "log", "--format=%s")).toBe("most\nmore\nmade")
    expect(made.git("-C", "made", "fsck")).toBe("")
  })

  test("a linked worktree: its repository outside is bound through, or its changes dropped", async () => {
    const made = repository()
    const tree = join(made.home, "tree")
    made.git("worktree", "add", "-q", "-b", "side", tree)
    const kept = made.git("rev-parse", "side")
    const dropped = await made.run(`${who} echo two > a; git commit -qam second`, { root: tree, cwd: tree })
    expect(dropped.exitCode).toBe(0)
    expect(dropped.remarks).toEqual(["git state not kept: accept first"])
    await dropped.close()
    expect(made.git("rev-parse", "side")).toBe(kept)
    const through = await made.run(`${who} echo two > a; git commit -qam second`, {
      root: tree,
      cwd: tree,
      git: "through",
    })
    expect(through.refsMoved.map(move => move.ref)).toEqual(["refs/heads/side"])
    await through.close()
    expect(made.git("log", "--format=%s", "side")).toBe("second\nfirst")
  })

  test("removing a nested repository does not remove its git directory", async () => {
    const made = fresh({ "n/x": "x\n" })
    made.git("init", "-q", "n")
    const done = await made.run("rm -rf n")
    expect(done.changes.map(change => change.path)).toEqual(["n/x"])
    expect(done.remarks).toEqual(["the git directory n/.git is still there: it is removed only by hand"])
    await done.close()
  })
})

describe.skipIf(!possible)("by-products", () => {
  const many = "mkdir -p node_modules/p; i=0; while [ $i -lt 300 ]; do echo $i > node_modules/p/$i; i=$((i+1)); done"

  test("a dependency folder is one line, and opens", async () => {
    const made = fresh({
      ".gitignore": "node_modules/\n*.log\n",
      "node_modules/p/1": "old\n",
      "node_modules/gone/x": "x\n",
    })
    made.git("init", "-q")
    const done = await made.run(`${many}; rm -r node_modules/gone; echo l > x.log; echo s > src`)
    expect(done.changes.map(change => [change.path, change.ignored])).toEqual([
      ["src", false],
      ["x.log", true],
    ])
    expect(done.byProducts.map(({ folder, paths, bytes }) => ({ folder, paths, bytes }))).toEqual([
      { folder: "node_modules", paths: 301, bytes: 1090 },
    ])
    const opened = (await done.byProducts[0]?.open()) ?? []
    expect(opened.length).toBe(301)
    expect(opened.find(change => change.path === "node_modules/gone/x")?.after.kind).toBe("absent")
    await done.close()
  })

  test("outside git a folder named as one of dependencies is a line too", async () => {
    const made = fresh({})
    expect(await made.changes(many)).toEqual(["node_modules/… 300"])
  })

  test("rules that the command itself writes count; files that git tracks are ordinary", async () => {
    const made = fresh({ "dist/kept": "k\n" })
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-qm", "x")
    expect(await made.changes("echo dist/ > .gitignore; echo m > dist/kept; echo n > dist/new")).toEqual([
      '.gitignore: - => "dist/\\n"',
      'dist/kept: "k\\n" => "m\\n"',
      "dist/… 1",
    ])
  })

  test("many ignored files in a folder that also has tracked ones are a line", async () => {
    const made = fresh({ ".gitignore": "dist/*\n!dist/kept\n", "dist/kept": "k\n" })
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-qm", "x")
    expect(await made.changes("for i in $(seq 99); do echo $i > dist/$i; done; echo m > dist/kept")).toEqual([
      'dist/kept: "k\\n" => "m\\n"',
      "dist/… 99",
    ])
  })

  test("deleting an ignored folder does not hide the files in it that git tracks", async () => {
    const made = fresh({ "dist/in/kept": "k\n", "dist/in/new": "n\n" })
    made.git("init", "-q")
    made.git("add", "dist/in/kept")
    made.put({ ".gitignore": "dist/\n" })
    expect(await made.changes("rm -r dist")).toEqual(['dist/in/kept: "k\\n" => -', "dist/… 1"])
  })

  test("deleting one is a line", async () => {
    const made = fresh({ ".gitignore": "out/\n", "out/a": "1", "out/b/c": "2" })
    made.git("init", "-q")
    expect(await made.changes("rm -r out")).toEqual(["out/… 1"])
  })

  test("a folder passed through is written for real and not told", async () => {
    const made = fresh({ "target/a": "1" })
    expect(await made.changes("echo 2 > target/a; echo 3 > b", { passThrough: ["target", "missing"] })).toEqual([
      'b: - => "3\\n"',
    ])
    expect(made.text("target/a")).toBe("2\n")
  })
})

describe.skipIf(!possible)("renaming a folder", () => {
  test("by a program that is not known to be local is reported", async () => {
    const made = fresh({ "d/x": "x\n" })
    const done = await made.run(`perl -e 'rename("d","e") or die "$!\\n"'`)
    expect(done.remarks.join()).toContain("EXDEV")
    expect(done.changes).toEqual([])
    await done.close()
  })

  test("git mv of a folder works up front", async () => {
    const made = fresh({ "in/d/x": "x\n", "in/d/sub/y": "y\n", a: "a" })
    made.git("init", "-q")
    made.git("add", ".")
    made.git("commit", "-qm", "x")
    const done = await made.run("cd in && git mv d 'e f'")
    expect(done).toMatchObject({ exitCode: 0, remarks: ["git state not kept: accept first"] })
    expect(done.changes.map(change => change.renamedFrom ?? "-")).toEqual(["-", "-", "in/d/sub/y", "in/d/x"])
    await done.close()
  })
})

describe.skipIf(!possible)("refused, with a reason and nothing left", () => {
  const refused: readonly (readonly [string, (made: Stage) => Partial<ViewRequest>, string])[] = [
    ["the whole disk", () => ({ root: "/", cwd: "/" }), "the whole disk is the workspace"],
    ["the home folder", made => ({ root: made.home, cwd: made.home }), "the home folder is the workspace"],
    [
      "what holds the home folder",
      () => ({ root: "/var/tmp", cwd: "/var/tmp" }),
      "the workspace holds the home folder",
    ],
    ["scratch inside", made => ({ scratch: join(made.root, "s") }), "Galley's own folder lies in the workspace"],
    ["/proc", () => ({ root: "/proc/self", cwd: "/" }), "the workspace is not on a disk"],
  ]
  for (const [name, more, reason] of refused)
    test(name, async () => {
      const made = fresh({})
      await expect(made.run("true", more(made))).rejects.toThrow(reason)
    })
})

const isRoot = process.getuid?.() === 0

/** Runs a command in a view as another user, in a process of its own. */
async function asNobody(made: Stage, command: string): Promise<unknown> {
  const child = join(import.meta.dirname, "view-child.ts")
  const run = await runProcess({
    command: [
      "setpriv",
      `--reuid=${nobody}`,
      `--regid=${nobody}`,
      "--clear-groups",
      process.execPath,
      child,
      made.root,
      join(made.home, "own"),
      command,
    ],
    cwd: "/",
    env: { PATH: process.env["PATH"] ?? "", HOME: made.home },
    timeoutMs: 60_000,
    outputLimit: 100_000,
  })
  return JSON.parse(run.output)
}

function give(folder: string, uid: number, gid: number): void {
  execFileSync("chown", ["-R", `${uid}:${gid}`, folder])
}

describe.skipIf(!possible || !canBeNobody)("as a user without any right", () => {
  test("a view works, made by the real user", async () => {
    const made = fresh(small)
    give(made.home, nobody, nobody)
    const done = await asNobody(
      made,
      "id -u; touch a; echo two > d/g; rm -r d/e; mkdir d/e; mv run d/run; stat -c %u d/run; touch /etc/x",
    )
    expect(done).toEqual({
      exitCode: 1,
      output: "65534\n65534\ntouch: cannot touch '/etc/x': Read-only file system\n",
      remarks: ["outside the workspace the disk is read-only in a view, but for /tmp (private) and caches"],
      foreignOwner: false,
      changes: [
        'd/e/f: "x\\n" => -',
        'd/g: "g\\n" => "two\\n"',
        'd/run: - => "#!/bin/sh\\n" 755 (from run)',
        'run: "#!/bin/sh\\n" 755 => -',
      ],
    })
    expect(readdirSync(join(made.home, "own"))).toEqual([])
  })

  test("a workspace with files of another group uses a private copy", async () => {
    const made = fresh({ ...small, "pipe/x": "x" })
    give(made.home, nobody, 12345)
    const done = await asNobody(
      made,
      "touch a; echo two > d/g; rm -r d/e; mkdir d/e; mkdir n; mv run d/run; chmod 600 pipe/x; rm link; ln -s d link",
    )
    expect(done).toEqual({
      exitCode: 0,
      output: "",
      remarks: ["ran over a private copy: files of other owners or groups stand in the workspace"],
      foreignOwner: false,
      changes: [
        'd/e/f: "x\\n" => -',
        'd/g: "g\\n" => "two\\n"',
        'd/run: - => "#!/bin/sh\\n" 755 (from run)',
        "link: -> a => -> d",
        "n: - => folder",
        'pipe/x: "x" => "x" 600',
        'run: "#!/bin/sh\\n" 755 => -',
      ],
    })
    expect(made.text("d/g")).toBe("g\n")
  })

  test("root over another user's workspace uses a private copy, unlike one of its own", async () => {
    const made = fresh(small)
    expect((await surveyWorkspace(made.root, [])).owners).toBe("own")
    give(made.root, 1234, 1234)
    expect((await surveyWorkspace(made.root, [])).owners).toBe("foreign")
    expect(await made.changes("echo two > a; rm -r d", { owners: "foreign" })).toEqual([
      'a: "one\\n" => "two\\n"',
      'd/e/f: "x\\n" => -',
      'd/g: "g\\n" => -',
    ])
  })

  test("a private copy tells as well what became of other names of a file", async () => {
    const made = fresh({ a: "one\n" })
    linkSync(join(made.root, "a"), join(made.root, "b"))
    const link = async (command: string): Promise<readonly string[]> => {
      const done = await made.run(command, { owners: "foreign" })
      await done.close()
      return done.changes.map(change => `${change.path} ${change.link}`)
    }
    expect([await link("sed -i s/one/two/ a"), await link("echo two > a")]).toEqual([
      ["a replaced"],
      ["a written", "b written"],
    ])
  })

  test("without the copy it is noticed", async () => {
    const made = fresh({ a: "one\n" })
    give(made.root, 0, 1234)
    const done = await made.run("echo two > a")
    expect(done).toMatchObject({ foreignOwner: true, changes: [] })
    await done.close()
  })
})

describe.skipIf(!possible || !isRoot)("mounts", () => {
  const mounted: string[] = []
  function mount(...args: readonly string[]): void {
    execFileSync("mount", args)
    mounted.push(args.at(-1) ?? "")
  }
  afterAll(() => {
    for (const path of mounted.reverse()) execFileSync("umount", [path])
  })

  test("with something mounted inside, a private copy is used", async () => {
    const made = fresh({ a: "one\n", "in/": "", f: "f\n" })
    mkdirSync(join(made.home, "other"))
    writeFileSync(join(made.home, "other/x"), "x\n")
    mount("--bind", join(made.home, "other"), join(made.root, "in"))
    mount("--bind", join(made.home, "other/x"), join(made.root, "f"))
    expect(await made.changes("ls in; echo two > a; echo y > in/y; rm in/x; echo g > f")).toEqual([
      'a: "one\\n" => "two\\n"',
      'f: "x\\n" => "g\\n"',
      'in/x: "x\\n" => -',
      'in/y: - => "y\\n"',
    ])
    expect(readdirSync(join(made.home, "other"))).toEqual(["x"])
  })

  test("a workspace that is itself on an overlay", async () => {
    const made = fresh({})
    for (const part of ["lower/d", "upper", "work"]) mkdirSync(join(made.home, part), { recursive: true })
    writeFileSync(join(made.home, "lower/d/x"), "x\n")
    const at = (part: string): string => join(made.home, part)
    mount(
      "-t",
      "overlay",
      "overlay",
      "-o",
      `lowerdir=${at("lower")},upperdir=${at("upper")},workdir=${at("work")}`,
      made.root,
    )
    writeFileSync(join(made.root, "a"), "one\n")
    expect(await made.changes("echo two > a; rm -r d; mkdir d; echo y > d/y")).toEqual([
      'a: "one\\n" => "two\\n"',
      'd/x: "x\\n" => -',
      'd/y: - => "y\\n"',
    ])
    expect(made.text("a")).toBe("one\n")
  })
})

test.skipIf(!possible)("symlinks out of the workspace are not followed to write outside", async () => {
  const made = fresh({})
  writeFileSync(join(made.home, "target"), "t")
  symlinkSync(join(made.home, "target"), join(made.root, "out"))
  expect(await made.changes("echo x > out")).toEqual([])
  expect(readFileSync(join(made.home, "target"), "utf8")).toBe("t")
})
