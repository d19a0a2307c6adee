import { claudeFamily } from "./claude-family.ts"

/** Claude Code 2.1.332. */
export const claudeCode = claudeFamily({
  editTools: {
    Edit: ["file_path"],
    MultiEdit: ["file_path"],
    Write: ["file_path"],
    NotebookEdit: ["notebook_path"],
  },
  shellTools: ["Bash"],
  messageField: "prompt_id",
  callFields: ["tool_use_id"],
  rewritesIn: "any",
  shellRemembers: true,
  allowsWhatItChanges: false,
  changesEdits: true,
})
