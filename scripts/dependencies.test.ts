import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

/** What comes from others: few, pinned, each with a reason, nothing of it run at install time in what is shipped. */
const root = join(import.meta.dirname, "..")

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

interface Locked {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly link?: boolean
  readonly integrity?: string
  readonly license?: string
  readonly hasInstallScript?: boolean
}

const manifests = [".", ...readdirSync(join(root, "packages")).map(name => join("packages", name))].filter(folder =>
  existsSync(join(root, folder, "package.json")),
)
const own = new Set(["core", "engine", "galley", "page", "vscode"].flatMap(name => [`@galley/${name}`, name]))
const direct = manifests.flatMap(folder => {
  const { dependencies, devDependencies }: Manifest = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  )
  return Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => !own.has(name))
})
const lock: { readonly packages: Readonly<Record<string, Locked>> } = JSON.parse(
  readFileSync(join(root, "package-lock.json"), "utf8"),
)
const foreign = Object.entries(lock.packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && link !== true,
)
const shipped = foreign.filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)

test("every direct dependency is pinned to one version", () => {
  expect(direct.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([])
})

test("each has a reason in docs/decisions/0006-dependencies.md", () => {
  const reasons = readFileSync(join(root, "docs/decisions/0006-dependencies.md"), "utf8")
  expect(direct.map(([name]) => name).filter(name => !reasons.includes(name))).toEqual([])
})

test("each locked package has a hash", () => {
  expect(foreign.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([])
})

test("what is shipped runs nothing when it is installed, and is free to use", () => {
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path)).toEqual([])
  const free = ["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "(MIT OR Apache-2.0)"]
  expect(shipped.filter(([, { license }]) => !free.includes(license ?? "")).map(([path]) => path)).toEqual([])
})

test("what is shipped is few", () => {
  expect(shipped.length).toBeLessThanOrEqual(60)
})

test("what a package imports, its own manifest names", () => {
  const missing = manifests.slice(1).flatMap(folder => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    )
    const named = new Set(Object.keys({ ...dependencies, ...devDependencies }))
    const files = readdirSync(join(root, folder, "src"), { recursive: true, encoding: "utf8" })
    const imports = files
      .filter(file => /\.tsx?$/.test(file))
      .flatMap(file => [
        ...readFileSync(join(root, folder, "src", file), "utf8").matchAll(
          /(?:\bfrom |\bimport |\bimport\()"((?:@[\w-]+\/)?[\w-]+)[\w/.-]*"/g,
        ),
      ])
      .map(match => match[1] ?? "")
    return [...new Set(imports)]
      .filter(name => !named.has(name) && name !== "node" && name !== "vscode")
      .map(name => `${folder}: ${name}`)
  })
  expect(missing).toEqual([])
})
