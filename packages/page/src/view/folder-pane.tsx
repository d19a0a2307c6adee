import type { FileView } from "@galley/core/protocol/results.ts"
import { useEffect, useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import type { Client } from "../wire/client.ts"

/** Build outputs, which are one line: what they are, what is in them, and the two things that can be done with the whole. */
export function FolderPane(props: {
  readonly client: Client
  readonly file: FileView
  readonly decide: (kind: "accept" | "reject") => void
}) {
  const { client, file } = props
  const [list, setList] = useState<readonly string[] | null>(null)
  useEffect(() => {
    let current = true
    client.ask("show", { id: file.id }).then(
      ({ diff }) => {
        if (current) setList(diff.split("\n").flatMap(line => (line.startsWith("#   ") ? [line.slice(4)] : [])))
      },
      () => {
        if (current) setList([])
      },
    )
    return () => {
      current = false
    }
  }, [client, file.id, file.revision])
  const count = file.summary?.files ?? 0
  return (
    <article class="file-pane" aria-label={inertText(file.path)}>
      <header class="pane-head">
        <div class="pane-title">
          <h1>{inertText(file.path)}/</h1>
          <p class="fine">
            <span class="chip">build outputs</span>
            <span class="chip chip-held">not on disk</span>
          </p>
        </div>
        <div class="pane-actions">
          <button type="button" class="accept" onClick={() => props.decide("accept")}>
            Write folder
          </button>
          <button type="button" class="reject" onClick={() => props.decide("reject")}>
            Drop folder
          </button>
        </div>
      </header>
      <div class="scroll other" tabIndex={0} role="region" aria-label="What is in the folder">
        <p>
          <strong>
            {count.toLocaleString("en")} {count === 1 ? "path" : "paths"}
          </strong>{" "}
          that git ignores or that are dependencies. Later commands of the agent see them. They are not kept in the
          history: writing or dropping them cannot be undone, and “Accept all” leaves them alone.
        </p>
        <ul class="facts fine">
          {(file.properties ?? []).map(text => (
            <li key={text}>{inertText(text)}</li>
          ))}
        </ul>
        {list === null ? (
          <p class="nothing">Loading…</p>
        ) : (
          <pre class="paths">{list.map(path => `${inertText(path)}\n`)}</pre>
        )}
      </div>
    </article>
  )
}
