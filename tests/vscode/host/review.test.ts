import assert from "node:assert/strict"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as vscode from "vscode"
import { acceptsAt, fresh, lenses, press, type Stage, show, stage, until } from "./stage.ts"

const page = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

describe("review in the editor", () => {
  let here: Stage
  const read = (path: string): string => readFileSync(join(here.root, path), "utf8")
  before(async () => {
    here = await stage()
  })

  it("runs in the VS Code it is tested in, with the gate on proposed API closed", () => {
    assert.match(vscode.version, /^1\.139\./)
    assert.throws(() => Reflect.get(vscode.window, "registerQuickDiffProvider").call(vscode.window), /proposal/i)
  })

  it("shows an agent's change at once, with the old text behind it and the buffer as it is on disk", async () => {
    await fresh(here, "a", { "x.txt": page })
    const editor = await show(here.root, "a/x.txt")
    await here.agent().replace("a/x.txt", "two", "TWO")
    await acceptsAt(editor.document.uri, [1])
    await until(() => editor.document.getText() === read("a/x.txt"), "the agent's text in the buffer")
    assert.equal(editor.document.isDirty, false)
    assert.ok(!editor.document.getText().includes("two\n"), "old text must not be in the buffer")
  })

  it("accepts one block and rejects another", async () => {
    await fresh(here, "b", { "x.txt": page })
    const agent = here.agent()
    await agent.replace("b/x.txt", "two", "TWO")
    await agent.replace("b/x.txt", "six", "SIX")
    const { document } = await show(here.root, "b/x.txt")
    await acceptsAt(document.uri, [1, 5])
    await press(document.uri, "Accept", 1)
    await acceptsAt(document.uri, [5])
    await press(document.uri, "Reject", 5)
    await acceptsAt(document.uri, [])
    assert.equal(read("b/x.txt"), page.replace("two", "TWO"))
    await until(() => document.getText() === read("b/x.txt"), "the old line in the buffer")
    assert.equal(document.isDirty, false)
  })

  it("takes an accept and a reject back, in order", async () => {
    await fresh(here, "c", { "x.txt": page })
    await here.agent().replace("c/x.txt", "two", "TWO")
    const { document } = await show(here.root, "c/x.txt")
    await acceptsAt(document.uri, [1])
    await press(document.uri, "Reject", 1)
    await until(() => read("c/x.txt") === page, "the old text on disk")
    await vscode.commands.executeCommand("galley.undo")
    await acceptsAt(document.uri, [1])
    assert.equal(read("c/x.txt"), page.replace("two", "TWO"))
    await vscode.commands.executeCommand("galley.redo")
    await until(() => read("c/x.txt") === page, "the old text again")
  })

  it("reviews in an inline diff whose base is struck through and cannot be written", async () => {
    await fresh(here, "d", { "x.js": "let a = 1\nlet b = 2\n" })
    await here.agent().replace("d/x.js", "let b = 2", "let b = 3")
    await here.session.refresh()
    const real = vscode.Uri.file(join(here.root, "d/x.js"))
    await vscode.commands.executeCommand("galley.openReview", real)
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab?.input
    assert.ok(tab instanceof vscode.TabInputTextDiff)
    assert.equal(tab.modified.toString(), real.toString())
    const base = await vscode.workspace.openTextDocument(tab.original)
    assert.equal(base.getText(), "let a = 1\nlet b = 2\n")
    await until(
      () =>
        vscode.workspace.textDocuments.some(
          one => one.uri.toString() === base.uri.toString() && one.languageId === "galley-removed-javascript",
        ),
      "the struck language",
    )
    await vscode.commands.executeCommand("galley.acceptFile", real)
    await until(
      async () => (await vscode.workspace.openTextDocument(tab.original)).getText().includes("b = 3"),
      "the new base",
    )
  })

  it("decides selected lines inside a block", async () => {
    await fresh(here, "e", { "x.txt": "a\nz\n" })
    await here.agent().replace("e/x.txt", "a\n", "a\nb\nc\nd\n")
    const editor = await show(here.root, "e/x.txt")
    await acceptsAt(editor.document.uri, [1])
    editor.selection = new vscode.Selection(2, 0, 3, 0)
    await vscode.commands.executeCommand("galley.rejectLines")
    await until(() => read("e/x.txt") === "a\nb\nd\nz\n", "the line gone")
    await acceptsAt(editor.document.uri, [1])
  })

  it("decides creates and deletes as files", async () => {
    await fresh(here, "f", { "old.txt": "old\n", "kept.txt": "kept\n" })
    const agent = here.agent()
    await agent.create("f/new.txt", "new\n")
    await agent.run("rm f/old.txt f/kept.txt")
    await here.session.refresh()
    const uri = (name: string): vscode.Uri => vscode.Uri.file(join(here.root, "f", name))
    await vscode.commands.executeCommand("galley.rejectFile", uri("new.txt"))
    await vscode.commands.executeCommand("galley.rejectFile", uri("kept.txt"))
    await vscode.commands.executeCommand("galley.acceptFile", uri("old.txt"))
    assert.equal(existsSync(join(here.root, "f/new.txt")), false)
    assert.equal(existsSync(join(here.root, "f/old.txt")), false)
    assert.equal(read("f/kept.txt"), "kept\n")
    assert.deepEqual(
      here.session.pending.filter(file => file.path.startsWith("f/")),
      [],
    )
  })

  it("goes to the next block through files, and round", async () => {
    await fresh(here, "g", { "x.txt": page, "y.txt": page })
    const agent = here.agent()
    await agent.replace("g/x.txt", "two", "TWO")
    await agent.replace("g/x.txt", "six", "SIX")
    await agent.replace("g/y.txt", "four", "FOUR")
    const { document } = await show(here.root, "g/x.txt")
    await acceptsAt(document.uri, [1, 5])
    const places: string[] = []
    for (let step = 0; step < 4; step++) {
      await vscode.commands.executeCommand("galley.nextHunk")
      await until(
        () => here.sessions.hunksIn(vscode.window.activeTextEditor?.document ?? document).length > 0,
        "blocks",
      )
      const editor = vscode.window.activeTextEditor
      places.push(`${editor?.document.uri.path.split("/").at(-1)} ${editor?.selection.active.line}`)
    }
    assert.deepEqual(places, ["x.txt 1", "x.txt 5", "y.txt 3", "x.txt 1"])
  })

  it("accepts and rejects a message's changes alone", async () => {
    await fresh(here, "h", { "x.txt": page, "y.txt": page })
    const agent = here.agent()
    const first = await agent.message("first")
    await agent.replace("h/x.txt", "two", "TWO")
    await agent.message("second")
    await agent.replace("h/x.txt", "six", "SIX")
    await agent.replace("h/y.txt", "six", "SIX")
    await here.session.refresh()
    const row = { message: here.session.log?.messages.find(one => one.id === first), branches: [] }
    await vscode.commands.executeCommand("galley.rejectMessage", { kind: "row", session: here.session, row })
    assert.equal(read("h/x.txt"), page.replace("six", "SIX"))
    assert.equal(here.session.fileAt("h/x.txt")?.hunks.length, 1)
  })

  it("marks a file as reviewed and tells the agent what was said about a line", async () => {
    await fresh(here, "i", { "x.txt": page })
    const agent = here.agent()
    await agent.message("something")
    await agent.replace("i/x.txt", "two", "TWO")
    await here.session.refresh()
    const uri = vscode.Uri.file(join(here.root, "i/x.txt"))
    await vscode.commands.executeCommand("galley.markReviewed", uri)
    assert.equal(here.session.fileAt("i/x.txt")?.reviewed, true)
    const { document } = await show(here.root, "i/x.txt")
    await acceptsAt(document.uri, [1])
    await here.session.request("comment", { path: "i/x.txt", line: 2, text: "why capitals?" })
    here.session.forgetTexts("i/x.txt")
    assert.equal((await here.session.loadTexts("i/x.txt"))?.comments[0]?.text, "why capitals?")
  })

  it("decides the same substitution in several files, and several files, as one decision that one undo takes back", async () => {
    await fresh(here, "k", { "x.txt": page, "y.txt": page })
    const agent = here.agent()
    for (const name of ["x", "y"]) await agent.replace(`k/${name}.txt`, "two", "TWO")
    const { document } = await show(here.root, "k/x.txt")
    await acceptsAt(document.uri, [1])
    await press(document.uri, "Accept all 2 × two → TWO", 1)
    assert.equal(here.session.pending.length, 0)
    await vscode.commands.executeCommand("galley.undo")
    assert.deepEqual(
      here.session.pending.map(file => file.path),
      ["k/x.txt", "k/y.txt"],
    )
    const files = here.session.pending
    await vscode.commands.executeCommand("galley.rejectMessage", {
      kind: "message",
      session: here.session,
      message: null,
      files,
    })
    assert.deepEqual([read("k/x.txt"), read("k/y.txt")], [page, page])
    await vscode.commands.executeCommand("galley.undo")
    assert.deepEqual(
      here.session.pending.map(file => file.path),
      ["k/x.txt", "k/y.txt"],
    )
  })

  it("takes the review along when the person renames a folder with the file in it, typed text and all", async () => {
    await fresh(here, "l", { "d/x.txt": page })
    await here.agent().replace("l/d/x.txt", "two", "TWO")
    const editor = await show(here.root, "l/d/x.txt")
    await acceptsAt(editor.document.uri, [1])
    const edit = new vscode.WorkspaceEdit()
    edit.renameFile(vscode.Uri.file(join(here.root, "l/d")), vscode.Uri.file(join(here.root, "l/e")))
    assert.ok(await vscode.workspace.applyEdit(edit))
    const renamed = await show(here.root, "l/e/x.txt")
    await acceptsAt(renamed.document.uri, [1])
    await press(renamed.document.uri, "Reject", 1)
    await until(() => read("l/e/x.txt") === page, "the old text under the new name")
  })

  it("takes the review along when the person renames the file", async () => {
    await fresh(here, "j", { "x.txt": page })
    await here.agent().replace("j/x.txt", "two", "TWO")
    await here.session.refresh()
    const edit = new vscode.WorkspaceEdit()
    edit.renameFile(vscode.Uri.file(join(here.root, "j/x.txt")), vscode.Uri.file(join(here.root, "j/y.txt")))
    assert.ok(await vscode.workspace.applyEdit(edit))
    await until(() => here.session.fileAt("j/y.txt") !== null, "the review at the new name")
    assert.equal(read("j/y.txt"), page.replace("two", "TWO"))
    assert.equal(here.session.fileAt("j/x.txt"), null)
    assert.equal(here.session.fileAt("j/y.txt")?.hunks.length, 1)
  })

  it("shows nothing of a file outside of the workspace", async () => {
    const outside = join(here.root, "..", "outside.txt")
    writeFileSync(outside, "x\n")
    const document = await vscode.workspace.openTextDocument(outside)
    assert.deepEqual(await lenses(document.uri), [])
    assert.equal(here.sessions.of(document.uri), null)
  })
})
