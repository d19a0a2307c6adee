import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Locator, Page } from "playwright-core"
import { agentIn, writeFiles } from "./galley.ts"
import type { CodeServer } from "./server.ts"
import { shop, workOnShop } from "./shop.ts"
import { openWindow } from "./window.ts"

/** What is done by mouse and keyboard, in a window, as a person would. Each picture is of the state that its story ends in. */
export async function personStories(options: {
  readonly browser: Browser
  readonly server: CodeServer
  readonly extension: string
  readonly folder: string
  readonly home: string
  readonly program: string
  readonly pictures: string
  readonly count: (good: boolean, line: string) => void
  readonly foreign: (url: string) => void
}): Promise<void> {
  const { folder, home, program, pictures, count } = options
  const root = join(folder, "shop")
  mkdirSync(root)
  writeFiles(root, shop)
  const agent = agentIn(root, program, home)
  await workOnShop(agent)
  const page = await openWindow({ ...options, folder: root })
  page.setDefaultTimeout(60_000)
  const read = (path: string): string => readFileSync(join(root, path), "utf8")
  const picture = async (name: string): Promise<void> => {
    await page.mouse.move(900, 700)
    await page.waitForTimeout(700)
    await page.screenshot({ path: join(pictures, `vscode-${name}.png`) })
  }
  let broken = false
  const story = async (name: string, action: () => Promise<void>): Promise<void> => {
    // Later stories go on where the earlier ones ended.
    if (broken) return count(false, `person: ${name} (not reached)`)
    try {
      await action()
      count(true, `person: ${name}`)
    } catch (error) {
      broken = true
      await page.screenshot({ path: join(folder, "..", "galley-vscode-failed.png") }).catch(() => {})
      count(false, `person: ${name}\n${error instanceof Error ? error.message : String(error)}`)
    }
  }

  await story("sees in the status bar, the explorer and the view what the agent changed", async () => {
    await statusItem(page, "5 in 4 files").waitFor({ timeout: 90_000 })
    await page.locator(".activitybar [aria-label*='Galley']").first().click()
    await row(page, "Changes", "Add tax").waitFor()
    await row(page, "Messages", "Use template").waitFor()
  })

  await story("opens a file's review and reads removed lines red and struck, in place", async () => {
    await row(page, "Changes", "cart.js").click()
    await lens(page, "Accept").nth(1).waitFor()
    // The strike comes from the base's own language: the editor draws tokens of removed lines, and takes no decorations there.
    await page.locator(".view-line span.mtks").first().waitFor()
    await page.waitForTimeout(1500)
    await picture("diff")
  })

  await story("accepts one block, types between, rejects the other", async () => {
    await lens(page, "Accept").nth(0).click()
    await statusItem(page, "4 in 4 files").waitFor()
    await clickLine(page, page.locator(".editor.modified .view-line", { hasText: "function greet" }).first(), "Ln 7,")
    await page.keyboard.press("Home")
    await page.keyboard.type("const between = 1;\n")
    await page.locator(".tab.active.dirty").waitFor()
    await lens(page, "Reject").first().click()
    await statusItem(page, "in 3 files").waitFor()
    const text = read("src/cart.js")
    must(text.includes("const between = 1;"), "the typed line is on disk", text)
    must(text.includes('console.log("Hello " + name)'), "the old line is back", text)
    must(text.includes("it.price * it.qty"), "the accepted block stayed", text)
  })

  await story("reads changes in an ordinary editor, with the old text behind the new", async () => {
    await openFile(page, "price.ts")
    await page.locator(".tab.active", { hasText: "price.ts" }).waitFor()
    await lens(page, "Accept").first().waitFor()
    await page.waitForTimeout(1500)
    await picture("editor")
  })

  await story("peeks at the old text from the gutter, and rejects there", async () => {
    await clickLine(page, page.locator(".view-line", { hasText: "toFixed" }).first(), "Ln 7,")
    await page.keyboard.press("Alt+F3")
    const peek = page.locator(".peekview-widget")
    await peek.waitFor()
    await page.waitForTimeout(1200)
    await picture("peek")
    await peek.locator(".action-label[aria-label*='Reject']").first().click()
    await statusItem(page, "in 2 files").waitFor()
    must(read("src/price.ts") === shop["src/price.ts"], "the old text is on disk", read("src/price.ts"))
    await page.keyboard.press("Escape")
  })

  await story("takes the decision back", async () => {
    await hoverView(page, "Changes")
    await titleAction(page, "Changes", "Undo").click()
    await statusItem(page, "in 3 files").waitFor()
    must(read("src/price.ts").includes("toFixed"), "the agent's text is back", read("src/price.ts"))
  })

  await story("reviews all files in one place", async () => {
    await hoverView(page, "Changes")
    await titleAction(page, "Changes", "Review All").click()
    await page.locator(".tab.active", { hasText: "Pending agent changes" }).waitFor()
    await page.waitForTimeout(2500)
    await picture("review-all")
  })

  await story("is asked about unsaved text before a restore is planned", async () => {
    await openFile(page, "price.ts")
    await page.locator(".tab.active", { hasText: "price.ts" }).waitFor()
    await clickLine(page, page.locator(".view-line", { hasText: "interface Price" }).first(), "Ln 1,")
    await page.keyboard.press("Home")
    await page.keyboard.type("const mine = 1\n")
    await page.locator(".tab.active.dirty").waitFor()
    const message = row(page, "Messages", "Add tax")
    await message.hover()
    await message.locator(".action-label[aria-label*='Restore']").first().click()
    const dialog = page.locator(".monaco-dialog-box")
    await dialog.waitFor()
    await picture("unsaved")
    must(!read("src/price.ts").includes("const mine = 1"), "nothing is saved before the word", read("src/price.ts"))
    await dialog.getByRole("button", { name: "Save and Go on" }).click()
    await row(page, "Changes", "Restore?").waitFor()
  })

  await story("restores: the plan first, then the word", async () => {
    const before = read("src/price.ts")
    await page.locator(".tab.active", { hasText: "plan" }).waitFor()
    await page.waitForTimeout(2500)
    await picture("restore")
    must(read("src/price.ts") === before, "nothing is written before the word", read("src/price.ts"))
    const plan = row(page, "Changes", "Restore?")
    await plan.hover()
    await plan.locator(".action-label[aria-label^='Restore']").first().click()
    await plan.waitFor({ state: "detached" })
    must(
      read("src/price.ts") === `const mine = 1\n${shop["src/price.ts"]}`,
      "price.ts is as it was, and mine",
      read("src/price.ts"),
    )
    must(read("src/legacy.js") === shop["src/legacy.js"], "legacy.js is back", "")
    must(read("src/cart.js").includes("const between = 1;"), "the typed line survived", read("src/cart.js"))
  })

  await story("answers a question with a reason, which the agent is told", async () => {
    const asking = agentIn(root, program, home, ["--review", "ask"])
    const asked = asking.replace("README.md", "A shop with a cart.", "A shop with a cart and taxes.").then(
      () => "done",
      (error: unknown) => String(error),
    )
    const question = row(page, "Changes", "waits for you")
    await question.waitFor()
    await question.click()
    // The proposal is a document of its own, with its own actions.
    await lens(page, "Accept").first().waitFor()
    await page.locator(".view-line span.mtks").first().waitFor()
    await picture("question")
    await question.hover()
    await question.locator(".action-label[aria-label^='Deny']").first().click()
    await page.locator(".quick-input-widget input").first().fill("say VAT, not taxes")
    await page.keyboard.press("Enter")
    must((await asked).includes("VAT"), "the agent is told the reason", await asked)
    must(read("README.md") === shop["README.md"], "nothing was written", read("README.md"))
  })

  await story("reads the same in a light and a high-contrast theme", async () => {
    await agent.message("Round prices")
    await agent.replace(
      "src/price.ts",
      `return price.amount + " " + price.currency`,
      "return `${price.amount.toFixed(2)} ${price.currency}`",
    )
    await row(page, "Changes", "price.ts").click()
    // Until its own tab is there, it takes the focus from whatever is opened before, and a picker closes with that.
    await page.locator(".tab.active", { hasText: "price.ts" }).waitFor()
    await lens(page, "Accept").first().waitFor()
    for (const [theme, kind, name] of themes) {
      await page.keyboard.press("Control+K")
      await page.keyboard.press("Control+T")
      await page.locator(".quick-input-widget input").first().fill(theme)
      await page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: theme }).waitFor()
      await page.keyboard.press("Enter")
      await page.locator(`.monaco-workbench.${kind}`).first().waitFor()
      await page.waitForTimeout(1500)
      await picture(name)
    }
  })

  await story("finds everything again after a reload of the window", async () => {
    await page.reload()
    await statusItem(page, "1 in 1 file").waitFor({ timeout: 90_000 })
    await lens(page, "Accept").first().waitFor({ timeout: 90_000 })
  })

  await page.context().close()
}

