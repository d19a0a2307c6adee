import type { FileView } from "@galley/core/protocol/results.ts"
import { describe, expect, it } from "vitest"
import { propertiesOf } from "../../src/model/properties.ts"

const plain: FileView = {
  path: "a",
  kinds: ["modify"],
  id: "f1",
  revision: 1,
  disk: "current",
  hunks: [],
  conflict: false,
  parked: false,
}
const hunk = { id: "h", index: 1, oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, mixed: false, conflict: false }

function check(file: Partial<FileView>, expected: string): void {
  expect(
    propertiesOf({ ...plain, ...file })
      .map(one => one.name)
      .join(" "),
  ).toBe(expected)
}

describe("what of a file is decided alone", () => {
  it("is the mode beside the text", () => check({ hunks: [hunk], properties: ["mode 644 → 755"] }, "mode"))
  it("is the name of a renamed file that was also edited", () => check({ hunks: [hunk], from: "b" }, "existence"))
  it("is a BOM beside the text", () => check({ hunks: [hunk], properties: ["BOM added"] }, "encoding"))
  it("is the encoding beside the text", () =>
    check({ hunks: [hunk], properties: ["encoding utf-8 → utf-16le"] }, "encoding"))
  it("are a binary's content and its mode", () =>
    check({ properties: ["mode 644 → 755", "4 → 3 bytes"] }, "mode content"))
  it("is where a link leads and the name it moved to", () =>
    check({ from: "b", properties: ["link target a → b"] }, "existence content"))
  it("is what a file became, but not of one with another name", () => {
    check({ properties: ["mode 644 → 755", "file → symlink to a"] }, "mode existence")
    check({ from: "b", hunks: [hunk], properties: ["file → symlink to a"] }, "existence")
  })
  it("is nothing where there is one thing to decide", () => check({ properties: ["mode 644 → 755"] }, ""))
  it("are not the line ends, which are in the lines", () =>
    check({ hunks: [hunk, hunk], properties: ["line endings crlf → lf"] }, ""))
  it("is nothing of a parked file, a folder of outputs, one that is settled", () => {
    check({ parked: true, hunks: [hunk], properties: ["mode 644 → 755"] }, "")
    check({ summary: { files: 3 }, hunks: [hunk], properties: ["kept aside, not on disk: 3 paths, 9 bytes"] }, "")
    check({ kinds: [], hunks: [hunk], properties: ["mode 644 → 755"] }, "")
  })
})
