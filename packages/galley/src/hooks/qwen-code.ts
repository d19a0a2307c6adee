import { claudeFamily } from "./claude-family.ts"

/** qwen-code 0.24.4. It documents that a hook may change a tool's input and does not do it. */
export const qwenCode = claudeFamily({
  editTools: { edit: ["file_path"], write_file: ["file_path"], notebook_edit: ["notebook_path", "file_path"] },
  shellTools: ["run_shell_command"],
  messageField: "prompt_id",
  callFields: ["tool_call_id", "tool_use_id"],
  rewritesIn: [],
  shellRemembers: false,
  allowsWhatItChanges: false,
  changesEdits: false,
})
