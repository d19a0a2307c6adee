import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { Policy, ReviewMode } from "@galley/core/protocol/results.ts"
import { Failure } from "@galley/core/failure.ts"
import type { Session } from "./session.ts"

/** The review mode of what this caller makes; it never changes items that are there. */
export function reviewModeOf(session: Session, context: RequestContext): ReviewMode {
  return context.review ?? session.config["review.mode"]
}

/** The narrower of what the person configured and what the caller asks for: a caller cannot widen it. */
export function policyOf(session: Session, context: RequestContext): Policy {
  const configured = session.config.policy
  const asked = context.policy ?? configured
  return width[asked] < width[configured] ? asked : configured
}

/** Decisions belong to the person (DESIGN §6). An agent's connection cannot make them. */
export function refuseAgent(context: RequestContext, what: string): void {
  if (context.actor === "agent") throw new Failure("DENIED", `${what} is the person's to do. Nothing was changed.`)
}

const width: Readonly<Record<Policy, number>> = { "read-only": 0, "workspace-write": 1, "full-access": 2 }
