/** SHA-256 of a content, 64 lower-case hexadecimal digits. */
export type BlobId = string

/**
 * What stands at a path.
 *
 * `absent` was *observed*: somebody looked and nothing was there. `unknown` was never seen or could not be read; it never
 * drives a write or a delete. `mode` is the permission bits (0o7777). Folders are implied by their files; only empty
 * folders and folder modes are states of their own.
 */
export type State =
  | { readonly kind: "absent" }
  | { readonly kind: "file"; readonly blob: BlobId; readonly size: number; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "other"; readonly what: "fifo" | "socket" | "device" }
  | { readonly kind: "unknown" }

export type FileState = Extract<State, { kind: "file" }>

export const absent: State = { kind: "absent" }
export const unknown: State = { kind: "unknown" }

/** Equal in every property. Two `unknown` are not equal: nothing is known of either. */
export function sameState(a: State, b: State): boolean {
  switch (a.kind) {
    case "absent":
      return b.kind === "absent"
    case "file":
      return b.kind === "file" && a.blob === b.blob && a.mode === b.mode
    case "symlink":
      return b.kind === "symlink" && a.target === b.target
    case "folder":
      return b.kind === "folder" && a.mode === b.mode
    case "other":
      return b.kind === "other" && a.what === b.what
    case "unknown":
      return false
  }
}

/** Equal but for the mode: the same bytes, the same link target, both folders. */
export function sameContent(a: State, b: State): boolean {
  if (a.kind === "file" && b.kind === "file") return a.blob === b.blob
  if (a.kind === "folder" && b.kind === "folder") return true
  return sameState(a, b)
}
