import { createRequire } from "node:module"
import { readFileSync } from "node:fs"
import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { reader } from "./reader.ts"
import { playShop } from "./shop.ts"
import { launch, makeStage, openPage, type Served, serve, type Stage } from "./stage.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
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

/** Serves the stage and looks at it. */
async function look(size?: { width: number; height: number }): Promise<void> {
  served = await serve(stage)
  page = await openPage(browser, served.address, size)
  eyes = reader(page)
}

const png = (grey: number): Uint8Array =>
  Buffer.from(
    grey === 0
      ? "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=="
      : "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  )

test("created, deleted, renamed, mode, link, binary, picture, line ends, BOM: each by its name", async () => {
  stage = makeStage({
    "deleted.txt": "gone soon\n",
    "moved-from.txt": "one\ntwo\nthree\nfour\nfive\n",
    "run.sh": "#!/bin/sh\n",
    "ends.txt": "a\r\nb\r\n",
    "bom.txt": "x\n",
    "logo.png": png(0),
    "data.bin": Uint8Array.of(0, 1, 2, 255),
    "link-to": "target\n",
  })
  const run = stage.galley(
    "call",
    "bash",
    JSON.stringify({
      command:
        "rm deleted.txt && mv moved-from.txt moved-to.txt && chmod +x run.sh && printf 'a\\nb\\n' > ends.txt && printf '\\357\\273\\277x\\n' > bom.txt && " +
        `printf '%s' '${Buffer.from(png(1)).toString("base64")}' | base64 -d > logo.png && printf '\\000\\001\\003' > data.bin && ln -s link-to alias && mkdir -p empty && echo new > created.txt`,
    }),
    "--conversation",
    "shop",
  )
  expect(run.code, run.out + run.err).toBe(0)
  await look()
  const rows = await (await page.locator(".file-row").first().waitFor(),
  page.locator(".file-row").evaluateAll(all => all.map(one => `${one.getAttribute("data-path")},${one.textContent}`)))
  const row = (name: string): string =>
    rows.find(one => one?.startsWith(`${name},`)) ?? `no row ${name} in ${rows.join(" | ")}`
  expect(row("deleted.txt")).toContain("deleted")
  expect(row("moved-to.txt")).toContain("renamed")
  expect(row("created.txt")).toContain("created")
  expect(row("alias")).toMatch(/link|created/)
  await page.locator('.file-row[data-path="run.sh"]').click()
  await eyes.sees(/mode 644 → 755/)
  await page.locator('.file-row[data-path="ends.txt"]').click()
  await eyes.sees(/line endings CRLF → LF/)
  await page.locator('.file-row[data-path="bom.txt"]').click()
  await eyes.sees("BOM added")
  await page.locator('.file-row[data-path="data.bin"]').click()
  await eyes.sees("SHA-256")
  await page.locator('.file-row[data-path="logo.png"]').click()
  await expect
    .poll(() =>
      page.locator(".side-card img").evaluateAll(all => all.map(one => (one as HTMLImageElement).naturalWidth)),
    )
    .toEqual([1, 1])
  await eyes.picture("binary")
  await page.locator('.file-row[data-path="deleted.txt"]').click()
  await expect.poll(() => eyes.removed()).toEqual(["gone soon"])
  await eyes.button("Reject file")
  await expect
    .poll(() => {
      try {
        return stage.read("deleted.txt")
      } catch {
        return ""
      }
    })
    .toBe("gone soon\n")
})

test("names and texts that attack or deceive are shown and do nothing", async () => {
  const name = "<img src=x onerror=alert(1)>\u202e txt.js"
  stage = makeStage({ [name]: "a\n", "long.txt": "short\n", "bytes.txt": "plain\n" })
  await stage.agent(async agent => {
    await agent.message("<script>alert(1)</script> \u202egnp.exe")
    await agent
      .edit({
        command: "create",
        path: `${stage.root}/${name}`,
        file_text: "<script>alert(1)</script>\n\u001b[31mred \u202eevil\u202c \u200bzero\n",
      })
      .catch(() => {})
    await agent
      .edit({
        command: "str_replace",
        path: `${stage.root}/${name}`,
        old_str: "a\n",
        new_str: "<script>alert(1)</script>\n\u001b[31mred \u202eevil\u202c \u200bzero\n",
      })
      .catch(() => {})
    await agent.edit({
      command: "str_replace",
      path: `${stage.root}/long.txt`,
      old_str: "short",
      new_str: "x".repeat(5_000_000),
    })
  })
  const dialogs: string[] = []
  served = await serve(stage)
  page = await openPage(browser, `${served.address}&/file/long.txt`)
  eyes = reader(page)
  page.on("dialog", dialog => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  await eyes.hunks(1)
  await page.locator(".file-row").filter({ hasText: "onerror" }).click()
  await eyes.hunks(1)
  expect(await page.locator(".file-row .name").allTextContents()).toContain("<img src=x onerror=alert(1)>U+202E txt.js")
  expect(await page.locator("img:not([src='/icon.svg'], .cm-widgetBuffer)").count()).toBe(0)
  expect(await page.locator(".cm-specialChar").count()).toBeGreaterThan(2)
  await eyes.picture("hostile")
  await page.keyboard.press("2")
  await page.locator(".message-row").first().click()
  await eyes.sees("<script>alert(1)</script> U+202Egnp.exe")
  expect(dialogs).toEqual([])
})

test("ask: a waiting call is announced, shown, answered; the reason reaches the agent", async () => {
  stage = makeStage({ "a.txt": "one\ntwo\n" })
  await look()
  await eyes.sees("Nothing is pending")
  const calling = stage.background(
    "call",
    "str_replace_editor",
    JSON.stringify({ command: "str_replace", path: `${stage.root}/a.txt`, old_str: "two", new_str: "three" }),
    "--review",
    "ask",
    "--conversation",
    "shop",
    "--json",
  )
  await eyes.sees("Deny")
  await expect.poll(() => page.title()).toMatch(/^\(1\) waits for you/)
  expect(stage.read("a.txt")).toBe("one\ntwo\n")
  await eyes.picture("ask")
  await page.getByLabel("Reason, for the agent").fill("two is right")
  await eyes.button("Deny")
  expect((await calling).out).toContain("two is right")
  expect(stage.read("a.txt")).toBe("one\ntwo\n")
  const again = stage.background(
    "call",
    "str_replace_editor",
    JSON.stringify({ command: "str_replace", path: `${stage.root}/a.txt`, old_str: "two", new_str: "three" }),
    "--review",
    "ask",
    "--conversation",
    "shop",
    "--json",
  )
  await eyes.button("Edit first")
  const proposal = page.locator('[data-testid="call-proof"]')
  await expect.poll(() => proposal.locator(".removed del").allTextContents()).toEqual(["two"])
  await proposal.locator(".cm-line.added").click()
  await page.keyboard.press("Home")
  await page.keyboard.press("Shift+End")
  await page.keyboard.type("four")
  await page.waitForTimeout(200)
  await page.reload()
  await expect.poll(() => proposal.locator(".cm-line.added").allTextContents()).toEqual(["four"])
  await eyes.picture("ask-edit")
  await eyes.button("Allow edited")
  await again
  await expect.poll(() => stage.read("a.txt")).toBe("one\nfour\n")
})

test("one decision for the same substitution in many files", async () => {
  stage.end()
  const names = Array.from({ length: 6 }, (_, at) => `f${at}.js`)
  stage = makeStage(
    Object.fromEntries(names.map((name, at) => [name, `// ${at}\ncall${at}(oldName, ${at})\n// end ${at}\n`])),
  )
  await stage.agent(async agent => {
    for (const name of names)
      await agent.edit({
        command: "str_replace",
        path: `${stage.root}/${name}`,
        old_str: "oldName",
        new_str: "newName",
      })
  })
  await look()
  await eyes.files(6)
  await eyes.button("Accept all 6")
  await eyes.sees("Nothing is pending")
  expect(stage.status().files).toEqual([])
})

test("a conflict shows both and takes a choice by hunk", async () => {
  stage = makeStage({ "a.txt": "one\ntwo\nthree\n" })
  const held = stage.galley(
    "call",
    "str_replace_editor",
    JSON.stringify({ command: "str_replace", path: `${stage.root}/a.txt`, old_str: "two", new_str: "the agent's" }),
    "--review",
    "hold",
    "--conversation",
    "shop",
  )
  expect(held.code, held.out + held.err).toBe(0)
  await look()
  await eyes.sees("not on disk until accepted")
  expect(stage.read("a.txt")).toBe("one\ntwo\nthree\n")
  stage.write("a.txt", "one\nthe person's\nthree\n")
  await eyes.sees("Keep this")
  await eyes.sees("The file as it is now")
  await eyes.picture("conflict")
  await eyes.button("Take this")
  await expect.poll(() => stage.read("a.txt")).toBe("one\nthe agent's\nthree\n")
})

test("CRLF files stay CRLF when they are typed in", async () => {
  stage = makeStage({ "win.txt": "one\r\ntwo\r\nthree\r\n" })
  await stage.call({ command: "str_replace", path: `${stage.root}/win.txt`, old_str: "two", new_str: "2" })
  await look()
  await eyes.open("win.txt")
  await eyes.cursorBehind("three")
  await page.keyboard.type("\nfour")
  await expect.poll(() => stage.read("win.txt")).toBe("one\r\n2\r\nthree\r\nfour\r\n")
})

for (const scheme of ["light", "dark"] as const)
  test(`accessible by axe, in ${scheme}: changes, history, plan, keys, a comment`, async () => {
    stage = (await playShop()).stage
    served = await serve(stage)
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      colorScheme: scheme,
      bypassCSP: true,
    })
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    await page.goto(served.address)
    eyes = reader(page)
    await eyes.open("src/cart.js")
    await eyes.hunks(5)
    await page.locator(".removed .tok-keyword").first().waitFor()
    await eyes.picture(`changes-${scheme}`)
    await audit("changes")
    await page.keyboard.press("s")
    await page.locator(".cm-mergeView").waitFor()
    await audit("side by side")
    await page.keyboard.press("s")
    await page.keyboard.press("?")
    await audit("keys")
    await page.keyboard.press("Escape")
    await page.keyboard.press("2")
    await page.locator(".message-row").nth(1).click()
    await eyes.sees("Restore to before it…")
    await audit("history")
    await eyes.button("Restore to before it…")
    await page.locator(".step").first().waitFor()
    await audit("plan")
  })

