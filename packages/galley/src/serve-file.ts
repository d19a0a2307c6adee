import { createHmac, randomBytes } from "node:crypto"
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/**
 * How a running server is found (docs/serve.md): `serve.json` in the workspace's store, readable by its owner only. It is
 * there while a server runs; one that was killed leaves it behind, so a reader asks the server before it believes it.
 */
export interface RunningServer {
  /** Without the token; ends with `/`. */
  readonly url: string
  readonly token: string
  readonly pid: number
}

/** What outlives a server: with the same token and port, open pages and bookmarks find the next one again. */
export interface ServeKey {
  readonly token: string
  readonly port: number
}

/** The server that runs for this store, if one really does and proves that it knows the token. */
export async function findRunning(storeFolder: string): Promise<RunningServer | null> {
  const running = readJson(join(storeFolder, "serve.json"))
  if (!isRunning(running)) return null
  try {
    process.kill(running.pid, 0)
    const nonce = randomBytes(18).toString("base64url")
    const { host, port } = new URL(running.url)
    const answer = await fetch(`http://${host}/api/hello?nonce=${nonce}`, { signal: AbortSignal.timeout(2000) })
    const { proof } = (await answer.json()) as { proof?: unknown }
    const expected = createHmac("sha256", running.token).update(`galley ${port} ${nonce}`).digest("base64url")
    return proof === expected ? running : null
  } catch {
    return null
  }
}

export function writeRunning(storeFolder: string, server: RunningServer): void {
  writePrivate(join(storeFolder, "serve.json"), `${JSON.stringify(server)}\n`)
}

/** Takes the file back, unless another server has put its own there. */
export function forgetRunning(storeFolder: string, pid: number): void {
  const file = join(storeFolder, "serve.json")
  const running = readJson(file)
  if (isRunning(running) && running.pid === pid) rmSync(file, { force: true })
}

/** The kept key, or a fresh one. */
export function keyFor(storeFolder: string, fresh: boolean): ServeKey {
  const kept = readJson(join(storeFolder, "serve-key.json"))
  if (!fresh && isKey(kept)) return kept
  return { token: randomBytes(32).toString("base64url"), port: 0 }
}

export function keepKey(storeFolder: string, key: ServeKey): void {
  writePrivate(join(storeFolder, "serve-key.json"), `${JSON.stringify(key)}\n`)
}

/** Created with its mode, never widened for a moment; replaced whole. */
export function writePrivate(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.tmp`
  rmSync(fresh, { force: true })
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" })
  renameSync(fresh, file)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return null
  }
}

function isRunning(value: unknown): value is RunningServer {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof Reflect.get(value, "url") === "string" &&
    typeof Reflect.get(value, "token") === "string" &&
    Number.isInteger(Reflect.get(value, "pid"))
  )
}

function isKey(value: unknown): value is ServeKey {
  if (typeof value !== "object" || value === null) return false
  const token: unknown = Reflect.get(value, "token")
  const port: unknown = Reflect.get(value, "port")
  return typeof token === "string" && /^[\w-]{43}$/.test(token) && typeof port === "number" && port >= 0 && port < 65536
}
