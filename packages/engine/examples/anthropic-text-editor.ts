/**
 * Claude's own text-editor tool (`text_editor_20250728`) answered by Galley: each edit is proposed, put to the host's person, committed
 * or refused; afterwards the whole message is taken back.
 *
 * Written against the shape of `new Anthropic().messages.create` as @anthropic-ai/sdk gives it, which is not a dependency here: any
 * client of that shape will do.
 */
import { Failure } from "@galley/core/failure.ts"
import type { EditProposal } from "@galley/engine/tools/propose.ts"
import type { RequestContext } from "@galley/core/protocol/requests.ts"
import type { Workspace } from "@galley/engine/workspace.ts"

export interface AnthropicClient {
  readonly messages: { create(request: Readonly<Record<string, unknown>>): Promise<AnthropicMessage> }
}

export interface AnthropicMessage {
  readonly stop_reason: string | null
  readonly content: readonly AnthropicBlock[]
}

export type AnthropicBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use"
      readonly id: string
      readonly name: string
      readonly input: Readonly<Record<string, unknown>>
    }

/** The person: allows (perhaps with a text of their own) or denies. */
export type Confirm = (proposal: EditProposal) => Promise<{ readonly allow: boolean; readonly content?: string }>

/** One prompt to its end. Returns the id of its message: a restore point. */
export async function converse(
  client: AnthropicClient,
  workspace: Workspace,
  confirm: Confirm,
  conversation: string,
  prompt: string,
): Promise<string> {
  const said = await workspace.as({ actor: "agent", conversation }).message({ text: prompt, conversation })
  const message = said.message ?? ""
  const history: unknown[] = [{ role: "user", content: prompt }]
  for (;;) {
    const answer = await client.messages.create({
      model: "claude-sonnet-4-5",
      max_tokens: 4096,
      tools: [{ type: "text_editor_20250728", name: "str_replace_based_edit_tool" }],
      messages: history,
    })
    history.push({ role: "assistant", content: answer.content })
    const uses = answer.content.filter(block => block.type === "tool_use")
    if (uses.length === 0) return message
    const results: unknown[] = []
    for (const use of uses) {
      const context: RequestContext = { actor: "agent", conversation, message, callId: use.id }
      const { ok, text } = await edit(workspace, context, use.input, confirm)
      results.push({ type: "tool_result", tool_use_id: use.id, content: text, is_error: !ok })
    }
    history.push({ role: "user", content: results })
  }
}

async function edit(
  workspace: Workspace,
  context: RequestContext,
  input: Readonly<Record<string, unknown>>,
  confirm: Confirm,
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const call = { tool: "str_replace_editor", input }
  // A view changes nothing: there is nothing to confirm.
  if (input["command"] === "view") return workspace.as(context).call({ ...call, input: { ...input } })
  try {
    const proposal = await workspace.propose(context, call)
    if (proposal.type !== "edit") throw new Error("BUG: an edit is proposed as an edit")
    const said = await confirm(proposal)
    if (!said.allow) return { ok: false, text: "The person denied this edit. Nothing was changed." }
    return await workspace.commit(context, proposal, said.content === undefined ? {} : { content: said.content })
  } catch (error) {
    if (error instanceof Failure) return { ok: false, text: error.message }
    throw error
  }
}
