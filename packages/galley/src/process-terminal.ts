import { spawn } from "node:child_process"
import { writeSync } from "node:fs"
import type { Terminal } from "./cli/terminal.ts"

/**
 * The terminal of this process. Its mode is put back when listening stops and when the process ends, by `exit`, by a thrown error or by
 * a signal that `main.ts` turns into an end; a kill -9 leaves it, as for every program (`reset` mends it).
 */
export function processTerminal(): Terminal {
  const { stdin, stdout } = process
  let leaving = ""
  process.on("exit", () => {
    // Not through the stream: nothing asynchronous is done any more.
    if (leaving !== "") writeSync(1, leaving)
  })
  return {
    size: () => ({ columns: stdout.columns, rows: stdout.rows }),
    write: text => void stdout.write(text),
    listen(mode, listeners) {
      const decoder = new TextDecoder()
      const input = (chunk: Buffer | string): void =>
        listeners.input(typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))
      const resized = (): void => listeners.resized?.()
      const ended = (): void => listeners.ended()
      const raw = mode === "keys" && stdin.isTTY
      if (raw) stdin.setRawMode(true)
      stdin.on("data", input)
      stdin.on("end", ended)
      stdout.on("resize", resized)
      stdin.resume()
      return () => {
        stdin.off("data", input)
        stdin.off("end", ended)
        stdout.off("resize", resized)
        if (raw) stdin.setRawMode(false)
        stdin.pause()
      }
    },
    onExit(text) {
      leaving = text
    },
    foreground: ([program = "", ...args]) =>
      new Promise((resolve, reject) => {
        const child = spawn(program, args, { stdio: "inherit" })
        child.on("error", reject)
        child.on("exit", (code, signal) => resolve(code ?? (signal === null ? 1 : 128)))
      }),
    suspend: () =>
      new Promise(resolve => {
        process.once("SIGCONT", () => resolve())
        process.kill(process.pid, "SIGTSTP")
      }),
  }
}
