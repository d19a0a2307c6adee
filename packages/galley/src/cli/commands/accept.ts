import { decisionCommand } from "../decision.ts"

export const command = decisionCommand("accept", {
  description:
    "Takes pending changes as they are. Name a file, some of its hunks or lines, a message, or everything. " +
    "Held changes (review mode hold) are written to the file now.",
  examples: [
    "galley accept src/cart.js",
    "galley accept src/cart.js --hunk k7f2 m1qa",
    "galley accept src/cart.js --hunk 2 --revision 4",
    "galley accept src/cart.js --lines old:10-12,new:10-11",
    "galley accept --message M",
    "galley accept --all",
  ],
})
