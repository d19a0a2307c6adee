import { Declined } from "./outcome.ts"

/** Counts steps of work against a bound that is linear in the text; one step is a table lookup or about as much. */
export interface Effort {
  left: number
}

export function effortFor(length: number): Effort {
  return { left: 40 * length + 4_000_000 }
}

export function spend(effort: Effort, steps: number): void {
  effort.left -= steps
  if (effort.left < 0) throw new Declined("effort", "Matching the pattern would take too long.")
}
