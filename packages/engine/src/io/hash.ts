import { createHash } from "node:crypto"
import type { BlobId } from "@galley/core/state.ts"

/** The id of a content: SHA-256 in lower-case hexadecimal. */
export function blobIdOf(bytes: Uint8Array): BlobId {
  return createHash("sha256").update(bytes).digest("hex")
}
