import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "esbuild"
import { realEnv } from "../../src/io/env.ts"
import { openWorkspace } from "../../src/open.ts"
import { resolveConfig } from "../../src/session/config.ts"
import type { Deed } from "./deeds.ts"
import type { Disaster } from "./disaster.ts"
import { copyPlace, lookAtPlace, makeFixture, type Fixture, type Seen } from "./fixture.ts"

/** Where the child dies or fails: of which deed, at which call, how. */
export interface Point {
  readonly deed: Deed
  readonly kind: Exclude<Disaster["kind"], "count">
  readonly at: number
}

export interface Ending {
  readonly kind: "done" | "failure" | "foreign" | "killed" | "broken"
  readonly text: string
  readonly calls: { readonly changing: readonly string[]; readonly all: readonly string[] }
}

/** What a deed does when nothing fails. */
export interface Plain {
  readonly before: Seen
  readonly after: Seen
  readonly ending: Ending
}

/** Fixtures, the bundled child and what each deed does undisturbed; made once for many points. */
export class Ground {
  readonly #folder = mkdtempSync(join(tmpdir(), "galley-points-"))
  // Promises, so that two who ask at once get the same: ids of one fixture mean nothing in the other.
  readonly #fixtures = new Map<Deed["fixture"], Promise<Fixture>>()
  readonly #plain = new Map<string, Promise<Plain>>()
  #count = 0

  /** A bundle starts in a third of the time. */
  async open(): Promise<void> {
    await build({
      entryPoints: [join(import.meta.dirname, "child.ts")],
      outfile: join(this.#folder, "child.mjs"),
      bundle: true,
      platform: "node",
      target: "node22",
      format: "esm",
      banner: {
        js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
      },
      logLevel: "warning",
    })
  }

  plainOf(deed: Deed): Promise<Plain> {
    const plain = this.#plain.get(deed.name) ?? this.#undisturbed(deed)
    this.#plain.set(deed.name, plain)
    return plain
  }

  async #undisturbed(deed: Deed): Promise<Plain> {
    const place = await this.#place(deed)
    const before = (await lookAtPlace(place)).seen
    const ending = await this.#run(place, deed, { at: 0, kind: "count" })
    if (ending.kind !== "done") throw new Error(`${deed.name} fails undisturbed: ${ending.text}`)
    const { seen: after, wrong } = await lookAtPlace(place)
    if (wrong.length > 0) throw new Error(`${deed.name} undisturbed: ${wrong.join("; ")}`)
    rmSync(place, { recursive: true, force: true })
    return { before, after, ending }
  }

