import { Declined } from "./outcome.ts"

/** Counts steps of work against a bound that is linear in the text; one step is a table lookup or about as much. */
export interface Effort {
  left: number
}

/** The longest text that is edited in memory; a replacement may make it four times as long, which a string still holds. */
export const maxLength = 2 ** 26

/** Refuses to hold more than `most` characters. */
export function refuseLength(length: number, most: number): void {
  if (length > most) throw new Declined("effort", "The text is too long to be edited in memory.")
}

export function effortFor(length: number): Effort {
  return { left: 40 * length + 4_000_000 }
}

export function spend(effort: Effort, steps: number): void {
  effort.left -= steps
  if (effort.left < 0) throw new Declined("effort", "Matching the pattern would take too long.")
}
