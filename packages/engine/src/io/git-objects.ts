import { type ChildProcessByStdio, spawn } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { pathToBytes, type WorkspacePath } from "@galley/core/path.ts"
import { gitEnvironment, gitSettings, runGit } from "./git-command.ts"

/** What git holds under a name. `unknown`: git could not tell; never to be taken for absence. */
export type CommittedBlob =
  | { readonly kind: "blob"; readonly id: string; readonly bytes: Uint8Array }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string }

/**
 * Reads one path's content in a commit (default HEAD), as stored: without the filters, line ending conversion or encoding
 * that a checkout applies. `path` is relative to `root`, which may lie inside the worktree.
 */
export async function committedBlob(root: string, path: WorkspacePath, commit = "HEAD"): Promise<CommittedBlob> {
  const objects = openGitObjects(root)
  try {
    return await objects.committed(path, commit)
  } finally {
    objects.close()
  }
}

/** A `git cat-file --batch` that answers one question after another; started by the first one. */
export interface GitObjects {
  committed(path: WorkspacePath, commit?: string): Promise<CommittedBlob>
  object(id: string): Promise<CommittedBlob>
  close(): void
}

export function openGitObjects(root: string): GitObjects {
  return new CatFile(root)
}

interface Question {
  readonly resolve: (answer: CommittedBlob) => void
}

class CatFile implements GitObjects {
  readonly #root: string
  #child: ChildProcessByStdio<Writable, Readable, null> | null = null
  #questions: Question[] = []
  #pieces: Buffer[] = []
  #length = 0
  /** Bytes that must be there before the next answer can be parsed. */
  #needed = 1
  #broken: string | null = null

  constructor(root: string) {
    this.#root = root
  }

  async committed(path: WorkspacePath, commit = "HEAD"): Promise<CommittedBlob> {
    if (/[\n\0]/.test(commit) || commit.startsWith("-")) return { kind: "unknown", why: "not a commit name" }
    // A newline ends a question (`-z` came with git 2.38), so such a name gets a process of its own.
    if (path.includes("\n")) return await this.#alone(`${commit}:./${path}`)
    return await this.#ask(Buffer.concat([Buffer.from(`${commit}:./`), pathToBytes(path), Buffer.from("\n")]))
  }

  async object(id: string): Promise<CommittedBlob> {
    if (!/^[0-9a-f]{40,64}$/.test(id)) return { kind: "unknown", why: "not an object id" }
    return await this.#ask(Buffer.from(`${id}\n`))
  }

  close(): void {
    this.#child?.stdin.end()
    this.#fail("closed")
  }

  async #alone(spec: string): Promise<CommittedBlob> {
    if (!spec.isWellFormed()) return { kind: "unknown", why: "the name cannot be given to git" }
    const found = await runGit(this.#root, ["rev-parse", "--verify", "--quiet", spec])
    if (found.exitCode === 1) return { kind: "absent" }
    if (found.exitCode !== 0) return { kind: "unknown", why: found.stderr.trim() }
    return await this.object(found.stdout.toString("latin1").trim())
  }

  async #ask(question: Uint8Array): Promise<CommittedBlob> {
    if (this.#broken !== null) return { kind: "unknown", why: this.#broken }
    const child = (this.#child ??= this.#start())
    return await new Promise(resolve => {
      this.#questions.push({ resolve })
      child.stdin.write(question)
    })
  }

  #start(): ChildProcessByStdio<Writable, Readable, null> {
    const child = spawn("git", [...gitSettings, "cat-file", "--batch"], {
      cwd: this.#root,
      env: gitEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
    })
    child.on("error", error => this.#fail(error.message))
    child.on("close", code => this.#fail(`git cat-file ended with ${code ?? "a signal"}`))
    child.stdin.on("error", () => {
      // Told by close.
    })
    child.stdout.on("data", (chunk: Buffer) => {
      this.#pieces.push(chunk)
      this.#length += chunk.length
      this.#parse()
    })
    return child
  }

  /** `ID TYPE SIZE\n CONTENT \n`, or `NAME missing\n` (also `ambiguous`), for each question in turn. */
  #parse(): void {
    while (this.#length >= this.#needed && this.#questions.length > 0) {
      const buffer = Buffer.concat(this.#pieces)
      this.#pieces = [buffer]
      const end = buffer.indexOf("\n")
      if (end < 0) {
        this.#needed = this.#length + 1
        return
      }
      const header = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(buffer.toString("latin1", 0, end))
      const size = header === null ? -1 : Number(header[3])
      this.#needed = end + 1 + size + 1
      if (this.#length < this.#needed) return
      const bytes = Uint8Array.prototype.slice.call(buffer, end + 1, end + 1 + Math.max(size, 0))
      const missing = buffer.toString("latin1", 0, end).endsWith(" missing")
      this.#pieces = [buffer.subarray(this.#needed)]
      this.#length -= this.#needed
      this.#needed = 1
      this.#questions.shift()?.resolve(answerOf(header, bytes, missing))
    }
  }

  #fail(why: string): void {
    this.#broken ??= why
    const waiting = this.#questions
    this.#questions = []
    for (const question of waiting) question.resolve({ kind: "unknown", why: this.#broken })
  }
}

function answerOf(header: RegExpExecArray | null, bytes: Uint8Array, missing: boolean): CommittedBlob {
  if (header === null) return missing ? { kind: "absent" } : { kind: "unknown", why: "git could not resolve the name" }
  if (header[2] !== "blob") return { kind: "absent" }
  return { kind: "blob", id: header[1] ?? "", bytes }
}
