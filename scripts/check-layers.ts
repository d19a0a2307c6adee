/**
 * Holds the arrows of ARCHITECTURE.md as a table and fails on an import that is not in it.
 *
 * A folder may import itself and what its row lists. Names that reach the machine (disk, processes, clock, chance,
 * the database) are listed with the only places that may use them.
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** Folder → folders and packages it may import. `core/*` rows never list a platform module. */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  // The public list alone reaches into folders; the other files at the top import nothing but each other.
  "core/": [],
  "core/text": ["core/"],
  "core/diff": ["core/", "core/text"],
  "core/change": ["core/", "core/text", "core/diff"],
  "core/history": ["core/", "core/text", "core/diff", "core/change"],
  "core/tool": ["core/", "core/text", "core/diff"],
  "core/sed": ["core/", "core/text", "unbash"],
  "core/protocol": ["core/", "core/text", "core/diff", "core/change", "core/history", "core/tool", "zod/*"],
  "engine/io": ["core/*", "node:*", "iconv-lite"],
  "engine/store": ["core/*", "node:*"],
  "engine/session": ["core/*", "engine/io", "engine/store"],
  "engine/tools": ["core/*", "engine/session"],
  "engine/": ["core/*", "engine/io", "engine/store", "engine/session", "engine/tools"],
  "galley/cli": ["core/*", "engine/", "engine/session", "node:*", "commander", "picocolors"],
  "galley/mcp": ["core/*", "engine/", "node:*", "@modelcontextprotocol/server*", "zod/*"],
  "galley/web": [
    "core/*",
    "engine/",
    "node:*",
    "hono",
    "@hono/node-server",
    "@modelcontextprotocol/server*",
    "galley/mcp",
  ],
  "galley/hooks": ["core/*", "engine/", "node:*", "jsonc-parser"],
  "galley/acp": ["core/*", "engine/", "node:*", "@agentclientprotocol/sdk"],
  "galley/": ["*"],
  "page/": ["core/*", "preact", "preact/hooks", "@codemirror/*", "@lezer/*"],
  "vscode/": ["core/*", "node:*", "vscode"],
}

/** A module or call that only the named folders (or files) may use. */
const guarded: readonly { readonly pattern: RegExp; readonly only: readonly string[]; readonly why: string }[] = [
  {
    pattern: /from "node:fs(\/promises)?"/,
    only: ["engine/io/", "engine/store/", "galley/", "vscode/"],
    why: "the disk is reached through io",
  },
  {
    pattern: /from "node:child_process"/,
    only: ["engine/io/", "galley/", "vscode/"],
    why: "processes are started by io",
  },
  { pattern: /from "node:sqlite"/, only: ["engine/store/"], why: "the driver stays in the store" },
  {
    pattern: /\b(Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(|randomBytes\()/,
    only: ["engine/io/", "galley/", "page/", "vscode/"],
    why: "clock, ids and chance come from io/env",
  },
  {
    pattern: /\bprocess\.exit\(/,
    only: ["galley/main.ts", "galley/cli/"],
    why: "only the command line ends the process",
  },
]

export interface Violation {
  readonly file: string
  readonly rule: string
}

/** Checks every source file under `root/packages`. */
export function violations(root: string): Violation[] {
  const found: Violation[] = []
  for (const name of ["core", "engine", "galley", "page", "vscode"]) {
    const source = join(root, "packages", name, "src")
    for (const file of sourceFiles(source)) {
      const inPackage = relative(source, file)
      if (inPackage === "index.ts") continue
      const from = folderKey(name, inPackage)
      const text = readFileSync(file, "utf8")
      for (const target of imports(text)) {
        const to = targetKey(target, name, join(dirname(inPackage), target))
        if (to !== from && !allowed(from, to))
          found.push({ file: `${name}/${inPackage}`, rule: `${from} may not import ${to} (${target})` })
      }
      for (const guard of guarded) {
        const place = `${name}/${inPackage}`
        if (guard.pattern.test(stripComments(text)) && !guard.only.some(prefix => place.startsWith(prefix)))
          found.push({ file: place, rule: `${guard.pattern.source}: ${guard.why}` })
      }
    }
  }
  return found
}

function allowed(from: string, to: string): boolean {
  const row = arrows[from]
  if (row === undefined) return false
  return row.some(entry => entry === "*" || entry === to || (entry.endsWith("*") && to.startsWith(entry.slice(0, -1))))
}

/** `core/text` for a file in a folder, `core/` for a file at the package's top. */
function folderKey(name: string, inPackage: string): string {
  const [first = "", ...rest] = inPackage.split("/")
  const key = rest.length === 0 ? `${name}/` : `${name}/${first}`
  return arrows[key] === undefined && arrows[`${name}/`] !== undefined && (name === "page" || name === "vscode")
    ? `${name}/`
    : key
}

function targetKey(target: string, name: string, joined: string): string {
  if (target.startsWith(".")) return folderKey(name, joined)
  const own = /^@galley\/(core|engine|page)(?:\/(.*))?$/.exec(target)
  if (own !== null) return folderKey(own[1] ?? "", own[2] ?? "index.ts")
  return target
}

function imports(text: string): string[] {
  const plain = stripComments(text)
  const found = [
    ...plain.matchAll(
      /\bfrom\s+["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']|(?:^|\n)import\s+["']([^"'\n]+)["']/g,
    ),
  ]
  return found.map(match => match[1] ?? match[2] ?? match[3] ?? "")
}

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/[^\n]*/g, "$1")
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
}
