import { spawn } from "node:child_process"
import { lstat } from "node:fs/promises"
import { hasEscapedByte, pathToBytes } from "@galley/core/path.ts"
import { attributedMembers } from "./tar-headers.ts"

/**
 * Extended attributes and ACLs, for which Node has no calls: GNU tar tells which of many files have any (one process for all),
 * GNU cp copies them (one process for each that has). Decided and measured in `docs/decisions/extended-attributes.md`.
 */

/** Those that carry attributes or ACLs, or stand in a folder that gives its files an ACL; null if this machine cannot tell. */
export async function filesWithAttributes(paths: readonly string[]): Promise<ReadonlySet<string> | null> {
  if (paths.length === 0) return new Set()
  if (process.platform !== "linux") return null
  const sizes = await Promise.all(paths.map(path => sizeOf(path)))
  // tar reads contents too. From here on it would cost more than one cp, which finds out by itself.
  const large = paths.filter((_, index) => (sizes[index] ?? 0) > 1 << 20)
  const small = paths.filter((_, index) => (sizes[index] ?? 0) <= 1 << 20)
  const folders = [...new Set(paths.map(folderOf))]
  const listed = [...small, ...folders]
  const archive = await outputOf(
    "tar",
    tarArguments,
    Buffer.concat(listed.map(path => pathToBytes(`${seenByChild(path)}\0`))),
  )
  if (!archive) return null
  const members = attributedMembers(archive)
  if (!members) return null
  // A file that went meanwhile is not in the archive, and the rest cannot be told apart: cp looks at each.
  if (members.length !== listed.length) return new Set(paths)
  const giving = new Set(folders.filter((_, index) => members[small.length + index]?.givesAcl))
  return new Set([...large, ...small.filter((path, index) => members[index]?.hasAny || giving.has(folderOf(path)))])
}

/** Copies them, the mode with them; returns what could not be kept, in words. */
export async function copyAttributes(from: string, to: string): Promise<readonly string[]> {
  if (process.platform !== "linux") return ["extended attributes and ACLs"]
  const options = ["--attributes-only", "--preserve=mode,xattr", "--no-target-directory", "--"]
  const paths = [seenByChild(from), seenByChild(to)]
  // Arguments are UTF-8 in Node; names with other bytes go through the input of xargs.
  const done = paths.some(hasEscapedByte)
    ? await outputOf("xargs", ["--null", "cp", ...options], pathToBytes(`${paths.join("\0")}\0`), "mustSucceed")
    : await outputOf("cp", [...options, ...paths], new Uint8Array(), "mustSucceed")
  return done ? [] : ["extended attributes or ACLs"]
}

const tarArguments =
  "--create --format=pax --xattrs --xattrs-include=* --acls --sparse --hard-dereference --no-recursion --absolute-names --null \
--verbatim-files-from --files-from=- --file=-".split(" ")

/** What the program writes, or null where it cannot be started. A tar that missed one file ends with 2 and is still good. */
function outputOf(
  program: string,
  args: readonly string[],
  input: Uint8Array,
  status: "any" | "mustSucceed" = "any",
): Promise<Buffer | null> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], env: { ...process.env, LC_ALL: "C" } })
    const chunks: Buffer[] = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stdin.on("error", () => undefined) // ended before it read all: its status tells
    child.on("error", () => resolve(null))
    child.on("close", code => resolve(code === 0 || status === "any" ? Buffer.concat(chunks) : null))
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

async function sizeOf(path: string): Promise<number> {
  const name = hasEscapedByte(path) ? Buffer.from(pathToBytes(path)) : path
  const stat = await lstat(name).catch(() => null)
  return stat?.size ?? 0
}
