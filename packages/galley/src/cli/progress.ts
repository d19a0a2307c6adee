import type { Context } from "./context.ts"
import { fitColumns } from "./columns.ts"
import { inertLine } from "./inert.ts"

/** Work shorter than this shows nothing: a line that flashes is worse than none. */
const quietMs = 400
const frameMs = 120

export interface Progress {
  /** A few words on where the work stands; `3 of 40` in them draws a bar. */
  readonly say: (text: string) => void
  readonly stop: () => void
}

/** One line on standard error that redraws itself while work is long, only where that is a terminal and `--json` is not asked. */
export function startProgress(context: Context): Progress {
  const { stderr } = context.surroundings
  if (stderr.isTTY !== true || context.globals.json) return { say: () => {}, stop: () => {} }
  const width = Math.max(20, (stderr.columns ?? 80) - 1)
  let text = "Working"
  let frames = 0
  let drawn = false
  const timer = setInterval(() => {
    frames++
    if (frames * frameMs < quietMs) return
    stderr.write(`\r\x1b[2K${progressLine(text, frames, width)}`)
    drawn = true
  }, frameMs)
  timer.unref()
  return {
    say: next => {
      text = next
    },
    stop: () => {
      clearInterval(timer)
      if (drawn) stderr.write("\r\x1b[2K")
    },
  }
}

/** The line itself. `3 of 40 files` becomes a bar of 20 cells; anything else gets a turning mark. */
export function progressLine(text: string, frame: number, width: number): string {
  const count = /(\d+) of (\d+)/.exec(text)
  const total = Number(count?.[2] ?? 0)
  const mark = "|/-\\"[frame % 4] ?? "|"
  if (count === null || total === 0) return fitColumns(`${mark} ${inertLine(text)}`, width)
  const cells = Math.min(20, Math.max(0, Math.round((20 * Number(count[1])) / total)))
  return fitColumns(`[${"#".repeat(cells)}${".".repeat(20 - cells)}] ${inertLine(text)}`, width)
}
