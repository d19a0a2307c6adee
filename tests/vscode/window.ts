import { format } from "node:util"
import type { Browser, Page } from "playwright-core"
import type { CodeServer } from "./server.ts"

/** Opens a window on a folder with the extension from the checkout, or (null) with what is installed. */
export async function openWindow(options: {
  readonly browser: Browser
  readonly server: CodeServer
  readonly extension: string | null
  readonly folder: string
  readonly payload?: readonly (readonly [string, string])[]
  readonly before?: (page: Page) => Promise<void>
  /** Told of every request that leaves the machine. */
  readonly foreign: (url: string) => void
}): Promise<Page> {
  const { browser, server, extension, folder, payload = [], before, foreign } = options
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const page = await context.newPage()
  page.on("request", request => {
    if (!/^(https?:\/\/127\.0\.0\.1[:/]|data:|blob:)/.test(request.url())) foreign(request.url())
  })
  await before?.(page)
  const development = extension === null ? [] : [["extensionDevelopmentPath", server.remote + extension]]
  const all = [["skipWelcome", "true"], ...development, ...payload]
  await page.goto(`${server.origin}/?folder=${folder}&payload=${encodeURIComponent(JSON.stringify(all))}`)
  return page
}

/** Runs the tests at `entry` in the extension host of a window. Lines as they come; resolves with the exit code. */
export async function runInHost(
  options: Parameters<typeof openWindow>[0] & { readonly entry: string; readonly line: (text: string) => void },
): Promise<number> {
  const { server, entry, line } = options
  let done: (code: number) => void = () => {}
  const ended = new Promise<number>(resolve => {
    done = resolve
  })
  const page = await openWindow({
    ...options,
    payload: [["extensionTestsPath", server.remote + entry]],
    async before(opened) {
      await opened.exposeFunction("codeAutomationExit", (code: number) => done(code))
      await opened.exposeFunction("codeAutomationLog", (_type: string, args: unknown[]) => line(format(...args)))
    },
  })
  const timer = setTimeout(() => done(99), 480_000)
  const code = await ended
  clearTimeout(timer)
  if (code === 99) await page.screenshot({ path: "/tmp/galley-host-timeout.png" }).catch(() => {})
  await page.context().close()
  return code
}
