import { spawn, type ChildProcessByStdio } from "node:child_process"
import type { Socket } from "node:net"
import type { Readable, Writable } from "node:stream"
import { hasEscapedByte, pathToBytes } from "@galley/core/path.ts"

/**
 * Extended attributes and ACLs, for which Node has no calls: GNU tar tells which files have any (one process that stays and is asked
 * again), GNU cp copies them (one process for each that has). Decided and measured in `docs/decisions/extended-attributes.md`.
 */

/** Answers which of the paths carry attributes or ACLs, or stand in a folder with an ACL; null if this machine cannot tell. */
export type AttributeLook = (paths: readonly string[]) => Promise<ReadonlySet<string> | null>

/** Nothing is started before the first question; what was started ends with this process, or when it was not asked for a while. */
export function attributeLook(): AttributeLook {
  let lister: Lister | null = null
  let before: Promise<unknown> = Promise.resolve()
  const ask = async (paths: readonly string[]): Promise<ReadonlySet<string> | null> => {
    if (lister?.ended !== false) lister = new Lister()
    const folders = [...new Set(paths.map(folderOf))]
    const lines = await lister.list([...paths, ...folders])
    if (lines === null) return null
    // A file that went meanwhile has no line, and the rest cannot be told apart: cp looks at each.
    if (lines.length !== paths.length + folders.length) return new Set(paths)
    const giving = new Set(folders.filter((_, index) => markOf(lines[paths.length + index]) === "+"))
    return new Set(paths.filter((path, index) => markOf(lines[index]) !== " " || giving.has(folderOf(path))))
  }
  return paths => {
    if (paths.length === 0) return Promise.resolve(new Set())
    if (process.platform !== "linux") return Promise.resolve(null)
    const answer = before.then(() => ask(paths))
    before = answer.catch(() => undefined)
    return answer
  }
}

/** Copies them, the mode with them; returns what could not be kept, in words. */
export async function copyAttributes(from: string, to: string): Promise<readonly string[]> {
  if (process.platform !== "linux") return ["extended attributes and ACLs"]
  const options = ["--attributes-only", "--preserve=mode,xattr", "--no-target-directory", "--"]
  const paths = [seenByChild(from), seenByChild(to)]
  // Arguments are UTF-8 in Node; names with other bytes go through the input of xargs.
  const done = paths.some(hasEscapedByte)
    ? await succeeds("xargs", ["--null", "cp", ...options], pathToBytes(`${paths.join("\0")}\0`))
    : await succeeds("cp", [...options, ...paths], new Uint8Array())
  return done ? [] : ["extended attributes or ACLs"]
}

/**
 * As if it made an archive, which goes to `/dev/null`, so that tar reads no content (it knows that name). What it says of each member
 * is the answer: a line as of `ls -l` at once, `*` behind the mode for attributes and `+` for an ACL.
 */
const tarArguments =
  "--create --format=pax --xattrs --xattrs-include=* --acls --hard-dereference --no-recursion --absolute-names --null \
--verbatim-files-from --quoting-style=escape --numeric-owner --verbose --verbose --files-from=- --file=/dev/null".split(
    " ",
  )
/** Put behind each question: no file of a workspace is a character device, so its line ends the answer. */
const end = "/dev/null"
/** Milliseconds after which a tar that is not asked is let go. */
const idleFor = 60_000
/** Milliseconds after which one that holds its lines back is made to end, and so to write them: GNU tar does not, others might. */
const longestAnswer = 5_000

/** One tar that reads names as they come. */
class Lister {
  /** It takes no more questions. */
  ended = false
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  #text = ""
  #answer: ((lines: readonly string[] | null) => void) | null = null
  #idle: NodeJS.Timeout | undefined

  constructor() {
    const env = { ...process.env, LC_ALL: "C" }
    this.#child = spawn("tar", tarArguments, { cwd: "/", stdio: ["pipe", "pipe", "ignore"], env })
    this.#child.stdout.setEncoding("latin1")
    this.#child.stdout.on("data", (text: string) => this.#read(text))
    this.#child.stdin.on("error", () => undefined) // it went: its end tells
    this.#child.on("error", () => this.#finish(null))
    this.#child.on("close", () => this.#finish(null))
    this.#hold("unref")
  }

  /** Lines in the order of the names, fewer where some were not there; null where there is no such tar. One question at a time. */
  async list(paths: readonly string[]): Promise<readonly string[] | null> {
    clearTimeout(this.#idle)
    const late = setTimeout(() => this.#child.stdin.end(), longestAnswer)
    this.#hold("ref")
    const lines = await new Promise<readonly string[] | null>(resolve => {
      this.#answer = resolve
      this.#child.stdin.write(Buffer.concat([...paths, end].map(path => pathToBytes(`${seenByChild(path)}\0`))))
    })
    clearTimeout(late)
    this.#hold("unref")
    // What it did not say of one name it might yet say: it is asked nothing more.
    if (lines?.length !== paths.length || this.#child.stdin.writableEnded) this.#end()
    else this.#idle = setTimeout(() => this.#end(), idleFor).unref()
    return lines
  }

  #read(text: string): void {
    this.#text += text
    const ending = /^c.*\n/m.exec(this.#text)
    if (ending === null) return
    const lines = this.#text.slice(0, ending.index).split("\n").slice(0, -1)
    this.#text = this.#text.slice(ending.index + ending[0].length)
    this.#finish(lines)
  }

  #finish(lines: readonly string[] | null): void {
    this.ended ||= lines === null
    this.#answer?.(lines)
    this.#answer = null
  }

  #end(): void {
    this.ended = true
    this.#child.stdin.end()
  }

  /** Only a question that is open keeps this process from ending. */
  #hold(how: "ref" | "unref"): void {
    this.#child[how]()
    for (const stream of [this.#child.stdin, this.#child.stdout])
      (stream as Writable & Readable & Partial<Socket>)[how]?.()
  }
}

/** What stands behind the ten characters of the mode; something that is no such line counts as both. */
function markOf(line: string | undefined): string {
  return line !== undefined && /^[-dlbcps][-rwxsStT]{9}[ *+.]/.test(line) ? line.charAt(10) : "+"
}

function succeeds(program: string, args: readonly string[], input: Uint8Array): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], env: { ...process.env, LC_ALL: "C" } })
    child.stdin.on("error", () => undefined) // ended before it read all: its status tells
    child.on("error", () => resolve(false))
    child.on("close", code => resolve(code === 0))
    child.stdin.end(input)
  })
}

/** `/proc/self` of a child is another process; ours is found by its number. */
function seenByChild(path: string): string {
  return path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/"
}
