/**
 * Writes docs/api.md: every public name of the engine (packages/engine/src/index.ts) as the compiler declares it, with its documentation, and
 * the table of requests. `node scripts/generate-api.ts`; a test says when it is not current.
 *
 * TypeScript 7 has no programming interface yet: its emitted declarations are read instead, which hold one declaration after another.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"

const root = join(import.meta.dirname, "..")
const index = "packages/engine/src/index.ts"
export const apiFile = join(root, "docs/api.md")

export function apiText(): string {
  const folder = mkdtempSync(join(tmpdir(), "galley-api-"))
  try {
    emitDeclarations(folder)
    const entry = readFileSync(join(folder, index.replace(/\.ts$/, ".d.ts")), "utf8")
    const sections = exportsOf(entry).map(({ from, names }) => {
      const source = sourceOf(from)
      const parts = names.map(name => `### ${name}\n\n${worded(declaredIn(folder, source, name))}`)
      return `## ${source.replace(/^packages\//, "").replace("/src/", "/")}\n\n${parts.join("\n\n")}`
    })
    return [header, ...sections, requestsSection(), ""].join("\n\n").replace(/\n+$/, "\n")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const header = `# The library

<!-- Written by scripts/generate-api.ts from the sources; do not edit. -->

What an embedder uses of \`@galley/engine\`. How the parts go together, with whole programs: [library.md](library.md).`

function emitDeclarations(folder: string): void {
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      declaration: true,
      emitDeclarationOnly: true,
      noEmit: false,
      rootDir: root,
      outDir: folder,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    // Another package's files are not emitted unless they are named.
    files: [index, ...exportsOf(readFileSync(join(root, index), "utf8")).map(one => sourceOf(one.from))].map(file =>
      join(root, file),
    ),
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const end = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" })
  if (end.status !== 0) throw new Error(`No declarations: ${end.stdout}${end.stderr}`)
}

interface Exported {
  readonly from: string
  readonly names: readonly string[]
}

/** What the public list gives on, in its order. */
function exportsOf(entry: string): Exported[] {
  return [...entry.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].map(([, names = "", from = ""]) => ({
    from,
    names: names
      .split(",")
      .map(name => name.trim().replace(/^type /, ""))
      .filter(name => name !== ""),
  }))
}

function sourceOf(from: string): string {
  const inPackage = /^@galley\/(\w+)\/(.+)$/.exec(from)
  return inPackage === null
    ? relative(root, resolve(root, dirname(index), from))
    : `packages/${inPackage[1] ?? ""}/src/${inPackage[2] ?? ""}`
}

/** Where the file itself only gives the name on, the file that declares it is read. */
function declaredIn(folder: string, source: string, name: string): Declaration {
  const text = readFileSync(join(folder, source.replace(/\.ts$/, ".d.ts")), "utf8")
  const given = exportsOf(text).find(one => one.names.includes(name))
  return given === undefined
    ? declarationOf(text, name, source)
    : declaredIn(folder, join(dirname(source), given.from), name)
}

interface Declaration {
  /** Lines of the comment in front, without its stars. */
  readonly comment: string
  readonly code: string
}

/** A declaration begins at the left edge and goes to the line before the next one that does. */
function declarationOf(text: string, name: string, source: string): Declaration {
  const lines = text.split("\n")
  const begins = new RegExp(`^export (?:declare )?(?:abstract )?(?:interface|type|class|function|const) ${name}\\b`)
  const at = lines.findIndex(line => begins.test(line))
  if (at < 0) throw new Error(`${source} declares no ${name}`)
  let end = at + 1
  while (end < lines.length && !/^(export|import|declare|interface|type|\/\*\*)/.test(lines[end] ?? "")) end++
  let start = at
  if (lines[at - 1]?.endsWith("*/") === true)
    do start--
    while (start > 0 && !(lines[start] ?? "").startsWith("/**"))
  const comment = lines
    .slice(start, at)
    .map(line => line.replace(/^\s*(\/\*\*|\*\/|\*)? ?/, "").replace(/\s*\*\/$/, ""))
    .join("\n")
    .trim()
  const code = lines
    .slice(at, end)
    .join("\n")
    .trim()
    .replace(/^export (declare )?/, "")
    .replaceAll("    ", "  ")
  return { comment, code }
}

function worded({ comment, code }: Declaration): string {
  const said = comment
    .replaceAll(/\{@link (\S+)\}/g, "`$1`")
    .replaceAll(/`@galley\/(\w+)\/(\S+\.ts)`/g, "`packages/$1/src/$2`")
  return `${said === "" ? "" : `${said}\n\n`}\`\`\`ts\n${code}\n\`\`\``
}

function requestsSection(): string {
  const text = readFileSync(join(root, "packages/core/src/protocol/requests.ts"), "utf8")
  const table = text.slice(text.indexOf("export const requests = {"), text.indexOf("} as const") + 1)
  return `## Requests

The methods of \`Requests\` (\`workspace.as(context)\`), the same for every surface. \`params\` and \`result\` are zod schemas of
\`@galley/core/protocol\`.

\`\`\`ts
${table.replace("export const requests = ", "")}
\`\`\``
}

if (import.meta.main) writeFileSync(apiFile, apiText())
