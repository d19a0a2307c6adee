import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { reader } from "./reader.ts"
import { playShop } from "./shop.ts"
import { launch, makeStage, type Served, serve, type Stage } from "./stage.ts"

/** What reaches the person from the agent's side: questions, conflicts, and words of any kind. */
let browser: Browser
let stage: Stage
let served: Served
let page: Page
let eyes: ReturnType<typeof reader>

beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())
afterEach(async () => {
  await page.context().close()
  await served.stop()
  stage.end()
})

/** `before` runs in the page before anything of ours does. */
async function look(before?: () => void): Promise<void> {
  served = await serve(stage)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  await context.grantPermissions(["notifications"], { origin: new URL(served.url).origin })
  page = await context.newPage()
  if (before !== undefined) await page.addInitScript(before)
  await page.goto(served.address)
  eyes = reader(page)
}

test("a call that waits while the page is in the background is announced in the title and by a notification", async () => {
  stage = makeStage({ "a.txt": "one\ntwo\n" })
  await look(() => {
    const said: string[] = []
    Object.assign(globalThis, {
      said,
      Notification: class {
        static readonly permission = "granted"
        constructor(title: string, { body }: { readonly body: string }) {
          said.push(`${title}: ${body}`)
        }
      },
    })
    Object.defineProperty(document, "hidden", { get: () => true })
  })
  await expect.poll(() => page.title()).toContain("shop")
  const call = { command: "str_replace", path: `${stage.root}/a.txt`, old_str: "two", new_str: "three" }
  const asked = stage.background("call", "str_replace_editor", JSON.stringify(call), "--review", "ask")
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor()
  expect(await page.title()).toContain("waits")
  await eyes.button("Allow")
  expect((await asked).code).toBe(0)
  expect(await page.evaluate(() => Reflect.get(globalThis, "said") as unknown)).toContain(
    "Galley: A call waits for your answer.",
  )
  await expect.poll(() => stage.read("a.txt")).toBe("one\nthree\n")
})

test("restore where the person altered an agent's line: nothing is written until they choose, and either choice can be undone", async () => {
  stage = (await playShop()).stage
  const altered = stage.read("README.md").replace("gives 5 % from 100.00 on", "gives 5 % from 200.00 on")
  stage.write("README.md", altered)
  await look()
  await page.keyboard.press("2")
  await page.locator(".message-row", { hasText: "Say so on the receipt" }).click()
  await eyes.button("Restore to before it…")
  await eyes.sees("needs your choice")
  await eyes.picture("restore-conflict")
  const restore = page.getByRole("button", { name: /^Restore \d files?$/ })
  expect(await restore.isDisabled()).toBe(true)
  await page.getByLabel("Keep my lines").check()
  await restore.click()
  await expect.poll(() => stage.read("src/cart.js")).not.toContain("discount taken off")
  expect(stage.read("README.md")).toBe(altered)
  await page.locator(".undo").first().click()
  await expect.poll(() => stage.read("src/cart.js")).toContain("discount taken off")
  expect(stage.read("README.md")).toBe(altered)
})

test("words of messages, comments, names and calls are words: no script runs, no markup stands", async () => {
  const evil = `<img src=x onerror="globalThis.ran='yes'"><script>globalThis.ran='yes'</script>\u202etxt`
  stage = makeStage({ "a.txt": "one\n", "<b onclick=ran>.txt": "one\n" })
  await stage.agent(async agent => {
    await agent.message(evil)
    await agent.edit({ command: "str_replace", path: `${stage.root}/a.txt`, old_str: "one", new_str: evil })
    await agent.edit({
      command: "insert",
      path: `${stage.root}/<b onclick=ran>.txt`,
      insert_line: 1,
      insert_text: evil,
    })
  })
  expect(stage.galley("comment", "a.txt:1", evil).code).toBe(0)
  await look()
  await eyes.open("a.txt")
  await eyes.hunks(1)
  await page.keyboard.press("2")
  await page.locator(".message-row").first().click()
  await eyes.button("Restore to before it…")
  await page.locator(".step").first().waitFor()
  expect(await page.evaluate(() => Reflect.get(globalThis, "ran") as unknown)).toBeUndefined()
  expect(await page.locator("img[src=x], b[onclick]").count()).toBe(0)
  expect(await page.evaluate(() => document.body.textContent?.includes("\u202e"))).toBe(false)
})
