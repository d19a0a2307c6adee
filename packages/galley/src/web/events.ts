/** A client that is told of changes; lines as server-sent events have them. */
export interface Audience {
  /** A stream for one client. It ends when the client goes or the audience is closed. */
  join(hello: unknown, signal: AbortSignal): ReadableStream<Uint8Array>
  tell(event: string, data: unknown): void
  size(): number
  close(): void
}

/** Proxies and sleeping laptops cut silent streams; a comment keeps them, and tells the client that the server lives (ms). */
const signOfLife = 15_000
/** A client this far behind (events) is cut off: it comes back and asks anew. */
const mostWaiting = 1000

/** Opens the audience of one server. `changed` is called when the first comes and when the last goes. */
export function openAudience(changed: (listening: boolean) => void): Audience {
  const members = new Set<Member>()
  const encoder = new TextEncoder()
  const beat = setInterval(() => each(": here\n\n"), signOfLife)
  beat.unref()
  return {
    join(hello, signal) {
      let member: Member | null = null
      const leave = (): void => {
        if (member === null || !members.delete(member)) return
        if (members.size === 0) changed(false)
      }
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            member = { controller, leave }
            members.add(member)
            if (members.size === 1) changed(true)
            controller.enqueue(encoder.encode(`retry: 1000\n${wire("hello", hello)}`))
            signal.addEventListener("abort", leave)
          },
          cancel: leave,
        },
        { highWaterMark: mostWaiting },
      )
    },
    tell: (event, data) => each(wire(event, data)),
    size: () => members.size,
    close() {
      clearInterval(beat)
      for (const member of members) end(member)
      members.clear()
    },
  }

  function each(text: string): void {
    const bytes = encoder.encode(text)
    for (const member of members) {
      if ((member.controller.desiredSize ?? 0) <= 0) {
        end(member)
        member.leave()
      } else member.controller.enqueue(bytes)
    }
  }
}

interface Member {
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  readonly leave: () => void
}

function end(member: Member): void {
  try {
    member.controller.close()
  } catch {
    // The client had gone already.
  }
}

function wire(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
