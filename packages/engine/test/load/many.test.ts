import { expect, test } from "vitest"
import { playMany } from "./many.ts"

const seconds = Number(process.env["LOAD_SECONDS"] ?? 6)

test(`eight processes on one workspace for ${seconds} s: no operation lost, no deadlock, every file as the log says`, {
  timeout: (seconds + 180) * 1000,
}, async () => {
  const { wrong, operations, ends } = await playMany(seconds * 1000)
  expect(wrong, ends.join("\n")).toEqual([])
  expect(ends).toHaveLength(8)
  expect(operations).toBeGreaterThan(0)
})