async function audit(where: string): Promise<void> {
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const run = Reflect.get(globalThis, "axe") as {
      run: (
        options: unknown,
      ) => Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary: string }[] }[] }>
    }
    const { violations } = await run.run({
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    })
    return violations.map(
      one =>
        `${one.id}: ${one.help}: ${one.nodes
          .slice(0, 3)
          .map(node => `${node.html.slice(0, 160)} ${node.failureSummary}`)
          .join(" | ")}`,
    )
  })
  expect(found, where).toEqual([])
}

for (const [name, size] of [
  ["phone", { width: 400, height: 800 }],
  ["4k", { width: 3840, height: 2160 }],
] as const)
  test(`usable at ${size.width} pixels`, async () => {
    stage = (await playShop()).stage
    await look(size)
    if (size.width < 760) await page.getByRole("button", { name: "List of changes" }).click()
    await eyes.open("src/cart.js")
    // What is below the edge of a small screen is not drawn, but counted.
    await page.getByText("Change 1 of 5").waitFor()
    await eyes.picture(name)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await eyes.accept(1)
    await page.getByText("Change 1 of 4").waitFor()
  })

test("forced colours keep what tints say", async () => {
  stage = (await playShop()).stage
  served = await serve(stage)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, forcedColors: "active" })
  page = await context.newPage()
  await page.goto(served.address)
  eyes = reader(page)
  await eyes.open("src/cart.js")
  await eyes.hunks(5)
  expect(
    await page
      .locator(".removed del")
      .first()
      .evaluate(one => getComputedStyle(one).textDecorationLine),
  ).toBe("line-through")
  await eyes.picture("forced-colours")
})
