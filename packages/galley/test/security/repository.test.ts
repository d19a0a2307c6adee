/** What a repository may hold to steer Galley, and that it steers nothing. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type BuiltProgram, builtProgram, newPlace, type Place } from "../program.ts"

let program: BuiltProgram
let place: Place
beforeAll(async () => {
  program = await builtProgram()
  place = newPlace(program)
})
afterAll(() => {
  place.remove()
  program.remove()
})

const call = (tool: string, input: object, ...words: readonly string[]) =>
  place.run(["call", tool, JSON.stringify(input), "--json", ...words]).json() as {
    ok: boolean
    text: string
    error?: { code: string }
  }

it("settings inside the workspace are files and nothing more", () => {
  const config = JSON.stringify({
    "review.mode": "apply",
    policy: "full-access",
    "review.accept": ["**"],
    "view.caches": ["/"],
  })
  for (const path of [
    "config.json",
    ".galley/config.json",
    ".galley.json",
    ".galley",
    "galley/config.json",
    ".config/galley/config.json",
  ]) {
    if (path === ".galley") continue
    mkdirSync(join(place.work, path, ".."), { recursive: true })
    writeFileSync(join(place.work, path), config)
  }
  writeFileSync(
    join(place.work, ".editorconfig"),
    `root = true\n[*.absurd]\ncharset = ${"x".repeat(5000)}\n[*.seven]\ncharset = utf-7\n[{{{{{{{{{{{{,}]\ncharset = utf-16le\n[${"*".repeat(3000)}a]\ncharset=latin1\n`,
  )
  const made = call("str_replace_editor", { command: "create", path: "a.txt", file_text: "a é\n" }, "--review", "hold")
  expect(made).toMatchObject({ ok: true })
  expect(existsSync(join(place.work, "a.txt")), "held: no setting of the repository accepted it").toBe(false)
  // A charset that nobody has, or that does not give the text back, is refused and never guessed.
  for (const path of ["a.absurd", "a.seven"]) {
    expect(call("str_replace_editor", { command: "create", path, file_text: "a é\n" })).toMatchObject({
      ok: false,
      error: { code: "NOT_TEXT" },
    })
    expect(existsSync(join(place.work, path))).toBe(false)
  }
  const status = place.run(["status", "--json"]).json() as { files: { path: string }[] }
  expect(status.files.map(file => file.path)).toContain("a.txt")
  expect(
    call("str_replace_editor", { command: "create", path: "b.txt", file_text: "b\n" }, "--policy", "read-only"),
  ).toMatchObject({ ok: false, error: { code: "DENIED" } })
})

it("an .editorconfig without end, or that is a device or a link outside, decides nothing and costs nothing", () => {
  writeFileSync(join(place.work, ".editorconfig"), "[*]\ncharset = utf-16le\n".repeat(200_000))
  expect(call("str_replace_editor", { command: "create", path: "c.txt", file_text: "c é\n" })).toMatchObject({
    ok: true,
  })
  expect(readFileSync(join(place.work, "c.txt"), "utf8")).toBe("c é\n")
})

it("git's configuration in the repository runs nothing: hooks, filters, monitors, pagers, aliases", {
  timeout: 180_000,
}, () => {
  const owned = join(place.folder, "owned")
  writeFileSync(
    join(place.work, ".git/config"),
    `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${owned}"\n\tpager = "touch ${owned}"\n\tsshCommand = "touch ${owned}"\n\thooksPath = hooks\n[filter "x"]\n\tclean = "touch ${owned}"\n\tsmudge = "touch ${owned}"\n\trequired = true\n[diff "x"]\n\texternal = "touch ${owned}"\n\ttextconv = "touch ${owned}"\n[alias]\n\tstatus = "!touch ${owned}"\n`,
  )
  writeFileSync(join(place.work, ".gitattributes"), "* filter=x diff=x\n")
  mkdirSync(join(place.work, "hooks"), { recursive: true })
  for (const name of ["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"])
    writeFileSync(join(place.work, "hooks", name), `#!/bin/sh\ntouch ${owned}\n`, { mode: 0o755 })
  call("str_replace_editor", { command: "create", path: "d.txt", file_text: "d\n" })
  place.run(["run", "--keep", "--", "sh", "-c", "echo e > e.txt"])
  place.run(["--set", "view.enabled=false", "run", "--keep", "--", "sh", "-c", "echo f > f.txt"])
  for (const words of [["status"], ["accept", "--all"], ["undo"], ["doctor"]]) place.run(words)
  expect(existsSync(owned)).toBe(false)
})

it("read-only holds for commands, with views and without: nothing of theirs stays", { timeout: 180_000 }, () => {
  writeFileSync(join(place.work, "kept.txt"), "kept\n")
  // One shell after the other in one call; without a view nothing runs at all.
  const commands = [
    "echo owned > kept.txt",
    "sh -c 'echo owned >> kept.txt' & wait",
    "rm -f kept.txt",
    "ln -sf /etc/passwd kept.txt",
    "chmod 777 .; mkdir new; echo owned > new/owned",
    "mv kept.txt away.txt",
  ]
  for (const words of [
    ["--policy", "read-only"],
    ["--policy", "read-only", "--set", "view.enabled=false"],
  ])
    for (const command of [commands.join("\n"), "sed -i s/kept/owned/ kept.txt"]) {
      const ran = call("bash", { command }, ...words)
      expect(ran.ok, ran.text).toBe(false)
      expect(readFileSync(join(place.work, "kept.txt"), "utf8"), command).toBe("kept\n")
      expect(existsSync(join(place.work, "new"))).toBe(false)
    }
})
