import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import type { Browser, Page } from "playwright-core"
import type { BenchRow } from "../../core/bench/row.ts"
import { launch, makeStage, openPage, type Served, serve, type Stage } from "../browser/stage.ts"

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/**
 * The page in a real browser. Peers, where there is one, are shown the same two texts in the same browser, after the page; other rows
 * stand against their bar. Needs the built program and a Chromium (`npm run test:browser` sees to both).
 */
export async function rows(): Promise<BenchRow[]> {
  const browser = await launch()
  try {
    return [...(await bigDiff(browser)), await manyFiles(browser), await manyMessages(browser), bundle()]
  } finally {
    await browser.close()
  }
}

const lines = 20_000
const hunks = 500

async function bigDiff(browser: Browser): Promise<BenchRow[]> {
  const text = Array.from(
    { length: lines },
    (_, at) => `  const value${at} = compute(${at}, "${(at * 7919) % 1000}") // line ${at}\n`,
  ).join("")
  const stage = makeStage({ "big.js": text, "small.txt": "one\n" })
  byCommand(stage, `sed -i '0~${lines / hunks}s/compute/computed/' big.js && sed -i s/one/two/ small.txt`)
  const served = await serve(stage)
  try {
    const first: number[] = []
    const worked: number[] = []
    const longest: number[] = []
    for (let round = 0; round < 3; round++) {
      const page = await openPage(browser, `${served.address}&/file/small.txt`)
      await page.locator(".hunk").first().waitFor()
      await page.waitForTimeout(500)
      await browser.startTracing(page, { categories: ["toplevel"] })
      first.push(await firstPaint(page))
      worked.push((await tasksOfTrace(browser)).reduce((sum, task) => sum + task, 0))
      longest.push(await longestTask(page, ".cm-scroller", 600))
      await page.context().close()
    }
    const peer = await codeMirrorMerge(browser, text, stage.read("big.js"))
    const ours = median(first)
    return [
      row(
        `page: ${lines.toLocaleString("en")} lines, ${hunks} hunks, data to first paint`,
        "@codemirror/merge, stock",
        ours,
        peer,
        "< 300 ms",
        ours < 300,
      ),
      barred("page: the same, all work from click to first paint (processor time)", median(worked), 300),
      barred("page: the same, longest task while scrolling (processor time)", median(longest), 50),
    ]
  } finally {
    await end(stage, served)
  }
}

/** From the file's data being there to the frame in which its hunks are drawn. */
async function firstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>(resolve => {
        performance.clearResourceTimings()
        location.hash = "#/file/big.js"
        const look = (): void => {
          const shown = document.querySelector(".file-pane")?.getAttribute("aria-label") === "big.js"
          if (!shown || document.querySelector(".cm-line.added") === null) return void requestAnimationFrame(look)
          // The frame after the one that drew it: it is on the screen then.
          requestAnimationFrame(() => {
            const data = performance.getEntriesByType("resource").filter(entry => entry.name.endsWith("/api/file"))
            resolve(performance.now() - ((data[0] as PerformanceResourceTiming | undefined)?.responseEnd ?? 0))
          })
        }
        requestAnimationFrame(look)
      }),
  )
}

/**
 * The longest task of the page's main thread while something is scrolled, in milliseconds of processor time: on a machine that others
 * use too, time by the clock says more of them than of the page. Its syntax is parsed to the end before.
 */
async function longestTask(page: Page, scroller: string, by: number): Promise<number> {
  const browser = page.context().browser()
  if (browser === null) return Number.NaN
  await page.evaluate(
    () =>
      new Promise<void>(resolve => {
        let quiet = 0
        const look = (): void => {
          const start = performance.now()
          requestIdleCallback(() => {
            quiet = performance.now() - start < 60 ? quiet + 1 : 0
            if (quiet > 20) resolve()
            else setTimeout(look, 50)
          })
        }
        look()
      }),
  )
  await browser.startTracing(page, { categories: ["toplevel"] })
  await page.evaluate(
    ([selector, step]) =>
      new Promise<void>(resolve => {
        const dom = document.querySelector(selector)
        let count = 0
        const scroll = (): void => {
          if (dom !== null) dom.scrollTop += step
          if (count++ < 120) requestAnimationFrame(scroll)
          else resolve()
        }
        requestAnimationFrame(scroll)
      }),
    [scroller, by] as const,
  )
  return Math.max(0, ...(await tasksOfTrace(browser)))
}

