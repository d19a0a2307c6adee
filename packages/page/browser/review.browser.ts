import type { Browser, Page } from "playwright-core"
import { existsSync } from "node:fs"
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { reader } from "./reader.ts"
import { cart, playShop } from "./shop.ts"
import { launch, openPage, type Served, serve, type Stage } from "./stage.ts"

let browser: Browser
let stage: Stage
let ids: readonly string[]
let served: Served
let page: Page
let eyes: ReturnType<typeof reader>
const troubles: string[] = []

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
beforeEach(async () => {
  const played = await playShop()
  stage = played.stage
  ids = played.ids
  served = await serve(stage)
  page = await openPage(browser, served.address)
  watch(page)
  eyes = reader(page)
})
afterEach(async () => {
  await page.context().close()
  await served.stop()
  stage.end()
  expect(troubles.splice(0)).toEqual([])
})

/** Nothing may be refused by the page's own policy, or fail unseen. */
function watch(one: Page): void {
  one.on("pageerror", error => troubles.push(error.message))
  one.on("console", message => {
    if (message.type() === "error" && !/Failed to load resource|ERR_CONNECTION_REFUSED/.test(message.text()))
      troubles.push(message.text())
  })
}

test("the token leaves the address; the first file is open; the tab says how much there is", async () => {
  await eyes.files(3)
  expect(page.url()).not.toContain("token")
  await expect.poll(() => page.title()).toBe("3 · shop · Galley")
  await page.reload()
  await eyes.files(3)
})

test("the diff is the file: every line of it, removed lines in place, words marked", async () => {
  await eyes.open("src/cart.js")
  await eyes.hunks(5)
  expect(await eyes.removed()).toEqual([
    '  return [...lines, `Total ${toText(total(items))}`].join("\\n")',
    "  return sum",
    "  return items.length",
  ])
  expect(await eyes.text()).toContain('import { discountFor } from "./discount.js"\nimport { toText }')
  await expect.poll(() => page.locator(".word-added").allTextContents()).toContain(" - discountFor(sum)")
  await eyes.picture("inline")
})

test("accept one, reject one, undo both: the disk follows, the next change is in view", async () => {
  await eyes.open("src/cart.js")
  await eyes.hunks(5)
  await eyes.accept(1)
  await eyes.hunks(4)
  await eyes.sees("Accept 1 hunk in src/cart.js")
  await eyes.reject(2)
  await eyes.hunks(3)
  expect(stage.read("src/cart.js")).not.toContain("console.log")
  expect(stage.read("src/cart.js")).toContain("discount.js")
  await expect.poll(() => page.locator(".hunk.active").getAttribute("aria-label")).toContain("Change 2 of 3")
  await page.locator(".undo").first().click()
  await eyes.hunks(4)
  expect(stage.read("src/cart.js")).toContain("console.log")
  await page.locator(".undo").first().click()
  await eyes.hunks(5)
  await page.getByRole("button", { name: /^Redo: Accept 1 hunk/ }).click()
  await eyes.hunks(4)
})

test("chosen lines alone", async () => {
  await eyes.open("src/discount.js")
  await eyes.hunks(1)
  await eyes.cursorBehind("export function discountFor(sum) {")
  await page.keyboard.press("Home")
  await page.keyboard.press("Shift+ArrowDown")
  await eyes.sees("Lines +2")
  await eyes.picture("lines")
  await eyes.button("Reject lines")
  await expect.poll(() => stage.read("src/discount.js")).not.toContain("export function")
  expect(stage.read("src/discount.js")).toContain("/** 5 %")
})

test("the whole file, then everything; what is left is said", async () => {
  await eyes.open("src/discount.js")
  await eyes.button("Reject file")
  await expect.poll(() => existsSync(`${stage.root}/src/discount.js`)).toBe(false)
  await eyes.files(2)
  await eyes.button("Accept all")
  await eyes.sees("Nothing is pending")
  expect(stage.status().files).toEqual([])
  await eyes.picture("empty")
})

test("typing inside a change is the person's: written, kept apart from the agent's, said before Reject", async () => {
  await eyes.open("src/discount.js")
  await eyes.hunks(1)
  await eyes.cursorBehind("export function discountFor(sum) {")
  await page.keyboard.type("\n// mine")
  await expect.poll(() => stage.read("src/discount.js")).toContain("  // mine\n")
  await eyes.sees("with your text")
  await expect.poll(() => page.locator(".cm-line.yours").allTextContents()).toEqual(["  // mine"])
  await eyes.picture("mixed")
  await eyes.reject(1)
  await eyes.sees("This change holds your text too")
  await eyes.sees("Stays: your lines")
  await eyes.picture("parting")
  await eyes.button("Reject, keep my lines")
  await expect.poll(() => stage.read("src/discount.js")).toBe("  // mine\n")
})

