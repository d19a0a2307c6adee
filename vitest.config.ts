import { defineConfig } from "vitest/config"

/** One run for all packages; browser, agent and VS Code suites have their own commands. */
export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "scripts/**/*.test.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
