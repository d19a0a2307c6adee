/**
 * Bundles the extension into packages/vscode/dist. With `--vsix` also packs it: packages/vscode/dist/galley.vsix, or with
 * `--with-program` one that has the program inside and needs no installed one.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"
import { struckLanguages } from "../packages/vscode/src/struck-languages.ts"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const extension = join(root, "packages/vscode")
/** Without the program (bytes). */
const mostBytes = 1_000_000

/** The extension host loads CommonJS; `vscode` is its own. */
export async function buildExtension(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: { extension: "packages/vscode/src/extension.ts" },
    outdir: join(extension, "dist"),
    outExtension: { ".js": ".cjs" },
    bundle: true,
    minify: true,
    keepNames: true,
    platform: "node",
    target: "node22",
    format: "cjs",
    external: ["vscode"],
    legalComments: "none",
    logLevel: "warning",
  })
  writeGrammars(join(extension, "dist/grammars"))
}

/** A twin of each language, all of it in a scope that themes strike through. */
function writeGrammars(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const write = (suffix: string, scope: string, patterns: readonly object[]): void =>
    writeFileSync(
      join(folder, `galley-removed${suffix}.json`),
      `${JSON.stringify({ scopeName: `markup.strikethrough.galley-removed${scope}`, patterns })}\n`,
    )
  write("", "", [])
  for (const { id, scope } of struckLanguages) write(`-${id}`, `.${id}`, [{ include: scope }])
}

/** Packs with vsce, from a folder that holds just what ships. */
export function packExtension(withProgram: boolean): string {
  const staged = join(extension, "dist/package")
  rmSync(staged, { recursive: true, force: true })
  mkdirSync(staged, { recursive: true })
  const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8")) as Record<string, unknown>
  for (const field of ["exports", "devDependencies", "type"]) delete manifest[field]
  writeFileSync(join(staged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  for (const name of ["LICENSE", "CHANGELOG.md"]) copyFileSync(join(extension, name), join(staged, name))
  const readme = readFileSync(join(extension, "README.md"), "utf8")
  writeFileSync(join(staged, "README.md"), readme.replaceAll("../../docs/pictures/", "media/"))
  cpSync(join(extension, "media"), join(staged, "media"), { recursive: true })
  for (const [, name = ""] of readme.matchAll(/docs\/pictures\/([\w.-]+)/g))
    copyFileSync(join(root, "docs/pictures", name), join(staged, "media", name))
  rmSync(join(staged, "media/icon.svg"))
  mkdirSync(join(staged, "dist"))
  copyFileSync(join(extension, "dist/extension.cjs"), join(staged, "dist/extension.cjs"))
  cpSync(join(extension, "dist/grammars"), join(staged, "dist/grammars"), { recursive: true })
  if (withProgram) {
    for (const part of ["bin", "dist"])
      cpSync(join(root, "packages/galley", part), join(staged, "program", part), { recursive: true })
    // Its files are ES modules; the extension's own manifest says nothing about that.
    writeFileSync(join(staged, "program/package.json"), '{ "type": "module" }\n')
  }
  const out = join(extension, "dist", withProgram ? "galley-with-program.vsix" : "galley.vsix")
  const words = ["package", "--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links", "-o", out]
  const done = spawnSync(process.execPath, [packer(), ...words], { cwd: staged, encoding: "utf8" })
  if (done.status !== 0) throw new Error(`vsce: ${done.stderr}${done.stdout}`)
  rmSync(staged, { recursive: true, force: true })
  const size = statSync(out).size
  if (!withProgram && size > mostBytes)
    throw new Error(`${relative(root, out)} has ${size} bytes, more than ${mostBytes}.`)
  return out
}

/** vsce lives with the harness, in a folder of its own. */
function packer(): string {
  const file = join(root, "tests/vscode/node_modules/@vscode/vsce/vsce")
  if (existsSync(file)) return file
  const words = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const done = spawnSync("npm", words, { cwd: join(root, "tests/vscode"), stdio: "inherit" })
  if (done.status !== 0) throw new Error("vsce could not be installed into tests/vscode.")
  return file
}

if (import.meta.main) {
  await buildExtension()
  process.stdout.write("Built packages/vscode/dist\n")
  if (process.argv.includes("--vsix")) {
    const out = packExtension(process.argv.includes("--with-program"))
    process.stdout.write(`Packed ${relative(root, out)}, ${Math.ceil(statSync(out).size / 1024)} KB\n`)
  }
}
