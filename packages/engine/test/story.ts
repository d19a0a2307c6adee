import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { CallResult, FileView } from "@galley/core/protocol/results.ts"
import { type Config, resolveConfig } from "../src/session/config.ts"
import { type Env, realEnv } from "../src/io/env.ts"
import { openWorkspace } from "../src/open.ts"
import type { Requests, Workspace } from "../src/workspace.ts"

/**
 * A workspace on a real disk with a real store, told as a story: an agent edits, a person decides, files are looked at. Every
 * story has folders of its own, removed by `end`.
 */
export interface Story {
  readonly root: string
  readonly home: string
  readonly workspace: Workspace
  readonly person: Requests
  /** An agent's requests in a conversation; the mode is the configuration's unless given. */
  agent(conversation?: string, review?: "hold" | "ask" | "apply"): Agent
  /** Writes a file as somebody outside Galley does. */
  write(path: string, content: string | Uint8Array, mode?: number): void
  /** The file's text, or null where nothing is. */
  read(path: string): string | null
  mode(path: string): string
  git(...words: string[]): string
  /** The pending files as the person sees them. */
  pending(): Promise<readonly FileView[]>
  /** Closes the workspace and opens it anew, as another process would find it. */
  reopen(): Promise<Story>
  end(): Promise<void>
}

export interface Agent {
  readonly requests: Requests
  message(text: string): Promise<string>
  create(path: string, text: string): Promise<CallResult>
  replace(path: string, from: string, to: string): Promise<CallResult>
  insert(path: string, line: number, text: string): Promise<CallResult>
  bash(command: string): Promise<CallResult>
}

export interface StoryOptions {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Make it a git repository with the files committed. */
  readonly git?: boolean
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Partial<Env>
}

export async function tell(options: StoryOptions = {}): Promise<Story> {
  const folder = mkdtempSync(join(tmpdir(), "galley-story-"))
  const root = join(folder, "work")
  mkdirSync(root)
  for (const [path, content] of Object.entries(options.files ?? {})) put(root, path, content)
  if (options.git === true) {
    const git = gitIn(root)
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "start")
  }
  return openStory(folder, options)
}

async function openStory(folder: string, options: StoryOptions): Promise<Story> {
  const root = join(folder, "work")
  const home = join(folder, "home")
  const config: Config = resolveConfig([{ source: "test", values: options.config ?? {} }])
  const workspace = await openWorkspace({ root, home, config, env: { ...realEnv(), ...options.env } })
  const person = workspace.as({ actor: "person" })
  return {
    root,
    home,
    workspace,
    person,
    agent: (conversation = "c1", review) =>
      agentOf(workspace, { actor: "agent", conversation, ...(review === undefined ? {} : { review }) }),
    write: (path, content, mode) => put(root, path, content, mode),
    read: path => {
      try {
        return readFileSync(join(root, path), "utf8")
      } catch {
        return null
      }
    },
    mode: path => (statSync(join(root, path)).mode & 0o7777).toString(8),
    git: gitIn(root),
    pending: async () => (await person.status({})).files,
    reopen: async () => {
      await workspace.close()
      return openStory(folder, options)
    },
    end: async () => {
      await workspace.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function agentOf(workspace: Workspace, context: RequestContext): Agent {
  const requests = workspace.as(context)
  const edit = (input: Record<string, unknown>): Promise<CallResult> =>
    requests.call({ tool: "str_replace_editor", input })
  return {
    requests,
    message: async text => (await requests.message({ text })).message ?? "",
    create: (path, text) => edit({ command: "create", path, file_text: text }),
    replace: (path, from, to) => edit({ command: "str_replace", path, old_str: from, new_str: to }),
    insert: (path, line, text) => edit({ command: "insert", path, insert_line: line, insert_text: text }),
    bash: command => requests.call({ tool: "bash", input: { command } }),
  }
}

function put(root: string, path: string, content: string | Uint8Array, mode?: number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
  if (mode !== undefined) chmodSync(join(root, path), mode)
}

function gitIn(root: string): (...words: string[]) => string {
  const env = {
    PATH: process.env["PATH"],
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "P",
    GIT_AUTHOR_EMAIL: "p@example.invalid",
    GIT_COMMITTER_NAME: "P",
    GIT_COMMITTER_EMAIL: "p@example.invalid",
  }
  return (...words) =>
    execFileSync("git", words, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
}
