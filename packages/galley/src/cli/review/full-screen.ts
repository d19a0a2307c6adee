import type { Terminal } from "../terminal.ts"
import { beginReview, type Desk, lookAgain, perform, withContent } from "./desk.ts"
import { frameOf, type Frame } from "./frame.ts"
import { flushKeys, type Key, parseKeys } from "./keys.ts"
import { press } from "./press.ts"
import type { ReviewState } from "./state.ts"

/** How long the rest of an escape sequence may take before an escape is the key itself, in milliseconds. */
const escapeMs = 60

/** Alternate screen, no cursor, pasted text marked as such; and all of it back. */
const enter = "\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[H\u001b[J"
const leave = "\u001b[?2004l\u001b[?25h\u001b[?1049l"

/**
 * Reviews on the whole screen until the person quits, the input ends or `signal` is aborted; gives the last state. The terminal is
 * as it was on every way out.
 */
export async function reviewFullScreen(desk: Desk): Promise<ReviewState> {
  let state = await beginReview(desk)
  const { terminal } = desk
  const screen = painter(terminal)
  const paint = (): void => {
    const frame = frameOf(state, sizeOf(terminal), desk.look, desk.shown)
    state = { ...state, seen: frame.scroll, scroll: state.scroll === null ? null : frame.scroll }
    screen.show(frame)
  }
  const turns = queue()
  const keyboard = openKeyboard(terminal, {
    key: key => turns.add({ kind: "key", key }),
    resized: () => {
      screen.forget()
      paint()
    },
    ended: () => turns.add({ kind: "end" }),
  })
  const onAbort = (): void => turns.add({ kind: "end" })
  desk.signal.addEventListener("abort", onAbort)
  const unwatch = desk.workspace.onChange(() => turns.add({ kind: "changed" }))
  screen.enter()
  try {
    paint()
    for (;;) {
      const turn = await turns.next()
      if (turn.kind === "end" || desk.signal.aborted) return state
      if (turn.kind === "changed") {
        state = await lookAgain(desk, state)
        paint()
        continue
      }
      const pressed = press(state, turn.key)
      state = await withContent(desk, pressed.state)
      const { effect } = pressed
      if (effect?.kind === "quit") return state
      if (effect?.kind === "redraw") screen.forget()
      else if (effect?.kind === "suspend" || effect?.kind === "edit") {
        // The terminal is somebody else's meanwhile.
        keyboard.pause()
        screen.leave()
        if (effect.kind === "suspend") await terminal.suspend()
        else state = await perform(desk, state, effect)
        screen.enter()
        keyboard.resume()
      } else if (effect !== null) state = await perform(desk, state, effect)
      paint()
    }
  } finally {
    desk.signal.removeEventListener("abort", onAbort)
    unwatch()
    keyboard.pause()
    screen.leave()
  }
}

/** A terminal that does not know its size is taken for the classic one. */
function sizeOf(terminal: Terminal): { columns: number; rows: number } {
  const { columns, rows } = terminal.size()
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 }
}

/** Writes only the rows that changed: over a slow line a key costs a few hundred bytes. */
function painter(terminal: Terminal) {
  let drawn: readonly string[] = []
  return {
    enter() {
      terminal.onExit(leave)
      terminal.write(enter)
      drawn = []
    },
    leave() {
      terminal.onExit("")
      terminal.write(leave)
    },
    forget() {
      terminal.write("\u001b[H\u001b[J")
      drawn = []
    },
    show(frame: Frame) {
      let text = ""
      frame.rows.forEach((row, at) => {
        if (row !== drawn[at]) text += `\u001b[${at + 1};1H${row}\u001b[K`
      })
      const { cursor } = frame
      text += cursor === null ? "\u001b[?25l" : `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`
      drawn = frame.rows
      terminal.write(text)
    },
  }
}

type Turn = { readonly kind: "key"; readonly key: Key } | { readonly kind: "changed" } | { readonly kind: "end" }

/** What happened, in order; one thing is done at a time, so that no key meets a hunk that is still being decided. */
function queue() {
  const waiting: Turn[] = []
  let serve: ((turn: Turn) => void) | null = null
  return {
    add(turn: Turn) {
      // Many changes are one look.
      if (turn.kind === "changed" && waiting.some(one => one.kind === "changed")) return
      waiting.push(turn)
      const give = serve
      serve = null
      if (give !== null) give(waiting.shift() ?? turn)
    },
    next: (): Promise<Turn> =>
      new Promise(resolve => {
        const turn = waiting.shift()
        if (turn === undefined) serve = resolve
        else resolve(turn)
      }),
  }
}

function openKeyboard(
  terminal: Terminal,
  to: { readonly key: (key: Key) => void; readonly resized: () => void; readonly ended: () => void },
) {
  let rest = ""
  let timer: NodeJS.Timeout | null = null
  const input = (text: string): void => {
    if (timer !== null) clearTimeout(timer)
    const parsed = parseKeys(rest + text)
    rest = parsed.rest
    parsed.keys.forEach(to.key)
    if (rest === "" || rest.startsWith("\u001b[200~")) return
    timer = setTimeout(() => {
      flushKeys(rest).forEach(to.key)
      rest = ""
    }, escapeMs)
  }
  const listen = (): (() => void) => terminal.listen("keys", { input, resized: to.resized, ended: to.ended })
  let stop = listen()
  let listening = true
  return {
    pause() {
      if (listening) stop()
      listening = false
    },
    resume() {
      if (!listening) stop = listen()
      listening = true
    },
  }
}
