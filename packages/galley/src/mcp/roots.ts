import { fileURLToPath } from "node:url"
import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server"

/** A client that declared roots and does not list them in this time gets the folder it started us in. */
const patienceMs = 5_000

/**
 * The folders a client works in, as paths; none where it says nothing. It is asked only if it declared that it can be: opencode,
 * codex and cline answer such a request with an error, or never.
 *
 * Until 2025-11-25 the server asks by a request of its own. Since 2026-07-28 it may not: it answers the call with what it
 * needs, and is called again; `InputRequiredResult` is that answer.
 */
export async function clientRoots(
  server: Server,
  call: ServerContext,
): Promise<readonly string[] | InputRequiredResult> {
  const { envelope, inputResponses } = call.mcpReq
  if (envelope !== undefined) {
    const declared = (envelope as { [CLIENT_CAPABILITIES_META_KEY]?: { roots?: unknown } })[
      CLIENT_CAPABILITIES_META_KEY
    ]
    if (inputResponses !== undefined) return foldersOf(inputResponses["roots"])
    if (declared?.roots === undefined) return []
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
  }
  if (server.getClientCapabilities()?.roots === undefined) return []
  try {
    return foldersOf(await server.listRoots(undefined, { timeout: patienceMs }))
  } catch {
    return []
  }
}

/** Untrusted: anything that is not a list of file URLs is as if it were not said. */
export function foldersOf(value: unknown): readonly string[] {
  if (typeof value !== "object" || value === null || !("roots" in value) || !Array.isArray(value.roots)) return []
  return value.roots.flatMap((root: unknown) => {
    if (typeof root !== "object" || root === null || !("uri" in root) || typeof root.uri !== "string") return []
    try {
      return root.uri.startsWith("file:") ? [fileURLToPath(root.uri)] : []
    } catch {
      return []
    }
  })
}
