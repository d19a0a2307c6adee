/**
 * What a virtual document of ours shows. The path of its address is the file's own, so that its name and language fit; the query
 * says which text.
 */
export type Side =
  | { readonly kind: "base" }
  /** What a restore or a question would leave there, held for as long as the window lives. */
  | { readonly kind: "planned"; readonly plan: string }
  | { readonly kind: "empty" }
  | { readonly kind: "message"; readonly message: string }

/** Read-only texts. */
export const sideScheme = "galley"
/** The proposal of a file whose base is on disk: editable, saving it edits the proposal. */
export const proposalScheme = "galley-proposal"

export function sideQuery(side: Side): string {
  switch (side.kind) {
    case "base":
    case "empty":
      return side.kind
    case "planned":
      return `planned:${side.plan}`
    case "message":
      return `message:${side.message}`
  }
}

export function sideFrom(query: string): Side | null {
  if (query === "base" || query === "empty") return { kind: query }
  if (query.startsWith("planned:")) return { kind: "planned", plan: query.slice(8) }
  if (query.startsWith("message:")) return { kind: "message", message: query.slice(8) }
  return null
}