/** Name, class of the workbench, picture. */
const themes = [
  ["Light Modern", "vs", "light"],
  ["Dark High Contrast", "hc-black", "high-contrast"],
] as const

function lens(page: Page, title: string): Locator {
  return page.locator(".codelens-decoration a", { hasText: title })
}

function statusItem(page: Page, ...texts: readonly string[]): Locator {
  return texts.reduce(
    (found, text) => found.filter({ hasText: text }),
    page.locator(".statusbar-item[id*='galley.status']"),
  )
}

/** A row of one of our two views. */
function row(page: Page, view: string, text: string): Locator {
  return page
    .locator(".pane", { has: page.locator(`.pane-header[aria-label^='${view}']`) })
    .locator(".monaco-list-row", { hasText: text })
    .first()
}

function titleAction(page: Page, view: string, label: string): Locator {
  return page.locator(`.pane-header[aria-label^='${view}']`).locator(`.action-label[aria-label*='${label}']`).first()
}

/** Clicks until the cursor is there: blocks that come and go move the lines under the pointer. */
async function clickLine(page: Page, line: Locator, position: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    await line.click()
    await page.waitForTimeout(800)
    if ((await page.locator(".statusbar-item", { hasText: position }).count()) > 0) return
  }
  throw new Error(`The cursor did not come to ${position}`)
}

/** A view's actions are there while the pointer is over it. */
async function hoverView(page: Page, view: string): Promise<void> {
  await page.locator(`.pane-header[aria-label^='${view}']`).hover()
}

async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+P")
  await page.locator(".quick-input-widget input").first().fill(name)
  await page.locator(".quick-input-widget .monaco-list-row", { hasText: name }).first().waitFor()
  await page.waitForTimeout(500)
  await page.keyboard.press("Enter")
}

function must(holds: boolean, what: string, found: string): void {
  if (!holds) throw new Error(`Not so: ${what}. Found:\n${found}`)
}
