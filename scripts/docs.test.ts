import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

/** What the documents name exists: files in backquotes, targets of links, and the commands of npm. */
const root = join(import.meta.dirname, "..")
const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: root, encoding: "utf8" }).split(
  "\n",
)
const documents = tracked.filter(path => /^([A-Z_]+|docs\/.*|packages\/vscode\/README|tests\/.*)\.md$/.test(path))
const names = new Set(tracked.map(path => path.slice(path.lastIndexOf("/") + 1)))

for (const path of documents.filter(each => existsSync(join(root, each))))
  test(`${path} names only what there is`, () => {
    const text = readFileSync(join(root, path), "utf8")
    expect([...missingFiles(text), ...missingTargets(path, text), ...missingScripts(text)]).toEqual([])
  })

/** Files of the repository: those with an extension of ours and a folder, and tests by their bare name. */
function missingFiles(text: string): readonly string[] {
  const named = [...text.matchAll(/`([\w@.*/-]+(?:\.test\.ts|\/[\w.*-]+\.tsx?|\/[\w.-]+\.md))`/g)].map(
    match => match[1] ?? "",
  )
  return named.filter(name => !isThere(name))
}

function isThere(name: string): boolean {
  if (!name.includes("/")) return names.has(name)
  const plain = name.replace(/[.+]/g, "\\$&").replaceAll("*", "[^/]*")
  // `core/path.ts` is short for a source of that package.
  const pattern = new RegExp(`(^|/)${plain.replace(/^(core|engine|galley|page|vscode)\//, "$1/(src/)?")}$`)
  return tracked.some(path => pattern.test(path))
}

function missingTargets(path: string, text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(match => match[1] ?? "")
  return targets.filter(target => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(path), target)))
}

function missingScripts(text: string): readonly string[] {
  const scripts = Object.keys(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts)
  const named = [...text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(match => match[1] ?? "")
  return named.filter(name => !scripts.includes(name)).map(name => `npm run ${name}`)
}
