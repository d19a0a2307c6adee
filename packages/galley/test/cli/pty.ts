import { spawn } from "@lydell/node-pty"
import type { Place, BuiltProgram } from "../program.ts"
import { createScreen, type Screen } from "./screen.ts"

/** The program on a real pseudo-terminal, as a person sits at it. */
export interface Sitting {
  readonly screen: Screen
  /** All that was written, escape sequences included. */
  raw(): string
  type(keys: string): void
  resize(columns: number, rows: number): void
  kill(signal: string): void
  /** Waits until the screen shows the text (or satisfies the condition). Fails with the screen as it is then. */
  see(wanted: string | RegExp | ((text: string) => boolean)): Promise<string>
  /** The exit code. */
  ended(): Promise<number>
}

/** Long, since the machine may be busy; nothing waits for it where all is well. */
const patience = 30_000

export function sit(
  program: BuiltProgram,
  place: Place,
  words: readonly string[],
  given: { readonly columns?: number; readonly rows?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Sitting {
  const columns = given.columns ?? 80
  const rows = given.rows ?? 24
  const screen = createScreen(columns, rows)
  const child = spawn(process.execPath, [program.file, ...words], {
    // It becomes TERM, whatever env says.
    name: given.env?.["TERM"] ?? "xterm-256color",
    cols: columns,
    rows,
    cwd: place.work,
    env: { ...place.env, ...given.env },
  })
  let raw = ""
  let tell = (): void => {}
  let code: number | null = null
  child.onData(data => {
    raw += data
    screen.write(data)
    tell()
  })
  child.onExit(({ exitCode, signal }) => {
    code = signal === undefined || signal === 0 ? exitCode : 128 + signal
    tell()
  })
  const until = <T>(found: () => T | null, what: string): Promise<T> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new Error(`waited for ${what}; the screen was:\n${screen.text()}\nexit code ${code}`))
      }, patience)
      const look = (): void => {
        const value = found()
        if (value === null) return
        clearTimeout(late)
        tell = () => {}
        resolve(value)
      }
      tell = look
      look()
    })
  return {
    screen,
    raw: () => raw,
    type: keys => child.write(keys),
    resize: (wide, high) => {
      screen.resize(wide, high)
      child.resize(wide, high)
    },
    kill: signal => child.kill(signal),
    see: wanted =>
      until(() => {
        const text = screen.text()
        const there =
          typeof wanted === "string"
            ? text.includes(wanted)
            : wanted instanceof RegExp
              ? wanted.test(text)
              : wanted(text)
        return there ? text : null
      }, String(wanted)),
    ended: () => until(() => code, "its end"),
  }
}
