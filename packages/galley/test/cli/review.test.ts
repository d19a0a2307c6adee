/** `galley review`, and the question of `galley run`, through a real pseudo-terminal: the shipped program, as a person sits at it. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { statusSchema } from "@galley/core/protocol/results.ts"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"
import { sit, type Sitting } from "./pty.ts"
import { runReal } from "./in-process.ts"

let program: BuiltProgram
let place: Place
const sittings: Sitting[] = []
beforeAll(async () => {
  program = await builtProgram()
}, 120_000)
afterAll(() => program.remove())
beforeEach(() => {
  place = newPlace(program)
})
afterEach(() => {
  for (const sitting of sittings.splice(0)) sitting.kill("SIGKILL")
  place.remove()
})

const text = (path: string): string => readFileSync(join(place.work, path), "utf8")
const galley = (...words: readonly string[]) => runReal({ work: place.work, home: place.home }, words)
const pending = async (): Promise<string[]> =>
  statusSchema.parse((await galley("status", "--json")).json()).files.map(file => `${file.path} ${file.hunks.length}`)

function at(words: readonly string[], given: Parameters<typeof sit>[3] = {}): Sitting {
  const sitting = sit(program, place, words, given)
  sittings.push(sitting)
  return sitting
}

/** Three hunks in `f`, one in `g`; applied, or held. */
async function propose(review: "apply" | "hold" = "apply"): Promise<void> {
  writeFileSync(join(place.work, "f"), Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join(""))
  writeFileSync(join(place.work, "g"), "keep\nold\n")
  const script = "sed -i 's/^line 3$/line three/; s/^line 15$/fifteen\\nand a half/; 28d' f; printf 'keep\\nnew\\n' > g"
  await galley("run", "--review", review, "--", "sh", "-c", script)
  expect(await pending()).toEqual(["f 3", "g 1"])
}

/** Whatever happens, the terminal is left as it was found. */
function expectRestored(sitting: Sitting): void {
  expect([sitting.screen.alternate, sitting.screen.cursorHidden]).toEqual([false, false])
  expect(sitting.raw()).toContain("\u001b[?2004l")
}

