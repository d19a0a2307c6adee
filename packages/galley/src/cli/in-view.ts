import { Failure } from "@galley/core/failure.ts"

/**
 * Refuses what is the person's to do inside a command that Galley runs (REQUIREMENTS D9). This only says so: what holds is that the
 * store is out of such a command's reach.
 */
export function refuseInView(variables: Readonly<Record<string, string | undefined>>): void {
  if ((variables["GALLEY_VIEW"] ?? "") === "") return
  throw new Failure(
    "DENIED",
    "This runs inside a command whose changes Galley reviews: nothing can be looked at or decided from in here. Nothing was changed.",
    "Decisions are the person's, in a shell of their own.",
  )
}
