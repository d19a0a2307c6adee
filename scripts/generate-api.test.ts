import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { apiFile, apiText } from "./generate-api.ts"

test("docs/api.md is what the sources say; else run `node scripts/generate-api.ts`", { timeout: 120_000 }, () => {
  const text = apiText()
  expect(readFileSync(apiFile, "utf8")).toBe(text)
  for (const name of ["openWorkspace", "embedWorkspace", "createEditTool", "Workspace", "Requests", "RequestIo"])
    expect(text).toContain(`### ${name}\n`)
})
