import type { Selection } from "@galley/core/protocol/requests.ts"
import type { FileView } from "@galley/core/protocol/results.ts"
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks"
import { filesIn, findAlike, hunkNames, neighbour, type Scope, type Seen, totals } from "../model/changes.ts"
import { type DraftComment, isDrafts, isSeen } from "../model/draft-comments.ts"
import { inertText } from "../model/inert.ts"
import { useKept } from "../model/kept.ts"
import { type Place, readPlace, writePlace } from "../model/place.ts"
import { plainTitle } from "../model/titles.ts"
import { AskError, type Client } from "../wire/client.ts"
import { ChangesPanel } from "./changes-panel.tsx"
import { ConflictDialog } from "./conflict-dialog.tsx"
import { Empty, NoToken } from "./empty.tsx"
import { type FileHandle, FilePane } from "./file-pane.tsx"
import { FolderPane } from "./folder-pane.tsx"
import { Header } from "./header.tsx"
import { Help } from "./help.tsx"
import { HistoryPanel } from "./history-panel.tsx"
import { usePageKeys } from "./keys.ts"
import { MessagePane } from "./message-pane.tsx"
import { type PlanAsked, PlanDialog } from "./plan-dialog.tsx"
import { StepsBar } from "./steps-bar.tsx"
import { Toasts, useToasts } from "./toasts.tsx"
import { Waiting } from "./waiting.tsx"
import { fewMessages, noFiles, useWorkspace } from "./workspace.ts"

