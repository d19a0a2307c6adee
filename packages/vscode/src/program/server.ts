import { type ChildProcess, spawn } from "node:child_process"
import type { Address } from "../wire/address.ts"
import { addressFrom } from "../wire/address.ts"
import type { Program } from "./locate.ts"

/** The program's server, ours or one that ran already. */
export interface Server {
  readonly address: Address
  /** Ends it if we started it. */
  stop(): void
}

/** A start on a slow disk with a cold cache takes a second or two (ms). */
const startTime = 30_000

/**
 * Runs `galley serve`, which prints the address of the workspace's server: its own, and stays; or one that runs already, and ends. So
 * two windows, or a window and a browser, share one.
 */
export function startServer(program: Program, folder: string, log: (text: string) => void): Promise<Server> {
  const args = [...program.args, "serve", "--no-open", "--json"]
  const child = spawn(program.command, args, {
    cwd: folder,
    env: { ...process.env, ...program.env },
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  })
  return new Promise((resolve, reject) => {
    let printed = ""
    let complaint = ""
    let settled = false
    const fail = (why: string): void => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      end(child)
      reject(new Error(why))
    }
    const timer = setTimeout(() => fail(`The program did not answer within ${startTime / 1000} s.`), startTime)
    child.on("error", error => fail(error.message))
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = `${complaint}${text}`.slice(-2000)
      log(text.trimEnd())
    })
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (settled) return
      printed += text
      const address = addressFrom(printed)
      if (address === null) return
      settled = true
      clearTimeout(timer)
      resolve({ address, stop: () => end(child) })
    })
    child.on("close", code => fail(complaint.trim() || `The program ended with code ${String(code)}.`))
  })
}

function end(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM")
}