  /** Lets the disaster happen, opens the place again, and answers what is wrong with it; empty is good. */
  async try(point: Point): Promise<{ readonly ending: Ending; readonly wrong: readonly string[] }> {
    const plain = await this.plainOf(point.deed)
    const place = await this.#place(point.deed)
    try {
      const ending = await this.#run(place, point.deed, point)
      const wrong: string[] = []
      if (ending.kind === "foreign" || ending.kind === "broken") wrong.push(`${ending.kind}: ${ending.text}`)
      wrong.push(...(await processesOf(place)))
      const notices = await reopen(place)
      const { seen, wrong: found } = await lookAtPlace(place)
      const unrecorded = isUnrecorded(ending)
      // What a direct command did, or an edit that could not be recorded, is folded in when its path is next looked at.
      const unfolded = (line: string): boolean =>
        (unrecorded || isDirect(point.deed, plain)) && line.includes("on disk is")
      wrong.push(...found.filter(line => !unfolded(line)))
      if (isSkipping(ending)) wrong.push(...judgeEach(plain, seen))
      else if (isLeavingOut(ending)) wrong.push(...judgeLeftOut(plain, withoutHeld(plain, seen), ending))
      else if (!unrecorded) wrong.push(...judge(point.deed, plain, withoutHeld(plain, seen), notices))
      else if (!isMadeUnrecorded(point.deed, plain, seen))
        wrong.push(`an edit that was not recorded left: ${JSON.stringify(seen)}`)
      return { ending, wrong }
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
  }

  async close(): Promise<void> {
    for (const fixture of this.#fixtures.values()) (await fixture).end()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #place(deed: Deed): Promise<string> {
    const place = join(this.#folder, `place-${++this.#count}`)
    copyPlace((await this.#fixtureOf(deed)).folder, place)
    return place
  }

  #fixtureOf(deed: Deed): Promise<Fixture> {
    const fixture = this.#fixtures.get(deed.fixture) ?? makeFixture(deed.fixture)
    this.#fixtures.set(deed.fixture, fixture)
    return fixture
  }

  async #run(place: string, deed: Deed, disaster: Disaster): Promise<Ending> {
    const { names } = await this.#fixtureOf(deed)
    const text = JSON.stringify({ root: join(place, "work"), home: join(place, "home"), deed })
    const word = text.replaceAll(/WAITING|MESSAGE|HUNK/g, name => names[name] ?? name)
    const { kind, at } = disaster
    const child = spawn(process.execPath, [join(this.#folder, "child.mjs"), word], {
      env: { ...process.env, CRASH_DISASTER: JSON.stringify({ kind, at }) },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let out = ""
    let errors = ""
    child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()))
    const timer = setTimeout(() => child.kill("SIGABRT"), 60_000)
    // "close", not "exit": on a busy machine what it said may arrive after its end.
    const [code, signal] = await new Promise<[number | null, string | null]>(resolve =>
      child.on("close", (...ended) => resolve(ended)),
    )
    clearTimeout(timer)
    if (signal === "SIGKILL") return { kind: "killed", text: "", calls: { changing: [], all: [] } }
    try {
      return JSON.parse(out) as Ending
    } catch {
      return { kind: "broken", text: `exit ${code ?? signal}: ${out}${errors}`, calls: { changing: [], all: [] } }
    }
  }
}

/** As any next command does: opens, which repairs and closes. */
async function reopen(place: string): Promise<readonly string[]> {
  const workspace = await openWorkspace({
    root: join(place, "work"),
    home: join(place, "home"),
    config: resolveConfig([]),
    env: realEnv(),
  })
  const notices = workspace.notices
  await workspace.close()
  return notices
}

/** On a machine without views every command is direct. */
function isDirect(deed: Deed, plain: Plain): boolean {
  const isCommand = deed.request === "run" || deed.params["tool"] === "bash"
  return deed.direct === true || (isCommand && /"capture":"(recorded|detected)"/.test(plain.ending.text))
}

/** The store failed and the agent's edit was made all the same, and said so (REQUIREMENTS B6). */
function isUnrecorded(ending: Ending): boolean {
  return ending.kind === "done" && ending.text.includes("it could not be recorded")
}

/**
 * The change is on disk as if nothing had happened; of the rest at most the message that it began is in the store. What a direct command
 * did is noted before it runs, and recorded by the next start.
 */
function isMadeUnrecorded(deed: Deed, plain: Plain, seen: Seen): boolean {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  return same(seen.tree, plain.after.tree) && (isDirect(deed, plain) || same(seen.operations, plain.before.operations))
}

/** A rewind leaves alone what it cannot read just then, and says so. */
function isSkipping(ending: Ending): boolean {
  return ending.kind === "done" && ending.text.includes("it cannot be read now, so it is left alone")
}

/** A command's change of what cannot be read just then is left out, and the answer says of which path. */
function isLeavingOut(ending: Ending): boolean {
  return ending.kind === "done" && /was left as it was: |was not kept: it cannot be read/.test(ending.text)
}

/** Each path is wholly as before or as after, on disk and in the store; what is not as after was named. */
function judgeLeftOut({ before, after }: Plain, seen: Seen, { text }: Ending): string[] {
  const paths = new Set([before, after, seen].flatMap(one => [...Object.keys(one.items), ...Object.keys(one.tree)]))
  return [...paths].flatMap(path => {
    const [was, is, should] = [before, seen, after].map(one => `${one.tree[path]} ${one.items[path]}`)
    if (is === should) return []
    if (is !== was) return [`${path} is ${is}, was ${was}, should be ${should}`]
    return text.includes(path) ? [] : [`${path} was left out and not named: ${text}`]
  })
}

/** Each path is as before or as after, on disk. What was left alone is as it was. */
function judgeEach({ before, after }: Plain, { tree }: Seen): string[] {
  const paths = new Set([before, after].flatMap(one => Object.keys(one.tree)).concat(Object.keys(tree)))
  return [...paths]
    .filter(path => tree[path] !== before.tree[path] && tree[path] !== after.tree[path])
    .map(path => `${path} is ${tree[path]}, was ${before.tree[path]}, should be ${after.tree[path]}`)
}

/**
 * What a command did to a file that could not be read just then is held for review, as is what raced with somebody: the text is kept and
 * the disk as before. Seen as if it had been written.
 */
function withoutHeld({ before, after }: Plain, seen: Seen): Seen {
  const held = Object.keys(seen.items).filter(
    path =>
      seen.items[path] === after.items[path]?.replace(/current$/, "base") &&
      seen.items[path] !== after.items[path] &&
      seen.tree[path] === before.tree[path],
  )
  const put = <T>(there: Readonly<Record<string, T>>, from: Readonly<Record<string, T>>): Record<string, T> => {
    const next = Object.entries(there).map(([path, value]) => [path, held.includes(path) ? from[path] : value] as const)
    return Object.fromEntries(next.flatMap(([path, value]) => (value === undefined ? [] : [[path, value]])))
  }
  return { ...seen, items: put(seen.items, after.items), tree: put(seen.tree, after.tree) }
}

/** Wholly undone or wholly done; what several commits did may be done in part, but each file is as before or as after. */
function judge(deed: Deed, plain: Plain, seen: Seen, notices: readonly string[]): string[] {
  const { before, after } = plain
  if (isDirect(deed, plain)) return []
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  if (same(seen, before) || same(seen, after)) return []
  const wrong: string[] = []
  const said = notices.length === 0 ? "" : ` (said: ${notices.join(" ")})`
  const isOld = same(seen.tree, before.tree)
  const isNew = same(seen.tree, after.tree)
  if (!isOld && !isNew) {
    for (const path of new Set([...Object.keys(before.tree), ...Object.keys(after.tree), ...Object.keys(seen.tree)]))
      if (seen.tree[path] !== before.tree[path] || seen.tree[path] !== after.tree[path])
        wrong.push(`${path} is ${seen.tree[path]}, was ${before.tree[path]}, should be ${after.tree[path]}${said}`)
  }
  const differs = (name: "items" | "operations" | "rest"): void => {
    if (same(seen[name], before[name]) || same(seen[name], after[name])) return
    wrong.push(
      `${name}: ${difference(seen[name], before[name])} from before; ${difference(seen[name], after[name])} from after${said}`,
    )
  }
  differs("items")
  differs("operations")
  differs("rest")
  if (!same(before.tree, after.tree) && isNew && same(seen.operations, before.operations))
    wrong.push(`the files are new and the log is old${said}`)
  if (!same(before.tree, after.tree) && isOld && same(seen.operations, after.operations))
    wrong.push(`the files are old and the log is new${said}`)
  return wrong
}

function difference(a: unknown, b: unknown): string {
  const [one, other] = [a, b].map(
    value =>
      new Set(
        typeof value === "string"
          ? [value]
          : Array.isArray(value)
            ? value.map(String)
            : Object.entries(value as object).map(entry => entry.join(" ")),
      ),
  )
  const more = [...(one ?? [])].filter(line => other?.has(line) !== true)
  const less = [...(other ?? [])].filter(line => one?.has(line) !== true)
  return `+[${more.join(" | ")}] -[${less.join(" | ")}]`
}

/** Processes that still have to do with the place, after a moment in which the kernel may end them; mounts too. */
async function processesOf(place: string): Promise<string[]> {
  for (let round = 0; ; round++) {
    const found = readdirSync("/proc").flatMap(pid => {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
        return words.includes(place) ? [`process ${pid} is left: ${words.slice(0, 200)}`] : []
      } catch {
        return []
      }
    })
    if (readFileSync("/proc/self/mountinfo", "utf8").includes(place)) found.push("a mount is left")
    if (found.length === 0 || round === 20) return found
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
