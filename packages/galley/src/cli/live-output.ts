import { inert } from "./inert.ts"

/** Takes a command's output as it arrives. */
export interface LiveOutput {
  add(chunk: Uint8Array): void
  /** What was held back. The cursor then stands at the start of a line, where this is a terminal. */
  end(): void
}

/** A pipe or a file gets the command's own bytes. */
export function plainOutput(write: (bytes: Uint8Array) => void): LiveOutput {
  return { add: write, end: () => {} }
}

/**
 * A terminal gets text that it can only show, never obey: colours are dropped, other escape sequences and controls spelled out. A
 * line that begins a sequence or ends in a lone carriage return is held until more of it is there.
 */
export function terminalOutput(write: (text: string) => void): LiveOutput {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let held = ""
  let atStart = true
  const put = (text: string): void => {
    const shown = inert(withoutColors(text))
    if (shown === "") return
    write(shown)
    atStart = shown.endsWith("\n")
  }
  const take = (text: string): void => {
    const all = held + text
    const line = all.lastIndexOf("\n") + 1
    const open = all.slice(line)
    // A bound, or a "line" of binary output without an end would be kept whole.
    const holds = /[\u001b\r]/.test(open) && open.length < 4096
    held = holds ? open : ""
    put(holds ? all.slice(0, line) : all)
  }
  return {
    add: chunk => take(decoder.decode(chunk, { stream: true })),
    end() {
      put(held + decoder.decode())
      held = ""
      if (!atStart) write("\n")
      atStart = true
    },
  }
}

/** Progress lines (text after a lone carriage return overwrites the line) keep what a terminal would show last. */
function withoutColors(text: string): string {
  return text
    .replace(/\u001b\[[0-9;:]*m/g, "")
    .replace(/\r+\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
}
