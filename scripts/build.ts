/**
 * Bundles the program (and, once it is there, the review page) into packages/galley/dist. Runs after `npm ci` (`prepare`) and by
 * `npm run build`.
 *
 * Why a bundle: the program then starts in a fraction of the time, and needs no type stripping of the Node it runs on.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { build, type Metafile } from "esbuild"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")

/** Builds all into `outdir`. What was there before is replaced only when everything is built. */
export async function buildAll(outdir: string): Promise<void> {
  const fresh = `${outdir}.new-${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  try {
    const inputs = [await buildProgram(fresh), await buildPage(join(fresh, "page"))].flat()
    writeFileSync(join(fresh, "THIRD-PARTY-LICENSES.txt"), licenceNotes(inputs))
    const old = `${outdir}.old-${process.pid}`
    if (existsSync(outdir)) renameSync(outdir, old)
    renameSync(fresh, outdir)
    rmSync(old, { recursive: true, force: true })
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** One entry, cut where the source imports lazily: a command loads what it needs and nothing else. */
async function buildProgram(outdir: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: "packages/galley/src/main.ts", hook: "packages/galley/src/hook.ts" },
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node22",
    format: "esm",
    chunkNames: "chunks/[name]-[hash]",
    // Its entry for CommonJS requires files that a bundler cannot find.
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    // Half the size is half the time to read it. Names stay, so that a stack trace still says something.
    minifyWhitespace: true,
    minifySyntax: true,
    // CommonJS dependencies (iconv-lite) require Node's own modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    // Licences are kept in a file of their own, whole.
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  })
  return inputsOf(metafile)
}

/** The review page: its script and style beside its index.html. */
async function buildPage(outdir: string): Promise<string[]> {
  const source = "packages/page/src/main.tsx"
  if (!existsSync(join(root, source))) return []
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: source },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    platform: "browser",
    target: "es2023",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  })
  for (const name of ["index.html", "icon.svg"])
    writeFileSync(join(outdir, name), readFileSync(join(root, "packages/page", name)))
  return inputsOf(metafile)
}

function inputsOf(metafile: Metafile): string[] {
  return Object.keys(metafile.inputs)
}

/** The licence of every package that went into the bundle, as its authors wrote it. */
function licenceNotes(inputs: readonly string[]): string {
  const packages = new Set(inputs.flatMap(input => packageFolder(input) ?? []))
  const notes = [...packages].sort().map(folder => {
    const about = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Record<string, unknown>
    const file = readdirSync(join(root, folder)).find(name => /^(licen[cs]e|copying)/i.test(name))
    const text =
      file === undefined
        ? `(The package has no licence file. It says: ${String(about["license"])}.)`
        : readFileSync(join(root, folder, file), "utf8")
    return `${String(about["name"])} ${String(about["version"])}, ${String(about["license"])}\n\n${text.trim()}\n`
  })
  return `Galley's program holds these packages:\n\n${notes.join(`\n${"-".repeat(80)}\n\n`)}`
}

/** `node_modules/@scope/name` of a bundled file; null for our own. */
function packageFolder(input: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? null
}

if (import.meta.main) {
  const outdir = join(root, "packages/galley/dist")
  await buildAll(outdir)
  process.stdout.write(`Built ${relative(root, outdir)}\n`)
}
