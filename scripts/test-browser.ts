/**
 * `npm run test:browser`: the review page in a real Chromium, against the real program. Finds the browser, or installs Debian's; builds
 * the program; the last line is `N passed, N failed`.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { buildAll } from "./build.ts"

const root = join(import.meta.dirname, "..")
const usual = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

const browser = findBrowser() ?? installBrowser()
if (browser === null) {
  console.log("No Chromium was found, and none could be installed with apt-get. GALLEY_CHROMIUM names one.")
  console.log("\n0 passed, 1 failed")
  process.exit(1)
}
await buildAll(join(root, "packages/galley/dist"))
const report = join(root, `.scratch-browser-${process.pid}.json`)
const { status } = spawnSync(
  join(root, "node_modules/.bin/vitest"),
  [
    "run",
    "--config=packages/page/browser/vitest.config.ts",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, GALLEY_CHROMIUM: browser } },
)
const { passed, failed } = countsIn(report)
rmSync(report, { force: true })
const broken = failed === 0 && status !== 0 ? 1 : 0
console.log(`\n${passed} passed, ${failed + broken} failed`)
process.exit(failed + broken === 0 ? 0 : 1)

function findBrowser(): string | null {
  return [process.env["GALLEY_CHROMIUM"] ?? "", ...usual].find(place => place !== "" && existsSync(place)) ?? null
}

function installBrowser(): string | null {
  console.log("Installing Chromium with apt-get …")
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit", env })
  const words = ["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu", "fonts-liberation"]
  spawnSync("apt-get", words, { stdio: ["ignore", "ignore", "inherit"], env })
  return findBrowser()
}

function countsIn(file: string): { passed: number; failed: number } {
  if (!existsSync(file)) return { passed: 0, failed: 1 }
  const result = JSON.parse(readFileSync(file, "utf8")) as { numPassedTests?: number; numFailedTests?: number }
  return { passed: result.numPassedTests ?? 0, failed: result.numFailedTests ?? 0 }
}
