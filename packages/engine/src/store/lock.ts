/**
 * The one writer of a workspace (DESIGN §4). Held only for commit phases, never while waiting for a person or running a
 * command. The kernel frees it when a process dies.
 */
export interface WorkspaceLock {
  /** Runs `work` alone among all processes; waits its turn. Not re-entrant. */
  hold<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}
