import type { FileView, LogResult } from "@galley/core/protocol/results.ts"
import { inertText } from "../model/inert.ts"
import { type Scope, type Seen, isNew, totals } from "../model/changes.ts"
import { VirtualList } from "./virtual-list.tsx"

const rowHeight = 46

/** The list of what is pending, in the chosen scope. */
export function ChangesPanel(props: {
  readonly files: readonly FileView[]
  readonly all: readonly FileView[]
  readonly log: LogResult | null
  readonly seen: Seen
  readonly scope: Scope
  readonly words: string
  readonly open: string | null
  readonly rules: readonly string[]
  readonly setScope: (scope: Scope) => void
  readonly setWords: (words: string) => void
  readonly show: (path: string) => void
}) {
  const { files, all, seen, scope } = props
  const sum = totals(files)
  const messages = props.log?.messages ?? []
  const fresh = all.filter(file => isNew(file, seen)).length
  return (
    <section class="panel" aria-label="Pending changes">
      <div class="panel-tools">
        <label class="field">
          <span class="sr">Which changes</span>
          <select
            value={scope.kind === "message" ? `m ${scope.id}` : scope.kind}
            onChange={event => props.setScope(readScope(event.currentTarget.value))}
          >
            <option value="all">All changes ({all.length})</option>
            <option value="new">New since I last looked ({fresh})</option>
            {messages.length > 0 ? (
              <optgroup label="Of one message">
                {messages
                  .toReversed()
                  .slice(0, 200)
                  .map(message => (
                    <option key={message.id} value={`m ${message.id}`}>
                      {inertText(message.title).slice(0, 60)}
                    </option>
                  ))}
              </optgroup>
            ) : null}
          </select>
        </label>
        <input
          type="search"
          class="filter"
          placeholder="Find a file  /"
          aria-label="Find a file by name"
          value={props.words}
          onInput={event => props.setWords(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === "Escape") event.currentTarget.blur()
          }}
        />
      </div>
      {files.length === 0 ? (
        <p class="nothing">{all.length === 0 ? "Nothing is pending." : "No file fits."}</p>
      ) : (
        <VirtualList
          items={files}
          rowHeight={rowHeight}
          label="Files with pending changes"
          keyOf={file => file.id}
          reveal={files.findIndex(file => file.path === props.open)}
          row={file => (
            <FileRow file={file} open={file.path === props.open} fresh={isNew(file, seen)} show={props.show} />
          )}
        />
      )}
      <footer class="panel-foot">
        <span>
          {files.length} {files.length === 1 ? "file" : "files"}, {sum.hunks} {sum.hunks === 1 ? "change" : "changes"}
        </span>
        <Counts added={sum.added} removed={sum.removed} />
      </footer>
      {props.rules.length > 0 ? (
        <p class="rules" title="Set as review.accept in Galley’s own configuration">
          Accepted at once by rule:{" "}
          {props.rules.map(rule => (
            <code key={rule}>{inertText(rule)}</code>
          ))}
        </p>
      ) : null}
    </section>
  )
}

function FileRow(props: {
  readonly file: FileView
  readonly open: boolean
  readonly fresh: boolean
  readonly show: (path: string) => void
}) {
  const { file } = props
  const slash = file.path.lastIndexOf("/")
  const [folder, name] = slash < 0 ? ["", file.path] : [file.path.slice(0, slash), file.path.slice(slash + 1)]
  const { letter, word } = kindLetter(file)
  const facts = [
    word,
    ...(file.conflict ? ["conflict"] : []),
    ...(file.reviewed === true ? ["reviewed"] : []),
    ...(props.fresh ? ["new"] : []),
    file.hunks.length === 1 ? "1 change" : `${file.hunks.length} changes`,
  ]
  return (
    <button
      type="button"
      class={`file-row${props.open ? " open" : ""}${file.reviewed === true ? " reviewed" : ""}`}
      aria-current={props.open ? "true" : undefined}
      data-path={file.path}
      title={inertText(file.path)}
      onClick={() => props.show(file.path)}
    >
      <span class={`kind kind-${letter}`} aria-hidden="true">
        {letter}
      </span>
      <span class="file-name">
        <span class="name">
          {inertText(name)}
          {props.fresh ? <span class="dot" /> : null}
        </span>
        <span class="folder">
          {file.from === undefined ? inertText(folder) : `from ${inertText(file.from)}`}
          {file.parked ? ` parked${file.branch === undefined ? "" : ` on ${inertText(file.branch)}`}` : ""}
        </span>
      </span>
      <span class="sr">, {facts.join(", ")}</span>
      <span class="file-facts">
        {file.conflict ? <span class="chip chip-conflict">conflict</span> : null}
        {file.reviewed === true ? <span class="tick">✓</span> : null}
        {file.summary === undefined ? (
          <Counts added={file.added ?? 0} removed={file.removed ?? 0} />
        ) : (
          <span class="count">{file.summary.files.toLocaleString("en")} files</span>
        )}
      </span>
    </button>
  )
}

export function Counts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span class="counts">
      {added > 0 ? <span class="plus">+{added.toLocaleString("en")}</span> : null}
      {removed > 0 ? <span class="minus">−{removed.toLocaleString("en")}</span> : null}
    </span>
  )
}

export function kindLetter(file: FileView): { readonly letter: string; readonly word: string } {
  const { kinds } = file
  if (file.parked) return { letter: "P", word: "parked" }
  if (file.summary !== undefined) return { letter: "…", word: "folder of build outputs" }
  if (kinds.includes("rename")) return { letter: "R", word: "renamed" }
  if (kinds.includes("create")) return { letter: "A", word: "created" }
  if (kinds.includes("delete")) return { letter: "D", word: "deleted" }
  if (kinds.includes("symlink")) return { letter: "L", word: "link" }
  if (kinds.includes("folder")) return { letter: "F", word: "folder" }
  if (kinds.includes("binary")) return { letter: "B", word: "binary" }
  if (kinds.length === 1 && kinds[0] === "mode") return { letter: "X", word: "mode" }
  return { letter: "M", word: "modified" }
}

function readScope(value: string): Scope {
  if (value === "all" || value === "new") return { kind: value }
  return { kind: "message", id: value.slice(2) }
}
