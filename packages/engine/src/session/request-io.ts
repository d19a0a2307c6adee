/** What a long request may use of its caller. */
export interface RequestIo {
  readonly signal?: AbortSignal
  /** A few words on where the work stands; sent every few seconds while waiting for a person. */
  readonly progress?: (text: string) => void
  /** A command's output as it arrives: its very bytes, not yet inert. */
  readonly output?: (chunk: Uint8Array) => void
  /**
   * Aborted when nobody reads the output any more (`| head`): the command's next write fails, as it would with nothing in between. It goes
   * on otherwise, and what it changes is recorded.
   */
  readonly readerGone?: AbortSignal
  /** The call now waits for the person (`ask`): what `answer` takes and the unified diff of what is asked. */
  readonly asked?: (question: { readonly id: string; readonly title: string; readonly diff: string }) => void
}
