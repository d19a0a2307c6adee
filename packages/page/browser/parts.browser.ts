import type { Browser, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { reader } from "./reader.ts"
import { playShop } from "./shop.ts"
import { launch, makeStage, openPage, type Served, serve, type Stage } from "./stage.ts"

/** Decisions about less, or other, than a hunk: properties, one message's changes, folders; and what is folded away meanwhile. */
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

async function look(size?: { width: number; height: number }): Promise<void> {
  served = await serve(stage)
  page = await openPage(browser, served.address, size)
  eyes = reader(page)
}

function byCommand(command: string, ...more: string[]): void {
  const { code, out, err } = stage.galley(
    "call",
    "bash",
    JSON.stringify({ command }),
    "--conversation",
    "shop",
    ...more,
  )
  expect(code, out + err).toBe(0)
}

test("mode, BOM and name are decided alone, beside the text", async () => {
  const text = "#!/bin/sh\none\ntwo\nthree\nfour\nfive\nsix\n"
  stage = makeStage({ "run.sh": text, "bom.txt": "one\ntwo\n", "from.txt": text })
  byCommand(
    "sed -i s/two/2/ run.sh && chmod +x run.sh && printf '\\357\\273\\277one\\n2\\n' > bom.txt && mv from.txt to.txt && sed -i s/six/6/ to.txt",
  )
  await look()
  await eyes.open("run.sh")
  await eyes.button("Reject mode 644 → 755")
  await eyes.sees("Reject mode of run.sh")
  await eyes.hunks(1)
  expect([stage.mode("run.sh"), stage.read("run.sh")]).toEqual(["644", text.replace("two", "2")])
  await eyes.open("bom.txt")
  await eyes.button("Accept BOM added")
  await eyes.sees("Accept encoding of bom.txt")
  await eyes.reject(1)
  await expect.poll(() => stage.read("bom.txt")).toBe("\ufeffone\ntwo\n")
  await eyes.open("to.txt")
  await eyes.button("Reject name: was from.txt")
  await eyes.hunks(1)
  await expect.poll(() => page.locator("h1").textContent()).toBe("from.txt")
  expect(stage.read("from.txt")).toBe(text.replace("six", "6"))
})

test("of one message: its changes alone have buttons, are counted and decided", async () => {
  stage = (await playShop()).stage
  await look()
  await eyes.files(3)
  await page.getByLabel("Which changes").selectOption({ label: "Say so on the receipt and in the README" })
  await eyes.files(2)
  await eyes.open("src/cart.js")
  await expect.poll(() => page.locator(".hunk:not(.aside)").count()).toBe(1)
  expect(await page.locator(".hunk.aside").count()).toBe(4)
  await eyes.sees("Change 1 of 1")
  await eyes.picture("one-message")
  await eyes.button("Reject its changes")
  await expect.poll(() => stage.read("src/cart.js")).not.toContain("discount taken off")
  expect(stage.read("src/cart.js")).toContain("discountFor(sum)")
  expect(stage.read("README.md")).toContain("gives 5 %")
})

test("unchanged text folds away, opens at a click, and is folded after a reload", async () => {
  const lines = Array.from({ length: 300 }, (_, at) => `line ${at}\n`).join("")
  stage = makeStage({ "long.txt": lines })
  byCommand("sed -i -e 's/^line 100$/changed/' -e 's/^line 200$/changed too/' long.txt")
  await look()
  await eyes.open("long.txt")
  await eyes.sees("Change 1 of 2")
  await eyes.button("Fold")
  await expect
    .poll(() => page.locator(".fold").allTextContents())
    .toEqual(["⋯ 97 unchanged lines", "⋯ 93 unchanged lines", "⋯ 96 unchanged lines"])
  await eyes.picture("folded")
  await page.locator(".fold").nth(1).click()
  await expect.poll(() => page.locator(".fold").count()).toBe(2)
  await eyes.sees("line 150")
  await eyes.accept(1)
  await eyes.hunks(1)
  await expect.poll(() => page.locator(".fold").first().textContent()).toBe("⋯ 104 unchanged lines")
  await page.reload()
  await eyes.hunks(1)
  await expect.poll(() => page.locator(".fold").count()).toBe(2)
  await page.keyboard.press("x")
  await expect.poll(() => page.locator(".fold").count()).toBe(0)
  await page.keyboard.press("s")
  await page.locator(".cm-mergeView").waitFor()
  await page.keyboard.press("x")
  await page.locator(".cm-collapsedLines").first().waitFor()
})

test("a folder of thousands of outputs is one line: opened, written, dropped", async () => {
  stage = makeStage({ ".gitignore": "out/\ntemp/\n", "a.txt": "one\n" })
  byCommand(
    "mkdir -p out temp && for i in $(seq 2500); do : > out/f$i.o; done && echo x > temp/t && sed -i s/one/two/ a.txt",
    "--review",
    "hold",
  )
  await look()
  await eyes.files(3)
  await page.locator('.file-row[data-path="out"]').click()
  await eyes.sees("2,50")
  await eyes.sees("out/f1.o")
  await eyes.picture("folder")
  await eyes.button("Drop folder")
  await eyes.files(2)
  await page.locator('.file-row[data-path="temp"]').click()
  await eyes.button("Write folder")
  await eyes.files(1)
  expect(stage.read("temp/t")).toBe("x\n")
  expect(() => stage.read("out/f1.o")).toThrow("ENOENT")
})

test("five thousand removed lines stand in place, scroll, and are decided; at 400 pixels the sides stay usable", async () => {
  const many = Array.from({ length: 5000 }, (_, at) => `gone ${at}\n`).join("")
  stage = makeStage({ "long.txt": `first\n${many}last\n` })
  byCommand("sed -i /^gone/d long.txt")
  await look()
  await eyes.hunks(1)
  await expect.poll(() => page.locator(".removed .row").count()).toBeGreaterThan(20)
  expect(await page.locator(".removed .row").count()).toBeLessThan(400)
  await page.locator(".cm-scroller").evaluate(one => (one.scrollTop = 50_000))
  await expect.poll(() => eyes.removed()).toContain("gone 2500")
  await page.setViewportSize({ width: 400, height: 800 })
  await page.keyboard.press("s")
  await page.locator(".cm-mergeView").waitFor()
  await eyes.picture("sides-narrow")
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  await page.keyboard.press("s")
  await eyes.reject(1)
  await expect.poll(() => stage.read("long.txt")).toBe(`first\n${many}last\n`)
})