describe("on the whole screen", () => {
  it("accepts, rejects, skips, undoes and quits; the terminal is as it was", async () => {
    await propose()
    const review = at(["review"])
    await review.see("hunk 1 of 4, file 1 of 2")
    expect([review.screen.alternate, review.screen.cursorHidden]).toEqual([true, true])
    expect(review.screen.text()).toContain("3    - line 3\n    3 + line three")
    review.type("y")
    await review.see("Accepted 1 hunk in f. u takes it back.")
    await review.see("hunk 1 of 3, file 1 of 2")
    review.type("n")
    await review.see("hunk 1 of 2, file 1 of 2")
    expect(text("f")).toContain("line 14\nline 15\nline 16")
    review.type("u")
    await review.see("hunk 1 of 3, file 1 of 2")
    expect(text("f")).toContain("line 14\nfifteen\nand a half\nline 16")
    review.type("jj")
    await review.see("hunk 3 of 3, file 2 of 2")
    review.type("q")
    expect(await review.ended()).toBe(0)
    expectRestored(review)
    await review.see("1 accepted, 1 rejected, 1 decision undone. 2 files are still pending.")
    expect(await pending()).toEqual(["f 2", "g 1"])
  }, 60_000)

  it("splits, chooses lines, edits in the person's editor, comments, searches", async () => {
    await propose("hold")
    const editor = join(place.folder, "editor.sh")
    writeFileSync(editor, '#!/bin/sh\ntest -t 0 && test -t 1 && printf "EDITED\\n" > "$1"\n')
    chmodSync(editor, 0o755)
    const review = at(["review"], { env: { EDITOR: editor } })
    await review.see("held: not on disk")
    review.type("/half\r")
    await review.see("+ and a half")
    review.type("s")
    await review.see(/hunk 2 of 4, file 1 of 2, part 1 of 2/)
    review.type("\u001b")
    review.type("v\u001b[B\u001b[By")
    await review.see("Accepted lines in f")
    expect(text("f")).toContain("line 15\nand a half\n")
    review.type("gcno digits\r")
    await review.see("The agent is told")
    await review.see("comment on line 3: no digits")
    review.type("e")
    await review.see("Edited: what you wrote is yours")
    await review.see("EDITED")
    review.type("y")
    await review.see("Accepted 1 hunk in f")
    expect(text("f").split("\n")[2]).toBe("EDITED")
    review.type("\u0003")
    expect(await review.ended()).toBe(0)
    expectRestored(review)
  }, 60_000)

  it("draws anew when the window is resized, also very small, and never wider than it", async () => {
    await propose()
    const review = at(["review"], { columns: 100, rows: 30 })
    await review.see("v lines")
    review.resize(32, 8)
    await review.see(screen => screen.includes("? help  q quit") && !screen.includes("v lines"))
    expect(review.screen.text()).toContain("- line 3\n+ line three")
    review.resize(80, 24)
    await review.see("3    - line 3")
    review.resize(10, 3)
    await review.see(screen => screen.split("\n").length === 3)
    review.type("q")
    expect(await review.ended()).toBe(0)
    expectRestored(review)
  }, 60_000)

  it("shows what others decide and change meanwhile, and refuses what is stale", async () => {
    await propose()
    const review = at(["review"])
    await review.see("hunk 1 of 4")
    const file = statusSchema.parse((await galley("status", "--json")).json()).files[0]
    await galley("accept", "f", "--hunk", file?.hunks[0]?.id ?? "")
    await review.see("What was shown was decided elsewhere.")
    await review.see("hunk 1 of 3")
    await galley("run", "--", "sh", "-c", "echo more >> g; echo x > h")
    await review.see("hunk 1 of 4, file 1 of 3")
    await galley("accept", "--all")
    await review.see("Nothing is pending.")
    review.type("q")
    expect(await review.ended()).toBe(0)
  }, 60_000)

  it("offers waiting calls first", async () => {
    writeFileSync(join(place.work, "f"), "old\n")
    const input = JSON.stringify({
      command: "str_replace",
      path: join(place.work, "f"),
      old_str: "old",
      new_str: "new",
    })
    const call = galley("call", "str_replace_editor", input, "--review", "ask", "--json")
    const review = at(["review"])
    await review.see("call 1 of 1 that waits for you")
    await review.see("+new")
    review.type("nkeep the old one\r")
    await review.see("Denied; it is taken back.")
    expect((await call).out).toContain("keep the old one")
    expect(text("f")).toBe("old\n")
    review.type("q")
    await review.ended()
  }, 60_000)

  it("asks whose text stays where both changed the same lines", async () => {
    await propose("hold")
    writeFileSync(join(place.work, "g"), "keep\nmine\n")
    const review = at(["review", "g"])
    await review.see("CONFLICT")
    await review.see("yours    | mine\n  proposed | new")
    review.type("y")
    await review.see("m: your text stays")
    review.type("t")
    await review.see("Nothing is pending.")
    expect(text("g")).toBe("keep\nnew\n")
    review.type("q")
    await review.ended()
  }, 60_000)

  for (const signal of ["SIGTERM", "SIGHUP", "SIGINT"])
    it(`puts the terminal back on ${signal}`, async () => {
      await propose()
      const review = at(["review"])
      await review.see("hunk 1 of 4")
      review.kill(signal)
      expect(await review.ended()).toBe(130)
      if (signal !== "SIGHUP") expectRestored(review)
      expect(await pending()).toEqual(["f 3", "g 1"])
    }, 60_000)

  it("does nothing with pasted text", async () => {
    await propose()
    const review = at(["review"])
    await review.see("hunk 1 of 4")
    review.type("\u001b[200~yyn\u001b[201~")
    await review.see("Pasted text is no command.")
    review.type("q")
    await review.ended()
    expect(await pending()).toEqual(["f 3", "g 1"])
  }, 60_000)

  it("has colours on a terminal, none with NO_COLOR, and names are inert", async () => {
    await propose()
    writeFileSync(join(place.work, "x\u001b[2Jy"), "a\n")
    await galley("run", "--", "sh", "-c", "printf 'b\\033]0;t\\007\\n' > \"$1\"", "sh", "x\u001b[2Jy")
    const colored = at(["review"])
    await colored.see("hunk 1 of 5")
    expect(colored.raw()).toMatch(/\u001b\[3[12]m/)
    colored.type("G")
    await colored.see("x\\x1b[2Jy")
    await colored.see("b\\x1b]0;t\\x07")
    const bare = at(["review"], { env: { NO_COLOR: "1" } })
    await bare.see("hunk 1 of 5")
    expect(bare.raw()).not.toMatch(/\u001b\[[0-9;]*m/)
  }, 60_000)
})

describe("plainly", () => {
  it("tells hunks in words, moves no cursor, and takes answers as lines", async () => {
    await propose()
    const review = at(["review"], { env: { TERM: "dumb" }, rows: 60 })
    await review.see("Hunk 1 of 4, file 1 of 2: f, line 3, 1 removed, 1 added.")
    await review.see("y accept, n reject, j skip, ? help:")
    review.type("accept\r")
    await review.see("Hunk 1 of 3, file 1 of 2: f, lines 15 to 16, 1 removed, 2 added.")
    review.type("c is half needed?\r")
    await review.see("The agent is told at its next contact.")
    review.type("/new\r")
    await review.see("Hunk 3 of 3, file 2 of 2: g")
    review.type("n\r")
    await review.see("Rejected 1 hunk in g")
    expect(text("g")).toBe("keep\nold\n")
    review.type("q\r")
    expect(await review.ended()).toBe(0)
    expect(review.raw()).not.toContain("\u001b")
  }, 60_000)

  it("gives the terminal to the editor, whole", async () => {
    await propose()
    const editor = join(place.folder, "editor.sh")
    writeFileSync(editor, '#!/bin/sh\necho editing; read -r typed; printf "%s\\n" "$typed" > "$1"\n')
    chmodSync(editor, 0o755)
    const review = at(["review", "--plain", "g"], { env: { VISUAL: editor }, rows: 60 })
    await review.see("? help:")
    review.type("edit\r")
    await review.see("editing")
    review.type("yes\r")
    await review.see("added 2, altered by you: yes")
    review.type("y\r")
    await review.see("Nothing is pending.")
    expect(text("g")).toBe("keep\nyes\n")
    review.type("q\r")
    await review.ended()
  }, 60_000)

  it("does not use an answer to what is no longer there", async () => {
    await propose()
    const review = at(["review", "--plain", "g"], { rows: 60 })
    await review.see("Hunk 1 of 1")
    await galley("accept", "g")
    review.type("n\r")
    await review.see("Your answer was not used.")
    expect(text("g")).toBe("keep\nnew\n")
    review.type("\u0004")
    expect(await review.ended()).toBe(0)
  }, 60_000)

  it("ends on Ctrl-C with everything left pending", async () => {
    await propose()
    const review = at(["review", "--plain"], { rows: 60 })
    await review.see("Hunk 1 of 4")
    review.type("\u0003")
    expect(await review.ended()).toBe(130)
    expect(await pending()).toEqual(["f 3", "g 1"])
  }, 60_000)

  it("reads answers from a pipe with --plain, and says what to do without", async () => {
    await propose()
    const piped = place.run(["review", "--plain"], { input: "y\nn\nq\n" })
    expect([piped.code, piped.out.includes("1 accepted, 1 rejected.")]).toEqual([0, true])
    const bare = place.run(["review"], { input: "" })
    expect([bare.code, bare.err.includes("--plain")]).toEqual([2, true])
  }, 60_000)
})

describe("the question of galley run", () => {
  const perl = ["run", "--", "perl", "-pi", "-e", "s/old/new/", "f"]
  beforeEach(() => writeFileSync(join(place.work, "f"), "old\n"))

  it("shows the diff, and accepts", async () => {
    const run = at(perl)
    await run.see("Keep these changes?")
    expect(run.screen.text()).toContain("-old\n+new")
    expect(text("f")).toBe("old\n")
    run.type("a\r")
    expect(await run.ended()).toBe(0)
    await run.see("Accepted: 1 file (f).")
    expect([text("f"), await pending()]).toEqual(["new\n", []])
  }, 60_000)

  it("rejects, with the command's own code", async () => {
    const run = at(["run", "--", "sh", "-c", "echo said; echo new > f; exit 6"])
    await run.see(/said[^]*Keep these changes\?/)
    run.type("?\r")
    await run.see("leave it pending")
    run.type("r\r")
    expect(await run.ended()).toBe(6)
    expect([text("f"), await pending()]).toEqual(["old\n", []])
  }, 60_000)

  it("leaves it pending on Ctrl-D, and on Ctrl-C", async () => {
    const first = at(perl)
    await first.see("Keep these changes?")
    first.type("\u0004")
    expect(await first.ended()).toBe(0)
    await first.see("Pending: galley review decides.")
    const second = at(["run", "--", "sh", "-c", "echo more >> f"])
    await second.see("Keep these changes?")
    second.type("\u0003")
    expect(await second.ended()).toBe(0)
    expect([text("f"), await pending()]).toEqual(["old\n", ["f 1"]])
  }, 60_000)

  it("leads into the review by hunk", async () => {
    const run = at(perl)
    await run.see("Keep these changes?")
    run.type("h\r")
    await run.see("hunk 1 of 1, file 1 of 1")
    run.type("y")
    await run.see("Nothing is pending.")
    run.type("q")
    expect(await run.ended()).toBe(0)
    expect(text("f")).toBe("new\n")
  }, 60_000)

  it("ends when somebody answers elsewhere", async () => {
    const run = at(perl)
    await run.see("Keep these changes?")
    const waiting = statusSchema.parse((await galley("status", "--json")).json()).waiting
    await galley("answer", waiting[0]?.id ?? "", "allow")
    expect(await run.ended()).toBe(0)
    expect(text("f")).toBe("new\n")
  }, 60_000)

  it("ends a command on Ctrl-C and keeps what it did pending", async () => {
    const run = at(["run", "--", "sh", "-c", "echo new > f; echo started; sleep 100"])
    await run.see("started")
    run.type("\u0003")
    expect(await run.ended()).toBe(143)
    expect([text("f"), await pending()]).toEqual(["old\n", ["f 1"]])
  }, 60_000)

  it("shows output as it comes, and obeys nothing of it", async () => {
    const run = at(["run", "--", "sh", "-c", "printf '\\033[2Jone\\033[31mred\\n'; sleep 100"])
    await run.see("\\x1b[2Jonered")
    run.kill("SIGTERM")
    await run.ended()
  }, 60_000)

  it("is not asked with --review apply", async () => {
    const run = at(["run", "--review", "apply", ...perl.slice(1)])
    expect(await run.ended()).toBe(0)
    expect(text("f")).toBe("new\n")
  }, 60_000)
})
