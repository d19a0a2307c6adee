import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

/** One run for all packages; browser, agent and VS Code suites have their own commands. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"],
    pool: "forks",
    // Tests wait for processes more than they compute: as many as there are cores, at least two.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