/** The page: what is pending on the left, the proof on the right. */
export function App({ client }: { readonly client: Client }) {
  const [place, setPlace] = useState<Place>(() => readPlace(location.hash))
  const [panel, setPanel] = useState<"changes" | "history">(place.kind === "message" ? "history" : "changes")
  const [drawer, setDrawer] = useState(false)
  const [scope, setScope] = useState<Scope>({ kind: "all" })
  const [words, setWords] = useState("")
  const [at, setAt] = useState({ index: 0, count: 0 })
  const [seen, setSeen] = useKept<Seen>("seen", {}, isSeen)
  const [sideBySide, setSideBySide] = useKept("side-by-side", false, value => typeof value === "boolean")
  const [folded, setFolded] = useKept("folded", false, value => typeof value === "boolean")
  const [theme, setTheme] = useKept("theme", "auto", value => typeof value === "string")
  const [drafts, setDrafts] = useKept<readonly DraftComment[]>("comments", [], isDrafts)
  const [plan, setPlan] = useState<PlanAsked | null>(null)
  const [help, setHelp] = useState(false)
  const [conflict, setConflict] = useState<{ kind: "accept" | "reject"; selection: Selection; message: string } | null>(
    null,
  )
  const [busy, setBusy] = useState(false)
  const { toasts, say, drop } = useToasts()
  const { live, status, log, stamp, refresh, countFiles, onRange, filesOf } = useWorkspace(client, say)
  const file = useRef<FileHandle | null>(null)
  const here = useRef({ place, status })
  here.current = { place, status }

  const go = useCallback((next: Place, options: { readonly replace?: boolean } = {}) => {
    const address = writePlace(next)
    if (options.replace === true) history.replaceState(null, "", address)
    else if (location.hash !== address) history.pushState(null, "", address)
    setPlace(next)
    // What the page opens by itself leaves the list as it is.
    if (options.replace !== true) setDrawer(false)
  }, [])

  useEffect(() => {
    const onHash = (): void => setPlace(readPlace(location.hash))
    const onFocus = (): void => void refresh()
    const onLeave = (event: BeforeUnloadEvent): void => {
      if (file.current?.keep() === false) event.preventDefault()
    }
    addEventListener("popstate", onHash)
    addEventListener("hashchange", onHash)
    addEventListener("focus", onFocus)
    addEventListener("beforeunload", onLeave)
    return () => {
      removeEventListener("popstate", onHash)
      removeEventListener("hashchange", onHash)
      removeEventListener("focus", onFocus)
      removeEventListener("beforeunload", onLeave)
    }
  }, [refresh])
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme
  }, [theme])

  const all = useMemo(() => status?.files ?? [], [status])
  const scoped = scope.kind === "message" ? filesOf(scope.id) : noFiles
  const files = useMemo(() => filesIn(scope, all, scoped, seen, words), [scope, all, scoped, seen, words])
  const alike = useMemo(() => findAlike(all), [all])
  const sum = useMemo(() => totals(all), [all])

  // With nothing chosen, the first file is open: one comes to see the proof.
  useEffect(() => {
    const [first] = files
    if (place.kind === "home" && first !== undefined && panel === "changes")
      go({ kind: "file", path: first.path, hunk: null }, { replace: true })
  }, [place, files, panel, go])

  const decide = useCallback(
    async (kind: "accept" | "reject", selection: Selection): Promise<boolean> => {
      setBusy(true)
      try {
        const { title, operation } = await client.ask(kind, selection)
        // A folder of build outputs is decided without an operation that could be undone.
        if (operation === null)
          say(title === undefined || title.endsWith(" nothing") ? "There was nothing left to decide." : told(title))
        else say(told(title), { label: "Undo", act: () => void undo("undo") })
        return true
      } catch (error) {
        if (!(error instanceof AskError)) throw error
        if (error.code === "CONFLICT") setConflict({ kind, selection, message: error.message })
        else if (error.code === "STALE_REVISION")
          say(`${error.message.replace(/ Nothing was decided\.$/, "")} Nothing was decided: look again.`)
        else say(`${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}`)
        return false
      } finally {
        setBusy(false)
        void refresh()
      }
    },
    [client, say, refresh],
  )

  async function undo(which: "undo" | "redo"): Promise<void> {
    setBusy(true)
    try {
      const { title, operation } = await client.ask(which, {})
      say(operation === null ? `Nothing to ${which}.` : told(title))
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error))
    } finally {
      setBusy(false)
      await refresh()
      file.current?.refresh()
    }
  }

  const told = (title = "Done"): string => plainTitle(title, here.current.status?.workspace ?? "")
  function openFile(path: string): void {
    go({ kind: "file", path, hunk: null })
  }

  function stepFile(by: 1 | -1): void {
    const next = neighbour(files, place.kind === "file" ? place.path : null, by)
    if (next !== null) openFile(next.path)
  }

  function stepHunk(by: 1 | -1): void {
    if (file.current?.step(by) !== true) stepFile(by)
  }

  function afterLast(): void {
    const path = place.kind === "file" ? place.path : null
    const before = files.findIndex(one => one.path === path)
    const left = (here.current.status?.files ?? []).filter(
      one => one.path !== path && !one.parked && one.summary === undefined,
    )
    const next = files.slice(before + 1).find(one => left.some(two => two.path === one.path)) ?? left[0]
    if (next !== undefined) openFile(next.path)
  }

  async function mark(view: FileView): Promise<void> {
    try {
      await client.ask("mark", view.reviewed === true ? { path: view.path, off: true } : { path: view.path })
    } catch (error) {
      say(error instanceof AskError ? error.message : String(error))
    }
    await refresh()
  }

  async function sendComments(): Promise<void> {
    const left = [...drafts]
    try {
      for (let next = left[0]; next !== undefined; next = left[0]) {
        await client.ask("comment", { path: next.path, line: next.line, text: next.text })
        left.shift()
      }
      say(
        drafts.length === 1
          ? "The comment goes to the agent at its next contact."
          : `${drafts.length} comments go to the agent at its next contact.`,
      )
    } catch (error) {
      say(error instanceof AskError ? `Not all were sent: ${error.message}` : String(error))
    } finally {
      setDrafts(left)
      await refresh()
      file.current?.refresh()
    }
  }

  usePageKeys({
    j: () => stepHunk(1),
    k: () => stepHunk(-1),
    "]": () => stepFile(1),
    "[": () => stepFile(-1),
    a: () => file.current?.decide("accept"),
    r: () => file.current?.decide("reject"),
    A: () => file.current?.decideFile("accept"),
    R: () => file.current?.decideFile("reject"),
    u: () => void undo("undo"),
    U: () => void undo("redo"),
    e: () => file.current?.edit(),
    c: () => file.current?.comment(),
    v: () => {
      const view = all.find(one => place.kind === "file" && one.path === place.path)
      if (view !== undefined) void mark(view)
    },
    s: () => setSideBySide(now => !now),
    x: () => setFolded(now => !now),
    "1": () => setPanel("changes"),
    "2": () => setPanel("history"),
    "/": () => {
      setPanel("changes")
      setDrawer(true)
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>(".filter")?.focus())
    },
    "?": () => setHelp(true),
  })

  const draftsHere = useMemo(
    () => drafts.filter(one => place.kind === "file" && one.path === place.path),
    [drafts, place],
  )
  const looked = useMemo(
    () => (scope.kind === "message" ? (log?.messages.find(one => one.id === scope.id) ?? null) : null),
    [scope, log],
  )
  if (live === "refused") return <NoToken />
  const message = place.kind === "message" ? log?.messages.find(one => one.id === place.id) : undefined
  const folder = all.find(one => one.summary !== undefined && place.kind === "file" && one.path === place.path)
  return (
    <div class={`page${drawer ? " drawer-open" : ""}`}>
      <Header
        status={status}
        live={live}
        busy={busy}
        theme={theme}
        setTheme={setTheme}
        comments={drafts.length}
        sendComments={() => void sendComments()}
        undo={which => void undo(which)}
        decideAll={kind => void decide(kind, { all: true })}
        help={() => setHelp(true)}
        drawer={() => setDrawer(!drawer)}
        drawerOpen={drawer}
        sum={sum}
      />
      {live === "away" ? (
        <p class="away" role="alert">
          The server is away. What you see is what it last said; what you type is kept here and saved when it is back.
        </p>
      ) : null}
      {(status?.notices ?? []).map(notice => (
        <p key={notice} class="notice" role="status">
          {inertText(notice)}
        </p>
      ))}
      <div class="columns">
        <nav class="side" aria-label="Changes and history">
          <div class="tabs" role="tablist" aria-label="What is listed">
            {(["changes", "history"] as const).map(name => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={panel === name}
                aria-controls="side-panel"
                onClick={() => setPanel(name)}
              >
                {name === "changes" ? "Changes" : "History"}
                <span class="count">{name === "changes" ? all.length : (log?.messages.length ?? 0)}</span>
              </button>
            ))}
          </div>
          <div class="side-body" id="side-panel" role="tabpanel" aria-labelledby={`tab-${panel}`}>
            {panel === "changes" ? (
              <ChangesPanel
                files={files}
                all={all}
                log={log}
                seen={seen}
                scope={scope}
                words={words}
                open={place.kind === "file" ? place.path : null}
                rules={status?.rules ?? []}
                setScope={next => {
                  setScope(next)
                  if (next.kind === "message" && (log?.messages.length ?? 0) > fewMessages) countFiles([next.id])
                }}
                setWords={setWords}
                show={openFile}
              />
            ) : (
              <HistoryPanel
                log={log}
                heads={status?.heads ?? []}
                open={place.kind === "message" ? place.id : null}
                show={id => go({ kind: "message", id })}
                onRange={onRange}
                countsOf={filesOf}
              />
            )}
          </div>
        </nav>
        <main class="main">
          <Waiting client={client} calls={status?.waiting ?? []} workspace={status?.workspace ?? ""} say={say} />
          {status === null ? (
            <p class="nothing">{live === "away" ? "Waiting for the server…" : "Loading…"}</p>
          ) : message !== undefined ? (
            <MessagePane
              client={client}
              message={message}
              isHead={status.heads.some(head => head.message === message.id)}
              stamp={stamp}
              workspace={status.workspace}
              plan={setPlan}
              decide={(kind, id) => void decide(kind, { message: id })}
              showFile={openFile}
            />
          ) : folder !== undefined ? (
            <FolderPane
              client={client}
              file={folder}
              decide={kind => void decide(kind, { path: folder.path }).then(done => (done ? afterLast() : undefined))}
            />
          ) : place.kind === "file" ? (
            <FilePane
              key={place.path}
              client={client}
              path={place.path}
              hunk={place.hunk}
              alike={alike}
              drafts={draftsHere}
              message={looked}
              sideBySide={sideBySide}
              folded={folded}
              stamp={stamp}
              handle={file}
              decide={decide}
              say={say}
              nextFile={afterLast}
              at={(index, count, id) => {
                setAt({ index, count })
                history.replaceState(null, "", writePlace({ kind: "file", path: place.path, hunk: id }))
              }}
              seen={view => setSeen(now => ({ ...now, [view.path]: hunkNames(view) }))}
              addComment={(line, text) =>
                setDrafts(now => [...now, { id: crypto.randomUUID(), path: place.path, line, text, state: "draft" }])
              }
              dropComment={id => setDrafts(now => now.filter(one => one.id !== id))}
              mark={view => void mark(view)}
              setSideBySide={setSideBySide}
              setFolded={setFolded}
              showAll={() => setScope({ kind: "all" })}
              openFile={openFile}
              pageKey={what => stepHunk(what === "next" ? 1 : -1)}
            />
          ) : (
            <Empty status={status} />
          )}
          {place.kind === "file" && files.length > 0 ? (
            <StepsBar
              change={folder === undefined ? at : { index: 0, count: 0 }}
              file={Math.max(1, files.findIndex(one => one.path === place.path) + 1)}
              files={files.length}
              step={stepHunk}
            />
          ) : null}
        </main>
      </div>
      <Toasts toasts={toasts} drop={drop} />
      {help ? <Help close={() => setHelp(false)} advisory /> : null}
      {plan === null ? null : (
        <PlanDialog
          client={client}
          asked={plan}
          close={() => setPlan(null)}
          done={result => {
            setPlan(null)
            const moved = result.steps.filter(step => step.action !== "none" && step.action !== "skip").length
            say(`Restored: ${moved} ${moved === 1 ? "file" : "files"}.`, {
              label: "Undo",
              act: () => void undo("undo"),
            })
            void refresh()
          }}
        />
      )}
      {conflict === null ? null : (
        <ConflictDialog
          message={conflict.message}
          close={() => setConflict(null)}
          choose={how => {
            const { kind, selection } = conflict
            setConflict(null)
            void decide(kind, { ...selection, onConflict: how }).then(() => file.current?.refresh())
          }}
        />
      )}
    </div>
  )
}