/** Processor time of each task of the page's main thread since tracing began, in milliseconds. */
async function tasksOfTrace(browser: Browser): Promise<number[]> {
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] }
  const mains = new Set(
    traceEvents
      .filter(one => one.name === "thread_name" && one.args?.name === "CrRendererMain")
      .map(one => `${one.pid} ${one.tid}`),
  )
  return traceEvents
    .filter(one => one.name === "ThreadControllerImpl::RunTask" && mains.has(`${one.pid} ${one.tid}`))
    .map(one => (one.tdur ?? 0) / 1000)
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time, microseconds. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The peer: CodeMirror's own unified view with its own diff, from texts to the frame that shows them. */
async function codeMirrorMerge(browser: Browser, before: string, after: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      resolveDir: here("."),
      contents: `
        import { EditorView } from "@codemirror/view"
        import { unifiedMergeView } from "@codemirror/merge"
        import { javascript } from "@codemirror/lang-javascript"
        globalThis.peer = (before, after) => new Promise(resolve => {
          const start = performance.now()
          new EditorView({ parent: document.body, doc: after, extensions: [javascript(), unifiedMergeView({ original: before }), EditorView.theme({ "&": { height: "700px" } })] })
          requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - start)))
        })`,
    },
    bundle: true,
    write: false,
    format: "iife",
    logLevel: "silent",
  })
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.setContent("<!doctype html><body></body>")
    await page.addScriptTag({ content: outputFiles[0]?.text ?? "" })
    times.push(
      await page.evaluate(
        ([a, b]) => (Reflect.get(globalThis, "peer") as (a: string, b: string) => Promise<number>)(a, b),
        [before, after] as const,
      ),
    )
    await context.close()
  }
  return median(times)
}

async function manyFiles(browser: Browser): Promise<BenchRow> {
  const stage = makeStage({ "readme.txt": "one\n" })
  byCommand(stage, 'mkdir -p src && for i in $(seq 1000); do echo "line $i" > src/file$i.js; done')
  const served = await serve(stage)
  try {
    const page = await openPage(browser, served.address)
    await page.locator(".file-row").first().waitFor()
    const time = await longestTask(page, ".virtual", 400)
    return barred("page: 1,000 changed files, longest task while scrolling the list (processor time)", time, 50)
  } finally {
    await end(stage, served)
  }
}

/** The messages are made up at the page's border: what is measured is the tree, not the store. */
async function manyMessages(browser: Browser): Promise<BenchRow> {
  const stage = makeStage({ "a.txt": "one\n" })
  await stage.call({ command: "str_replace", path: `${stage.root}/a.txt`, old_str: "one", new_str: "two" })
  const served = await serve(stage)
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    const messages = Array.from({ length: 10_000 }, (_, at) => ({
      id: `m${at}`,
      parent: at === 0 ? null : `m${at % 50 === 0 ? Math.max(0, at - 60) : at - 1}`,
      conversation: "shop",
      title: `Message ${at}`,
      createdAt: 1_700_000_000_000 + at * 1000,
      files: [],
      onHeadPath: at % 50 < 40,
    }))
    await page.route("**/api/log", route => route.fulfill({ json: { version: 1, messages } }))
    await page.goto(served.address)
    await page.locator(".file-row").first().waitFor()
    await page.waitForTimeout(500)
    const time = await page.evaluate(
      () =>
        new Promise<number>(resolve => {
          const start = performance.now()
          document.getElementById("tab-history")?.click()
          const look = (): void => {
            if (document.querySelector(".message-row") === null) return void requestAnimationFrame(look)
            requestAnimationFrame(() => resolve(performance.now() - start))
          }
          requestAnimationFrame(look)
        }),
    )
    await context.close()
    return barred("page: a tree of 10,000 messages, click to paint", time, 300)
  } finally {
    await end(stage, served)
  }
}

/** All of the page's files, also those that are fetched only when they are needed. KB, not milliseconds. */
function bundle(): BenchRow {
  const folder = here("../../galley/dist/page")
  const size = readdirSync(folder).reduce((sum, name) => sum + gzipSync(readFileSync(`${folder}/${name}`)).length, 0)
  return barred("page: everything, gzipped (KB)", size / 1000, 500)
}

function byCommand(stage: Stage, command: string): void {
  const { code, out, err } = stage.galley("call", "bash", JSON.stringify({ command }), "--conversation", "shop")
  if (code !== 0) throw new Error(out + err)
}

async function end(stage: Stage, served: Served): Promise<void> {
  await served.stop()
  stage.end()
}

function barred(work: string, ours: number, bar: number): BenchRow {
  return row(work, "its bar", ours, bar, `< ${bar}`, ours < bar)
}

function row(work: string, against: string, ours: number, theirs: number, bar: string, holds: boolean): BenchRow {
  return { work, against, ours, theirs, ratio: ours / theirs, bar, holds }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}
