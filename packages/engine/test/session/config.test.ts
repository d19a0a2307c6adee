import { Failure } from "@galley/core/failure.ts"
import { describe, expect, it } from "vitest"
import {
  configKeys,
  describeConfig,
  fileLayer,
  resolveConfig,
  settingLayer,
  type ConfigKey,
} from "../../src/session/config.ts"

/** `given` are `--set` texts; expects the value of the key named by the first. */
function check(given: string, expected: unknown): void {
  it(`--set ${given}`, () => {
    const key = given.slice(0, given.indexOf("=")) as ConfigKey
    expect(resolveConfig([settingLayer([given])])[key]).toEqual(expected)
  })
}

function refused(given: string, complaint: RegExp): void {
  it(`--set ${given} is refused`, () => {
    expect(() => resolveConfig([settingLayer([given])])).toThrow(Failure)
    expect(() => resolveConfig([settingLayer([given])])).toThrow(complaint)
  })
}

describe("settings as typed", () => {
  check("review.mode=hold", "hold")
  check("policy=read-only", "read-only")
  check("strict=true", true)
  check("ask.waitSeconds=0.5", 0.5)
  check("file.maxBytes=1024", 1024)
  check("view.regenerable=a, b ,,c", ["a", "b", "c"])
  check("view.caches=", [])
  check("file.charset=*.txt=latin1", ["*.txt=latin1"])
  refused("review.mode=later", /--set: review\.mode must be one of hold, ask, apply, not "later"/)
  refused("strict=yes", /true or false/)
  refused("ask.waitSeconds=", /a number from 0/)
  refused("ask.waitSeconds=NaN", /a number from 0/)
  refused("ask.waitSeconds=-1", /a number from 0/)
  refused("file.maxBytes=1024.5", /a whole number/)
  refused("revew.mode=hold", /no setting "revew\.mode"/)
  refused("__proto__=1", /no setting|KEY=VALUE/)
  refused("toString=1", /no setting/)
  refused("review.mode", /KEY=VALUE/)
  refused("=hold", /KEY=VALUE/)
})

describe("settings from config.json", () => {
  it("may be nested or flat, and later layers win", () => {
    const nested = fileLayer("config.json", '{"ask":{"waitSeconds":9},"review.mode":"hold"}')
    const config = resolveConfig([nested, settingLayer(["review.mode=ask"])])
    expect([config["ask.waitSeconds"], config["review.mode"]]).toEqual([9, "ask"])
  })
  it("name the file when they are bad", () => {
    expect(() => fileLayer("/h/config.json", "{")).toThrow(/^\/h\/config\.json is not JSON/)
    expect(() => fileLayer("/h/config.json", "[]")).toThrow(/must hold a JSON object/)
    expect(() => resolveConfig([fileLayer("/h/config.json", '{"strict":1}')])).toThrow(/^\/h\/config\.json: strict/)
  })
})

describe("the table", () => {
  it("has a default for every key that its own reader takes", () => {
    for (const { key, fallback } of describeConfig())
      expect(configKeys[key as ConfigKey].read(fallback)).toEqual(fallback)
    expect(Object.keys(resolveConfig([]))).toEqual(describeConfig().map(row => row.key))
  })
})
