/** What a long request may use of its caller. */
export interface RequestIo {
  readonly signal?: AbortSignal
  /** A few words on where the work stands; sent every few seconds while waiting for a person. */
  readonly progress?: (text: string) => void
}
