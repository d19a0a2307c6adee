import { claudeFamily } from "./claude-family.ts"

/** codex 0.171.0. */
export const codex = claudeFamily({
  editTools: { apply_patch: [] },
  shellTools: ["Bash"],
  messageField: "turn_id",
  callFields: ["tool_use_id"],
  // In any other mode its shell runs in a sandbox that keeps Galley from its store.
  rewritesIn: ["bypassPermissions"],
  shellRemembers: false,
  allowsWhatItChanges: true,
  changesEdits: true,
})
