import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Requests } from "@galley/engine/workspace.ts"
import { recordOf, textOf } from "./payload.ts"

/** What an agent lets one know of a fork. */
export interface ForkSigns {
  /** Its record of the conversation. */
  readonly transcript: string | null
  /** The conversation that its command line names as forked. */
  readonly named: string | null
}

/** The message at which a conversation that is new to Galley left another one. */
export async function forkedFrom(requests: Requests, conversation: string, signs: ForkSigns): Promise<string | null> {
  const own = await requests.log({ conversation, counts: false })
  if (own.messages.length > 0) return null
  if (signs.named !== null && signs.named !== conversation) {
    const { messages } = await requests.log({ conversation: signs.named, counts: false })
    const head = messages.findLast(message => message.onHeadPath)
    if (head !== undefined) return head.id
  }
  if (signs.transcript === null) return null
  const { transcript } = signs
  const rows = rowsOf(transcript)
  const taken = [...new Set(rows.map(row => row.message))].slice(-mostMessages)
  return (await lastKnown(requests, taken)) ?? lastKnown(requests, messagesOfCopies(transcript, rows))
}

/**
 * The session that a Claude Code process (2.1) was told to fork: without a terminal it writes the fork's record only after the prompt's
 * hook. Linux; elsewhere, and for a fork within a running process, the record alone tells.
 */
export function forkedByCommandLine(process: string | undefined): string | null {
  if (process === undefined || !/^\d+$/.test(process)) return null
  try {
    const words = readFileSync(`/proc/${process}/cmdline`, "utf8").split("\0")
    if (!words.includes("--fork-session")) return null
    const at = words.findIndex(word => /^(--resume|-r)(=|$)/.test(word))
    const word = words[at] ?? ""
    return textOf(word.includes("=") ? word.slice(word.indexOf("=") + 1) : words[at + 1])
  } catch {
    return null
  }
}

/** Beyond this a fork stands as a tree of its own: a hook has 100 ms. Bytes, of one record and of all that are compared. */
const largestTranscript = 4 << 20
const mostRead = 8 << 20
const mostMessages = 200

async function lastKnown(requests: Requests, messages: readonly string[]): Promise<string | null> {
  if (messages.length === 0) return null
  const known = new Set((await requests.log({ messages: [...messages], counts: false })).messages.map(({ id }) => id))
  return messages.findLast(id => known.has(id)) ?? null
}

/**
 * Claude Code 2.1.332 copies the rows of the old session with their ids and gives them the new message's: whose they were is in the old
 * session's record, which lies beside this one. Oldest first.
 */
function messagesOfCopies(transcript: string, rows: readonly Row[]): string[] {
  const places = new Map(rows.flatMap((row, at) => (row.id === null ? [] : [[row.id, at] as const])))
  if (places.size === 0) return []
  const found: { readonly at: number; readonly message: string }[] = []
  for (const path of siblings(transcript))
    for (const { id, message } of rowsOf(path)) {
      const at = id === null ? undefined : places.get(id)
      if (at !== undefined) found.push({ at, message })
    }
  return [...new Set(found.toSorted((a, b) => a.at - b.at).map(one => one.message))].slice(-mostMessages)
}

/** Other records of the folder, the latest first, as many as may be read. */
function siblings(transcript: string): string[] {
  try {
    const folder = dirname(transcript)
    const files = readdirSync(folder)
      .filter(name => name.endsWith(".jsonl") && join(folder, name) !== transcript)
      .map(name => ({ path: join(folder, name), ...statsOf(join(folder, name)) }))
      .toSorted((a, b) => b.mtimeMs - a.mtimeMs)
    let read = 0
    return files.filter(file => (read += file.size) <= mostRead).map(file => file.path)
  } catch {
    return []
  }
}

function statsOf(path: string): { readonly size: number; readonly mtimeMs: number } {
  const { size, mtimeMs } = statSync(path)
  return { size, mtimeMs }
}

interface Row {
  readonly id: string | null
  readonly message: string
}

/** Rows of an agent's record that name a message, oldest first. */
function rowsOf(transcript: string): Row[] {
  try {
    if (statSync(transcript).size > largestTranscript) return []
    return readFileSync(transcript, "utf8").split("\n").flatMap(rowOf)
  } catch {
    // No record, or not ours to read: then it is a conversation of its own.
    return []
  }
}

function rowOf(line: string): Row[] {
  if (!/"(?:promptId|prompt_id|turn_id)"/.test(line)) return []
  try {
    const row = recordOf(JSON.parse(line))
    // codex has it one level down.
    const message = [row, recordOf(row["payload"])]
      .flatMap(one => [one["promptId"], one["prompt_id"], one["turn_id"]])
      .map(textOf)
      .find(one => one !== null && one.length >= 8 && one.length <= 200)
    return message === null || message === undefined ? [] : [{ id: textOf(row["uuid"]), message }]
  } catch {
    return []
  }
}
