/** A terminal that a person sits at. Only `main.ts` makes one from the process. */
export interface Terminal {
  size(): { readonly columns: number; readonly rows: number }
  write(text: string): void
  /**
   * Listens until the returned function is called. `keys`: each key as it is pressed, not echoed, Ctrl-C among them. `lines`: the
   * terminal edits and echoes a line; it arrives when it is finished.
   */
  listen(mode: "keys" | "lines", listeners: TerminalListeners): () => void
  /** Written before this process ends, however it ends; empty for nothing. */
  onExit(text: string): void
  /** Stops this process as Ctrl-Z does; resolves when it goes on. */
  suspend(): Promise<void>
}

export interface TerminalListeners {
  readonly input: (text: string) => void
  readonly resized?: () => void
  /** No more input will come. */
  readonly ended: () => void
}

/** One line typed by the person; null when there are no more or `signal` was aborted. */
export function askLine(terminal: Terminal, prompt: string, signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return Promise.resolve(null)
  terminal.write(prompt)
  return new Promise(resolve => {
    let typed = ""
    const finish = (line: string | null): void => {
      stop()
      signal.removeEventListener("abort", onAbort)
      resolve(line)
    }
    const onAbort = (): void => finish(null)
    const stop = terminal.listen("lines", {
      input: text => {
        typed += text
        const end = typed.indexOf("\n")
        if (end >= 0) finish(typed.slice(0, end).replace(/\r$/, ""))
      },
      ended: () => finish(typed === "" ? null : typed),
    })
    signal.addEventListener("abort", onAbort)
  })
}
