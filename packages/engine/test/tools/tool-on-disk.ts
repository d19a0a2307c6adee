import { type CallContext, type ToolFiles } from "../../src/session/tool-files.ts"
import type { IntentHandler } from "../../src/session/intents.ts"
import { plainToolFiles } from "../../src/session/plain-tool-files.ts"
import type { Files } from "../../src/io/files.ts"
import { type MemoryFiles, memoryFiles } from "../../src/io/memory-files.ts"
import { createEditTool, type EditResult, type EditTool } from "../../src/tools/edit-tool.ts"
import type { EditConfig } from "@galley/core/tool/edit-config.ts"

export const anyCall: CallContext = { conversation: "c", message: "m", callId: "1", policy: "workspace-write" }

/** A tool over a disk in memory whose root is `/w`. */
export interface ToolOnDisk {
  readonly disk: MemoryFiles
  readonly tool: EditTool
  call(input: Readonly<Record<string, unknown>>, call?: Partial<CallContext>): Promise<EditResult>
  put(path: string, content: string | Uint8Array, mode?: number): Promise<void>
  /** The content as UTF-8 text; null if nothing is there. */
  text(path: string): Promise<string | null>
  bytes(path: string): Promise<Uint8Array | null>
}

export interface ToolOnDiskParts {
  readonly config?: Partial<EditConfig>
  readonly intents?: readonly IntentHandler[]
  readonly wrapDisk?: (files: MemoryFiles) => Files
  readonly wrapTool?: (files: ToolFiles) => ToolFiles
  readonly limit?: number
}

export async function toolOnDisk(parts: ToolOnDiskParts = {}): Promise<ToolOnDisk> {
  const disk = memoryFiles(() => 0)
  await disk.makeFolder("/w", 0o755)
  let made = 0
  const plain = await plainToolFiles({
    files: parts.wrapDisk?.(disk) ?? disk,
    env: { newId: () => `id${++made}` },
    root: "/w",
    ...(parts.limit === undefined ? {} : { limit: parts.limit }),
  })
  const tool = createEditTool({
    files: parts.wrapTool?.(plain) ?? plain,
    config: { expandTabsOnMutation: false, ...parts.config },
    ...(parts.intents === undefined ? {} : { intents: parts.intents }),
  })
  const bytes = async (path: string): Promise<Uint8Array | null> => {
    if ((await disk.lstat(path)) === null) return null
    const read = await disk.read(path, Number.MAX_SAFE_INTEGER)
    return read === "tooLarge" ? null : read.bytes
  }
  return {
    disk,
    tool,
    call: (input, call = {}) => tool.call(input, { ...anyCall, ...call }),
    put: async (path, content, mode = 0o644) => {
      if ((await disk.lstat(path)) !== null) await disk.unlink(path)
      await disk.create(path, typeof content === "string" ? new TextEncoder().encode(content) : content, mode)
    },
    text: async path => {
      const found = await bytes(path)
      return found === null ? null : new TextDecoder("utf-8", { ignoreBOM: true }).decode(found)
    },
    bytes,
  }
}