test("typing outside of every change is agreed on at once and makes no change of its own", async () => {
  await eyes.open("src/cart.js")
  await eyes.cursorBehind("export function remove(items, name) {")
  await page.keyboard.type(" // by name")
  await expect.poll(() => stage.read("src/cart.js")).toContain("{ // by name")
  await eyes.hunks(5)
})

test("the agent writes while the person types: both texts are there", async () => {
  await eyes.open("src/cart.js")
  await eyes.cursorBehind("export function remove(items, name) {")
  await page.keyboard.type(" // one")
  await stage.call({
    command: "str_replace",
    path: `${stage.root}/src/cart.js`,
    old_str: "export function count(items) {",
    new_str: "export function count(items = []) {",
  })
  await page.keyboard.type(" two")
  await expect.poll(() => stage.read("src/cart.js"), { timeout: 10_000 }).toContain("{ // one two")
  expect(stage.read("src/cart.js")).toContain("count(items = [])")
  await expect.poll(() => eyes.text()).toContain("count(items = [])")
})

test("typed text survives a reload before it was sent", async () => {
  await eyes.open("src/cart.js")
  await page.route("**/api/write", route => route.abort())
  await eyes.cursorBehind("export function remove(items, name) {")
  await page.keyboard.type(" // kept")
  await page.waitForTimeout(200)
  await page.unroute("**/api/write")
  await page.reload()
  await eyes.sees("What you had typed here was kept")
  await expect.poll(() => stage.read("src/cart.js")).toContain("// kept")
})

test("somebody else decides first: the click is refused, the page shows what is so now", async () => {
  await eyes.open("src/cart.js")
  await eyes.hunks(5)
  await page.route("**/api/events", route => route.abort())
  const gone = stage.status().files.find(file => file.path === "src/cart.js")?.hunks[0]?.id ?? ""
  stage.galley("accept", "src/cart.js", "--hunk", gone)
  await page
    .getByRole("button", { name: "Reject change 1", exact: true })
    .click({ timeout: 2000 })
    .catch(() => {})
  await eyes.hunks(4)
  expect(stage.read("src/cart.js")).toContain("discount.js")
  await page.unroute("**/api/events")
})

test("two browsers and the command line at once", async () => {
  const other = await openPage(browser, served.address)
  watch(other)
  const theirs = reader(other)
  await eyes.open("src/cart.js")
  await theirs.open("src/cart.js")
  await eyes.hunks(5)
  await theirs.hunks(5)
  await eyes.accept(1)
  await theirs.hunks(4)
  await theirs.reject(2)
  await eyes.hunks(3)
  stage.galley("accept", "README.md")
  await eyes.files(2)
  await theirs.files(2)
  await other.context().close()
})

test("a save in an editor is seen and stays the person's", async () => {
  await eyes.open("src/cart.js")
  await eyes.hunks(5)
  stage.write(
    "src/cart.js",
    stage.read("src/cart.js").replace("export function add(", "// from the editor\nexport function add("),
  )
  await expect.poll(() => eyes.text()).toContain("// from the editor")
  await eyes.hunks(5)
})

test("a commit accepts what it holds; a branch switch parks the rest", async () => {
  await eyes.files(3)
  stage.git("add", "README.md")
  stage.git("commit", "-q", "-m", "README")
  await eyes.files(2)
  stage.git("stash", "-q", "-u")
  stage.git("checkout", "-q", "-b", "other")
  await expect.poll(() => page.locator(".file-row .kind-P").count(), { timeout: 15_000 }).toBeGreaterThan(0)
})

test("a comment is gathered, sent, and told to the agent once", async () => {
  await eyes.open("src/cart.js")
  await eyes.cursorBehind('console.log("adding", item)')
  await page.keyboard.press("Escape")
  await page.keyboard.press("c")
  await page.getByLabel("Comment", { exact: true }).fill("No logging, please")
  await eyes.button("Add comment")
  await eyes.sees("not sent yet")
  await eyes.button("Send 1 comment")
  await eyes.sees("waits for the agent")
  await eyes.picture("comment")
  const told = stage.json(
    "call",
    "str_replace_editor",
    JSON.stringify({ command: "view", path: `${stage.root}/README.md` }),
    "--conversation",
    "shop",
  ) as { text: string }
  expect(told.text).toContain("No logging, please")
  await eyes.sees("read by the agent")
})

