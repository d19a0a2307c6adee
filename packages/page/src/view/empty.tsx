import type { StatusResult } from "@galley/core/protocol/results.ts"
import { inertText } from "../model/inert.ts"

/** Nothing to decide: what one may wait for. */
export function Empty({ status }: { readonly status: StatusResult }) {
  return (
    <div class="empty">
      <div class="empty-mark" aria-hidden="true">
        ✓
      </div>
      <h1>Nothing is pending</h1>
      <p>
        What an agent changes in <code>{inertText(status.workspace)}</code> appears here at once, to accept or reject
        piece by piece.
      </p>
    </div>
  )
}

/** The page without its key: opened by hand, or after the token was renewed. */
export function NoToken() {
  return (
    <main class="empty">
      <div class="empty-mark" aria-hidden="true">
        ⌁
      </div>
      <h1>This page needs its key</h1>
      <p>
        Run <code>galley serve</code> in your project and open the address that it prints. It holds a key that only you
        have.
      </p>
    </main>
  )
}
