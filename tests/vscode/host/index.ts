import { join } from "node:path"
import Mocha, { type Runner } from "mocha"

/** What VS Code calls in the extension host. Lines that begin with a mark are counted by the harness. */
export async function run(): Promise<void> {
  const mocha = new Mocha({ color: false, timeout: 120_000, reporter: Lines, ui: "bdd" })
  // Fewer while one is worked on: `npm run test:vscode -- --only=typing`.
  const names = process.env["GALLEY_TEST_FILES"]?.split(",") ?? ["review", "typing", "hold"]
  for (const name of names) mocha.addFile(join(__dirname, `${name}.test.cjs`))
  const failures = await new Promise<number>(done => mocha.run(done))
  if (failures > 0) throw new Error(`${failures} failed`)
}

class Lines extends Mocha.reporters.Base {
  constructor(runner: Runner) {
    super(runner)
    runner.on("pass", test => console.log(`✓ ${test.fullTitle()}`))
    runner.on("fail", (test, error) => console.log(`✗ ${test.fullTitle()}\n${error.stack ?? error.message}`))
    runner.on("pending", test => console.log(`- ${test.fullTitle()}`))
  }
}
