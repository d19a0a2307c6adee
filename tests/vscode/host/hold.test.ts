import assert from "node:assert/strict"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as vscode from "vscode"
import { acceptsAt, fresh, press, type Stage, show, stage, until } from "./stage.ts"

const page = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

describe("proposals, questions and restores", () => {
  let here: Stage
  const read = (path: string): string => readFileSync(join(here.root, path), "utf8")
  const uri = (path: string): vscode.Uri => vscode.Uri.file(join(here.root, path))
  const proposal = (path: string): vscode.Uri => uri(path).with({ scheme: "galley-proposal" })
  before(async () => {
    here = await stage()
  })

  it("a proposal is reviewed beside the file, which stays as it is", async () => {
    await fresh(here, "p1", { "x.txt": page })
    await here.agent(["--review", "hold"]).replace("p1/x.txt", "two", "TWO")
    await here.session.refresh()
    await vscode.commands.executeCommand("galley.openReview", uri("p1/x.txt"))
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab?.input
    assert.ok(tab instanceof vscode.TabInputTextDiff)
    assert.equal(tab.modified.scheme, "galley-proposal")
    await acceptsAt(proposal("p1/x.txt"), [1])
    assert.equal(read("p1/x.txt"), page)
    await press(proposal("p1/x.txt"), "Accept", 1)
    assert.equal(read("p1/x.txt"), page.replace("two", "TWO"))
  })

  it("saving a proposal edits it and not the file", async () => {
    await fresh(here, "p2", { "x.txt": page })
    await here.agent(["--review", "hold"]).replace("p2/x.txt", "two", "TWO")
    await here.session.refresh()
    await here.session.loadTexts("p2/x.txt")
    const document = await vscode.workspace.openTextDocument(proposal("p2/x.txt"))
    const editor = await vscode.window.showTextDocument(document)
    await editor.edit(edit => edit.insert(new vscode.Position(1, 3), " better"))
    assert.ok(await document.save())
    assert.equal(document.isDirty, false)
    assert.equal(read("p2/x.txt"), page)
    assert.equal(
      (await here.session.request("cat", { path: "p2/x.txt", side: "current" })).text,
      page.replace("two", "TWO better"),
    )
    await acceptsAt(document.uri, [1])
    await press(document.uri, "Accept", 1)
    assert.equal(read("p2/x.txt"), page.replace("two", "TWO better"))
  })

  it("the file's own editor marks where a proposal would change it", async () => {
    await fresh(here, "p3", { "x.txt": page })
    await here.agent(["--review", "hold"]).replace("p3/x.txt", "six\n", "SIX\nSIX and a half\n")
    const { document } = await show(here.root, "p3/x.txt")
    await acceptsAt(document.uri, [5])
    await press(document.uri, "Reject", 5)
    await acceptsAt(document.uri, [])
    assert.equal(read("p3/x.txt"), page)
  })

  it("a new file that is only proposed is not there until it is accepted", async () => {
    await fresh(here, "p4", { "x.txt": page })
    await here.agent(["--review", "hold"]).create("p4/new.txt", "new\n")
    await here.session.refresh()
    assert.equal(existsSync(join(here.root, "p4/new.txt")), false)
    await vscode.commands.executeCommand("galley.openReview", uri("p4/new.txt"))
    await acceptsAt(proposal("p4/new.txt"), [0])
    await vscode.commands.executeCommand("galley.acceptFile", uri("p4/new.txt"))
    assert.equal(read("p4/new.txt"), "new\n")
  })

  it("a question waits in the view, and Allow lets the agent go on", async () => {
    await fresh(here, "p5", { "x.txt": page })
    const asked = here.agent(["--review", "ask"]).replace("p5/x.txt", "two", "TWO")
    await until(() => (here.session.status?.waiting.length ?? 0) > 0, "the question")
    const waiting = here.session.status?.waiting[0]
    await vscode.commands.executeCommand("galley.allow", { kind: "ask", session: here.session, waiting })
    await asked
    assert.equal(read("p5/x.txt"), page.replace("two", "TWO"))
  })

  it("restore shows its plan first and writes nothing before the word", async () => {
    await fresh(here, "p6", { "x.txt": page, "y.txt": page })
    const agent = here.agent()
    const first = await agent.message("change x and y")
    await agent.replace("p6/x.txt", "two", "TWO")
    await agent.replace("p6/y.txt", "two", "TWO")
    await agent.create("p6/z.txt", "z\n")
    // The person's own line, which must survive.
    writeFileSync(join(here.root, "p6/x.txt"), `${read("p6/x.txt")}mine\n`)
    await here.session.refresh()
    const row = { message: here.session.log?.messages.find(one => one.id === first), branches: [] }
    const planning = vscode.commands.executeCommand("galley.restoreBefore", { kind: "row", session: here.session, row })
    await until(() => here.plans.current !== null, "the plan")
    assert.equal(read("p6/y.txt"), page.replace("two", "TWO"))
    assert.deepEqual(here.plans.current?.steps.map(step => step.path).sort(), ["p6/x.txt", "p6/y.txt", "p6/z.txt"])
    await until(() => /plan/.test(vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? ""), "the plan as a diff")
    await vscode.commands.executeCommand("galley.doRestore")
    assert.equal(read("p6/x.txt"), `${page}mine\n`)
    assert.equal(read("p6/y.txt"), page)
    assert.equal(existsSync(join(here.root, "p6/z.txt")), false)
    await vscode.commands.executeCommand("galley.undo")
    assert.equal(read("p6/x.txt"), `${page.replace("two", "TWO")}mine\n`)
    assert.equal(read("p6/z.txt"), "z\n")
    void planning
  })

  it("a restore that wants a file with unsaved text asks, and without an answer does nothing", async () => {
    await fresh(here, "p8", { "x.txt": page })
    const agent = here.agent()
    const message = await agent.message("change x")
    await agent.replace("p8/x.txt", "two", "TWO")
    const editor = await show(here.root, "p8/x.txt")
    await acceptsAt(editor.document.uri, [1])
    await editor.edit(edit => edit.insert(new vscode.Position(0, 0), "unsaved\n"))
    const row = { message: here.session.log?.messages.find(one => one.id === message), branches: [] }
    // The editor shows no dialogs in tests: that is a person who does not answer.
    await vscode.commands.executeCommand("galley.restoreBefore", { kind: "row", session: here.session, row })
    assert.equal(here.plans.current, null)
    assert.equal(read("p8/x.txt"), page.replace("two", "TWO"))
    assert.ok(editor.document.isDirty && editor.document.getText().startsWith("unsaved\n"))
    await vscode.commands.executeCommand("workbench.action.files.revert")
  })

  it("comes back when the program is killed", async () => {
    await fresh(here, "p7", { "x.txt": page })
    await here.agent().replace("p7/x.txt", "two", "TWO")
    const { document } = await show(here.root, "p7/x.txt")
    await acceptsAt(document.uri, [1])
    const home = process.env["GALLEY_HOME"] ?? ""
    const { readdirSync } = await import("node:fs")
    const [id = ""] = readdirSync(join(home, "workspaces")).filter(one =>
      existsSync(join(home, "workspaces", one, "serve.json")),
    )
    const { pid } = JSON.parse(readFileSync(join(home, "workspaces", id, "serve.json"), "utf8")) as { pid: number }
    process.kill(pid, "SIGKILL")
    await until(() => here.session.link.kind === "lost", "the loss")
    await until(() => here.session.link.kind === "open", "the new program")
    await here.session.refresh()
    await acceptsAt(document.uri, [1])
    await press(document.uri, "Accept", 1)
    await acceptsAt(document.uri, [])
  })
})