test("restore: the plan first, file by file; then done; then undone", async () => {
  await page.keyboard.press("2")
  await page.locator(".message-row", { hasText: "Say so on the receipt" }).click()
  await eyes.sees("Restore to before it…")
  await eyes.picture("message")
  await eyes.button("Restore to before it…")
  await page.locator(".step").nth(1).waitFor()
  expect(await page.locator(".step .name").allTextContents()).toEqual(
    expect.arrayContaining(["src/cart.js", "README.md"]),
  )
  await eyes.picture("plan")
  expect(stage.read("README.md")).toContain("gives 5 %")
  await eyes.button(/^Restore \d files?$/)
  await expect.poll(() => stage.read("README.md")).not.toContain("gives 5 %")
  expect(stage.read("src/cart.js")).toContain("discountFor")
  await expect.poll(() => page.locator(".message-row.off-path").count()).toBe(2)
  await eyes.picture("branch")
  await page.locator(".message-row", { hasText: "Count with a sum" }).click()
  await eyes.button("Go to this branch…")
  await eyes.button(/^Restore \d files?$/)
  await expect.poll(() => stage.read("README.md")).toContain("gives 5 %")
  await page.locator(".undo").first().click()
  await expect.poll(() => stage.read("README.md")).not.toContain("gives 5 %")
})

test("accept and reject by message", async () => {
  await page.keyboard.press("2")
  await page.locator(".message-row", { hasText: "Count with a sum" }).click()
  await eyes.button("Reject message")
  await expect.poll(() => stage.read("src/cart.js")).toContain("return items.length")
  expect(stage.read("src/cart.js")).toContain("discountFor")
})

test("scopes: one message; new since the last look", async () => {
  await eyes.open("src/cart.js")
  await page.getByLabel("Which changes").selectOption(`m ${ids[1] ?? ""}`)
  await eyes.files(2)
  await page.getByLabel("Which changes").selectOption("new")
  await expect.poll(() => page.locator(".file-row[data-path='src/cart.js']").count()).toBe(0)
  await stage.call({
    command: "str_replace",
    path: `${stage.root}/src/cart.js`,
    old_str: "export function count(items) {",
    new_str: "export function count(items = []) {",
  })
  await page.getByLabel("Which changes").selectOption("all")
  await eyes.files(3)
})

test("server killed and started again: said, waited for, typed text saved", async () => {
  await eyes.open("src/cart.js")
  served.process.kill("SIGKILL")
  await eyes.sees("The server is away")
  await eyes.cursorBehind("export function remove(items, name) {")
  await page.keyboard.type(" // meanwhile")
  await eyes.sees("not saved yet, kept in this browser")
  await eyes.picture("away")
  served = await serve(stage)
  await expect.poll(() => stage.read("src/cart.js"), { timeout: 20_000 }).toContain("// meanwhile")
  await expect.poll(() => page.locator(".live-live").count()).toBe(1)
})

test("by keys alone", async () => {
  await eyes.files(3)
  await page.keyboard.press("]")
  await eyes.hunks(5)
  await page.keyboard.press("j")
  await expect.poll(() => page.locator(".hunk.active").getAttribute("aria-label")).toContain("Change 2 of 5")
  await page.keyboard.press("r")
  await eyes.hunks(4)
  await page.keyboard.press("k")
  await page.keyboard.press("a")
  await eyes.hunks(3)
  await page.keyboard.press("u")
  await eyes.hunks(4)
  await page.keyboard.press("Shift+U")
  await eyes.hunks(3)
  await page.keyboard.press("?")
  await eyes.sees("next change, on to the next file")
  await eyes.picture("keys")
  await page.keyboard.press("Escape")
  await page.keyboard.press("v")
  await expect.poll(() => page.locator(".file-row.reviewed").count()).toBe(1)
  await page.keyboard.press("s")
  await page.locator(".cm-mergeView").waitFor()
  await eyes.picture("side-by-side")
  expect(stage.read("src/cart.js")).not.toContain("Total, discount")
  expect(cart).toContain("Total")
})

test("a link leads to one change", async () => {
  const hunk = stage.status().files.find(file => file.path === "src/cart.js")?.hunks[3]?.id ?? ""
  const linked = await openPage(browser, `${served.address}&/file/src/cart.js?hunk=${hunk}`)
  await expect.poll(() => linked.locator(".hunk.active").getAttribute("aria-label")).toContain("Change 4 of 5")
  await linked.context().close()
})
