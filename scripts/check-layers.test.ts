import { join } from "node:path"
import { expect, test } from "vitest"
import { violations } from "./check-layers.ts"

test("no source file imports what the arrow table does not list", () => {
  expect(violations(join(import.meta.dirname, ".."))).toEqual([])
})
