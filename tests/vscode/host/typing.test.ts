import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as vscode from "vscode"
import { acceptsAt, fresh, lenses, press, type Stage, show, stage, until } from "./stage.ts"

const page = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

describe("typing while things are pending", () => {
  let here: Stage
  const read = (path: string): string => readFileSync(join(here.root, path), "utf8")
  /** `x.txt` in a folder of its own, with TWO and SIX pending. */
  const pending = async (folder: string): Promise<vscode.TextEditor> => {
    await fresh(here, folder, { "x.txt": page })
    const agent = here.agent()
    await agent.replace(`${folder}/x.txt`, "two", "TWO")
    await agent.replace(`${folder}/x.txt`, "six", "SIX")
    const editor = await show(here.root, `${folder}/x.txt`)
    await acceptsAt(editor.document.uri, [1, 5])
    await until(() => editor.document.getText() === read(`${folder}/x.txt`), "the agent's text")
    return editor
  }
  const insert = (editor: vscode.TextEditor, line: number, text: string): Thenable<boolean> =>
    editor.edit(edit => edit.insert(new vscode.Position(line, 0), text))
  before(async () => {
    here = await stage()
  })

  it("moves the marks with the lines, through undo and redo", async () => {
    const editor = await pending("t1")
    const { uri } = editor.document
    await insert(editor, 0, "mine\nmine too\n")
    await acceptsAt(uri, [3, 7])
    await vscode.commands.executeCommand("undo")
    await acceptsAt(uri, [1, 5])
    await vscode.commands.executeCommand("redo")
    await acceptsAt(uri, [3, 7])
    await vscode.commands.executeCommand("undo")
    assert.equal(editor.document.isDirty, false)
  })

  it("between an accept and a reject is kept, and nothing else changes", async () => {
    const editor = await pending("t2")
    const { uri } = editor.document
    await press(uri, "Accept", 1)
    await acceptsAt(uri, [5])
    await insert(editor, 3, "typed by me\n")
    await acceptsAt(uri, [6])
    await press(uri, "Reject", 6)
    const expected = page.replace("two", "TWO").replace("four", "typed by me\nfour")
    await until(() => read("t2/x.txt") === expected, "the person's line and the old line on disk")
    await until(() => editor.document.getText() === expected, "the same in the buffer")
    assert.equal(editor.document.isDirty, false)
    await acceptsAt(uri, [])
  })

  it("an accept while there is unsaved text elsewhere saves nothing", async () => {
    const editor = await pending("t3")
    await insert(editor, 3, "unsaved\n")
    await acceptsAt(editor.document.uri, [1, 6])
    await press(editor.document.uri, "Accept", 1)
    await acceptsAt(editor.document.uri, [6])
    assert.equal(editor.document.isDirty, true)
    assert.ok(!read("t3/x.txt").includes("unsaved"))
    await vscode.commands.executeCommand("workbench.action.files.revert")
  })

  it("inside a block and then accepting it keeps the person's words", async () => {
    const editor = await pending("t4")
    await editor.edit(edit => edit.insert(new vscode.Position(1, 3), " and more"))
    await press(editor.document.uri, "Accept", 1)
    await acceptsAt(editor.document.uri, [5])
    assert.equal(read("t4/x.txt"), page.replace("two", "TWO and more").replace("six", "SIX"))
  })

  it("then saving writes just what is in the buffer", async () => {
    const editor = await pending("t5")
    await insert(editor, 7, "end\n")
    assert.ok(await editor.document.save())
    assert.equal(read("t5/x.txt"), `${page.replace("two", "TWO").replace("six", "SIX")}end\n`)
    await acceptsAt(editor.document.uri, [1, 5])
  })

  it("and a write by another program leaves the marks on their lines", async () => {
    const editor = await pending("t6")
    writeFileSync(join(here.root, "t6/x.txt"), `zero\n${page.replace("two", "TWO").replace("six", "SIX")}`)
    await acceptsAt(editor.document.uri, [2, 6])
  })

  it("shows in both halves of a split editor", async () => {
    const editor = await pending("t7")
    await vscode.commands.executeCommand("workbench.action.splitEditor")
    await insert(editor, 0, "top\n")
    await acceptsAt(editor.document.uri, [2, 6])
    await vscode.commands.executeCommand("workbench.action.files.revert")
    await acceptsAt(editor.document.uri, [1, 5])
  })

  it("and formatting on save moves no mark off its line", async () => {
    await fresh(here, "t8", { "x.json": '{\n  "a": 1,\n  "b": 2\n}\n' })
    await here.agent().replace("t8/x.json", '"b": 2', '"b": 3')
    const editor = await show(here.root, "t8/x.json")
    await acceptsAt(editor.document.uri, [2])
    await editor.edit(edit => edit.replace(new vscode.Range(0, 0, 0, 1), "\n\n{"))
    await acceptsAt(editor.document.uri, [4])
    await vscode.commands.executeCommand("editor.action.formatDocument")
    await editor.document.save()
    const line = editor.document
      .getText()
      .split("\n")
      .findIndex(text => text.includes('"b": 3'))
    await until(
      async () => (await lenses(editor.document.uri)).some(lens => lens.title === "Accept" && lens.line === line),
      "Accept beside b",
    )
  })

  it("keeps the file's own line endings", async () => {
    await fresh(here, "t9", { "x.txt": page.replaceAll("\n", "\r\n") })
    await here.agent().replace("t9/x.txt", "two", "TWO")
    const editor = await show(here.root, "t9/x.txt")
    await acceptsAt(editor.document.uri, [1])
    await press(editor.document.uri, "Reject", 1)
    await until(() => read("t9/x.txt") === page.replaceAll("\n", "\r\n"), "the bytes of before")
  })

  it("sets changes aside with their branch and brings them back", async () => {
    await fresh(here, "t10", { "x.txt": page })
    const git = (...args: string[]): void => {
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: here.root, stdio: "pipe" })
    }
    git("add", "-A")
    git("commit", "-q", "-m", "page")
    git("checkout", "-q", "-b", "other")
    writeFileSync(join(here.root, "t10/x.txt"), page.replace("two", "other two"))
    git("commit", "-q", "-a", "-m", "other")
    git("checkout", "-q", "main")
    await here.session.refresh()
    await here.agent().replace("t10/x.txt", "six", "SIX")
    const editor = await show(here.root, "t10/x.txt")
    await acceptsAt(editor.document.uri, [5])
    git("stash", "-q")
    await until(async () => (await lenses(editor.document.uri)).length === 0, "no marks on the stashed text")
    git("stash", "pop", "-q")
    await until(() => editor.document.getText().includes("SIX"), "the change again")
    await acceptsAt(editor.document.uri, [5])
  })
})
