import { decisionCommand } from "../decision.ts"

export const command = decisionCommand("reject", {
  description:
    "Puts the old text back. Lines that you wrote stay; where you altered a line of the agent's, say which side to keep " +
    "with --on-conflict. The agent is told at its next contact.",
  examples: [
    "galley reject src/cart.js --hunk k7f2",
    "galley reject src/cart.js --lines new:10-11",
    "galley reject --message M",
    "galley reject src/cart.js --on-conflict keep-mine",
  ],
})
