import type { LogResult, StatusResult } from "@galley/core/protocol/results.ts"
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { titleFor, withRealPaths } from "../model/changes.ts"
import type { TreeRow } from "../model/tree.ts"
import { AskError, type Client } from "../wire/client.ts"
import { type LiveState, stayLive } from "../wire/live.ts"

/** Up to this many messages the counts of all are asked for at once. */
export const fewMessages = 150

type MessageFiles = LogResult["messages"][number]["files"]
export const noFiles: MessageFiles = []

/** What the server says of the workspace, asked again whenever it announces a change. */
export function useWorkspace(client: Client, say: (text: string) => void) {
  const [live, setLive] = useState<LiveState>("connecting")
  const [status, setStatus] = useState<StatusResult | null>(null)
  const [log, setLog] = useState<LogResult | null>(null)
  const [stamp, setStamp] = useState(0)
  const [counts, setCounts] = useState<ReadonlyMap<string, LogResult["messages"][number]["files"]>>(new Map())
  /** Messages whose counts were asked for since the tree was last read. */
  const asking = useRef(new Set<string>())
  const refreshing = useRef<{ running: boolean; again: boolean }>({ running: false, again: false })
  const refresh = useCallback(async () => {
    const turn = refreshing.current
    if (turn.running) {
      turn.again = true
      return
    }
    turn.running = true
    try {
      do {
        turn.again = false
        const next = withRealPaths(await client.ask("status", {}))
        setStatus(next)
        setStamp(now => now + 1)
        const tree = await client.ask("log", { counts: false })
        const few = tree.messages.length <= fewMessages
        asking.current.clear()
        setLog(few ? await client.ask("log", {}) : tree)
      } while (turn.again)
    } catch (error) {
      if (error instanceof AskError && error.code === "UNTRUSTED") setLive("refused")
      else if (error instanceof AskError && error.code !== "UNREACHABLE") say(error.message)
    } finally {
      turn.running = false
    }
  }, [client, say])

  useEffect(() => stayLive(client, () => void refresh(), setLive), [client, refresh])
  useEffect(() => {
    document.title = titleFor(status)
    if (
      (status?.waiting.length ?? 0) > 0 &&
      document.hidden &&
      "Notification" in globalThis &&
      Notification.permission === "granted"
    )
      notify("A call waits for your answer.")
  }, [status])
  const countFiles = useCallback(
    (ids: readonly string[]) => {
      const wanted = ids.filter(id => !asking.current.has(id))
      if (wanted.length === 0) return
      for (const id of wanted) asking.current.add(id)
      client.ask("log", { messages: wanted }).then(
        ({ messages }) => setCounts(now => new Map([...now, ...messages.map(one => [one.id, one.files] as const)])),
        () => {
          for (const id of wanted) asking.current.delete(id)
        },
      )
    },
    [client],
  )
  const onRange = useCallback(
    (from: number, to: number, rows: readonly TreeRow[]) => {
      if (rows.length > fewMessages) countFiles(rows.slice(from, to).map(row => row.message.id))
    },
    [countFiles],
  )
  function filesOf(id: string): MessageFiles {
    return counts.get(id) ?? log?.messages.find(message => message.id === id)?.files ?? noFiles
  }

  return { live, status, log, stamp, refresh, countFiles, onRange, filesOf }
}

function notify(body: string): Notification {
  return new Notification("Galley", { body, tag: "galley-waiting" })
}
