import { defineConfig } from "vitest/config"

/** Browser suites one after the other: two browsers and a server at once are load enough for two cores. */
export default defineConfig({
  test: {
    root: new URL("../../..", import.meta.url).pathname,
    include: ["packages/page/browser/**/*.browser.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 12_000, interval: 60 } },
  },
})
