import { expect } from "vitest"
import type { Page } from "playwright-core"

/** What a person does on the page and sees of it, by what is written on it. */
export function reader(page: Page) {
  const open = async (path: string): Promise<void> => {
    await page.locator(`.file-row[data-path="${path}"]`).click()
    await page.waitForFunction(name => document.querySelector(".file-pane")?.getAttribute("aria-label") === name, path)
    await page.waitForSelector('[data-testid="proof"] .cm-content')
  }
  return {
    page,
    open,
    accept: (hunk: number) => page.getByRole("button", { name: `Accept change ${hunk}`, exact: true }).click(),
    reject: (hunk: number) => page.getByRole("button", { name: `Reject change ${hunk}`, exact: true }).click(),
    button: (name: string | RegExp) =>
      page
        .getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) })
        .first()
        .click(),
    /** How many hunks are drawn, once that many are. */
    hunks: (count: number) => expect.poll(() => page.locator(".hunk").count(), { timeout: 15_000 }).toBe(count),
    files: (count: number) => expect.poll(() => page.locator(".file-row").count(), { timeout: 15_000 }).toBe(count),
    /** Waits until the text is somewhere on the page. */
    sees: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    text: () =>
      page.evaluate(() => [...document.querySelectorAll(".cm-line")].map(line => line.textContent).join("\n")),
    removed: () => page.locator(".removed del").allTextContents(),
    /** Puts the cursor behind a text in the editor. */
    async cursorBehind(text: string): Promise<void> {
      const place = await page.evaluate(wanted => {
        const walker = document.createTreeWalker(
          document.querySelector(".cm-content") ?? document.body,
          NodeFilter.SHOW_TEXT,
        )
        for (const line of document.querySelectorAll(".cm-line")) {
          const at = (line.textContent ?? "").indexOf(wanted)
          if (at < 0) continue
          let left = at + wanted.length
          const inside = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
          for (let node = inside.nextNode(); node !== null; node = inside.nextNode()) {
            const length = node.textContent?.length ?? 0
            if (left <= length) {
              const range = document.createRange()
              range.setStart(node, left)
              range.setEnd(node, left)
              const box = range.getBoundingClientRect()
              return { x: box.left, y: box.top + box.height / 2 }
            }
            left -= length
          }
        }
        return walker === null ? null : null
      }, text)
      if (place === null) throw new Error(`There is no ${text} on the page.`)
      await page.mouse.click(place.x, place.y)
    },
    picture: (name: string) => page.screenshot({ path: `docs/pictures/page-${name}.png` }),
  }
}
