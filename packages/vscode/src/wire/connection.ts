import type { Params, RequestName, Result } from "@galley/core/protocol/requests.ts"
import type { Server } from "../program/server.ts"
import { listen } from "./events.ts"
import { request, Unreachable } from "./request.ts"

export type Link =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  | { readonly kind: "lost"; readonly why: string }

/** Waits between attempts (ms); the last one repeats. */
const waits = [200, 500, 1_000, 2_000, 5_000, 10_000] as const

/**
 * A connection to a workspace's server that is made anew when the server ends: a program may be restarted, upgraded or killed while a
 * window is open.
 */
export class Connection {
  private link: Link = { kind: "connecting" }
  private server: Server | null = null
  private stream: { stop(): void } | null = null
  private timer: NodeJS.Timeout | null = null
  private attempt = 0
  private closed = false
  private readonly start: () => Promise<Server>
  private readonly changed: (link: Link) => void
  private readonly told: () => void

  /** `changed`: the link is another; `told`: something changed in the workspace. */
  constructor(start: () => Promise<Server>, changed: (link: Link) => void, told: () => void) {
    this.start = start
    this.changed = changed
    this.told = told
  }

  get state(): Link {
    return this.link
  }

  async open(): Promise<void> {
    if (this.closed) return
    try {
      const server = await this.start()
      if (this.closed) return server.stop()
      this.server = server
      this.stream = listen(
        server.address,
        ({ event }) => {
          if (event === "hello") {
            this.attempt = 0
            this.become({ kind: "open" })
          }
          this.told()
        },
        why => this.lose(why),
      )
    } catch (error) {
      this.lose(error instanceof Error ? error.message : String(error))
    }
  }

  /** Attempts at once, as the person asks or a setting changed. */
  retry(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    this.attempt = 0
    this.drop()
    this.become({ kind: "connecting" })
    void this.open()
  }

  async request<N extends RequestName>(name: N, params: Params<N>): Promise<Result<N>> {
    if (this.server === null) throw new Unreachable("Galley's program is not running.")
    return request(this.server.address, name, params)
  }

  close(): void {
    this.closed = true
    if (this.timer !== null) clearTimeout(this.timer)
    this.drop()
  }

  private lose(why: string): void {
    if (this.closed || this.timer !== null) return
    this.drop()
    this.become({ kind: "lost", why })
    const wait = waits[Math.min(this.attempt++, waits.length - 1)] ?? 10_000
    this.timer = setTimeout(() => {
      this.timer = null
      void this.open()
    }, wait)
  }

  private drop(): void {
    this.stream?.stop()
    this.server?.stop()
    this.stream = null
    this.server = null
  }

  private become(link: Link): void {
    this.link = link
    this.changed(link)
  }
}
