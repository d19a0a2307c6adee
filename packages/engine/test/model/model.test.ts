import * as fc from "fast-check"
import { expect, test } from "vitest"
import { commands, play } from "./play.ts"

/** More runs: GALLEY_MODEL_RUNS=5000; one seed again: GALLEY_MODEL_SEED (fast-check prints seed and path on failure). */
const runs = Number(process.env["GALLEY_MODEL_RUNS"] ?? 40)
const seed = process.env["GALLEY_MODEL_SEED"]

function law(
  title: string,
  options: { readonly git: boolean; readonly hold: "never" | "always" | "both"; readonly accept: boolean },
  share: number,
): void {
  test(title, { timeout: 60_000 + runs * 2000 }, async () => {
    const script = fc.array(commands(options), { minLength: 1, maxLength: 16, size: "max" })
    const check = fc.asyncProperty(script, commands => play(commands, options))
    await fc.assert(check, {
      numRuns: Math.max(1, Math.round(runs * share)),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    })
    expect(runs).toBeGreaterThan(0)
  })
}

law("two agents that write at once, rejections only", { git: false, hold: "never", accept: false }, 1)
law("two agents whose work is held, rejections only", { git: false, hold: "always", accept: false }, 1)
law("agents written at once and held, any decision", { git: false, hold: "both", accept: true }, 1)
law("agents, a person and git", { git: true, hold: "both", accept: true }, 0.3)
