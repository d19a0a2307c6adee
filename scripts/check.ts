/**
 * What `npm test` runs: types, format, lint, then all tests. Every step runs even if an earlier one failed, so that one run tells
 * everything; the last line counts steps and tests: `N passed, N failed`.
 *
 * `node scripts/check.ts --quick` leaves the tests out.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const bin = (name: string): string => join(root, "node_modules", ".bin", name)
const projects = [
  "packages/core",
  "packages/core/test",
  "packages/core/bench",
  "packages/engine",
  "packages/galley",
  "packages/page",
  "packages/page/browser",
  "packages/vscode",
  "scripts",
  "tests/vscode",
  "tests/agents",
].filter(folder => existsSync(join(root, folder, "tsconfig.json")))
const count = { passed: 0, failed: 0 }

for (const project of projects) step(`types of ${project}`, bin("tsc"), ["-p", project])
step("format", bin("biome"), ["format", "packages", "scripts", "tests"])
step("lint", bin("oxlint"), ["--type-aware", "--deny-warnings", "packages", "scripts", "tests"])
if (!process.argv.includes("--quick")) tests()

console.log(`\n${count.passed} passed, ${count.failed} failed`)
process.exit(count.failed === 0 ? 0 : 1)

function step(name: string, program: string, words: readonly string[]): boolean {
  const started = performance.now()
  const { status, stdout, stderr } = spawnSync(program, [...words], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 })
  const good = status === 0
  console.log(`${good ? "ok  " : "FAIL"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`)
  if (!good) console.log(`${stdout}${stderr}`)
  if (good) count.passed++
  else count.failed++
  return good
}

function tests(): void {
  const report = join(root, ".scratch-tests.json")
  const { status } = spawnSync(
    bin("vitest"),
    ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
    { cwd: root, stdio: "inherit" },
  )
  if (!existsSync(report)) {
    console.log("FAIL tests: the runner ended without a report")
    count.failed++
    return
  }
  const result: unknown = JSON.parse(readFileSync(report, "utf8"))
  rmSync(report)
  const numberAt = (key: string): number => {
    const value: unknown = typeof result === "object" && result !== null ? Reflect.get(result, key) : 0
    return typeof value === "number" ? value : 0
  }
  count.passed += numberAt("numPassedTests")
  count.failed += numberAt("numFailedTests")
  // A file that could not even be loaded has no failed test of its own.
  if (status !== 0 && numberAt("numFailedTests") === 0) count.failed++
}
