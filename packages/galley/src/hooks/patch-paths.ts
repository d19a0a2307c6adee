/**
 * The files that a patch of codex's form touches (`*** Begin Patch`, as of codex 0.171): updated, added, deleted, and both names
 * of a move. A patch may stand inside a shell command (a here-document), so lines are looked for wherever they are.
 */
export function pathsOfPatch(patch: string): string[] {
  const found = new Set<string>()
  for (const line of patch.split(/\r?\n/)) {
    const match = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\s*$/.exec(line)
    if (match?.[1] !== undefined) found.add(match[1])
  }
  return [...found]
}
