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
  /** Runs a program on the terminal, to its end; its exit code. Nobody listens meanwhile. */
  foreground(argv: readonly string[]): Promise<number>
  /** Stops this process as Ctrl-Z does; resolves when it goes on. */
  suspend(): Promise<void>
}

export interface TerminalListeners {
  readonly input: (text: string) => void
  readonly resized?: () => void
  /** No more input will come. */
  readonly ended: () => void
}

/** Lines that a person types, one after the other; typed ahead or piped in, none is lost. */
export interface LineReader {
  /** Null when there are no more, or it was closed. */
  ask(prompt: string): Promise<string | null>
  /** Reads nothing while another program has the terminal. */
  aside<T>(work: () => Promise<T>): Promise<T>
  close(): void
}

export function readLines(terminal: Terminal, signal: AbortSignal): LineReader {
  let typed = ""
  let over = false
  let waiting: ((line: string | null) => void) | null = null
  const serve = (): void => {
    if (waiting === null) return
    const end = typed.indexOf("\n")
    if (end < 0 && !over) return
    const line = end < 0 ? typed : typed.slice(0, end)
    const answer = end < 0 && typed === "" ? null : line.replace(/\r$/, "")
    typed = end < 0 ? "" : typed.slice(end + 1)
    const resolve = waiting
    waiting = null
    resolve(answer)
  }
  const listen = (): (() => void) =>
    terminal.listen("lines", {
      input: text => {
        typed += text
        serve()
      },
      ended: () => {
        over = true
        serve()
      },
    })
  let stop = listen()
  const close = (): void => {
    if (!over) stop()
    over = true
    typed = ""
    signal.removeEventListener("abort", close)
    serve()
  }
  signal.addEventListener("abort", close)
  if (signal.aborted) close()
  return {
    ask: prompt => {
      if (!over || typed !== "") terminal.write(prompt)
      return new Promise(resolve => {
        waiting = resolve
        serve()
      })
    },
    aside: async work => {
      if (over) return work()
      stop()
      try {
        return await work()
      } finally {
        if (!over) stop = listen()
      }
    },
    close,
  }
}
