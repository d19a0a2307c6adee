import { isPending } from "@galley/core/change/item.ts"
import { sameBytes, type LoadedSides } from "@galley/core/change/loaded.ts"
import { decideSides } from "@galley/core/change/sides-decision.ts"
import { viewSides } from "@galley/core/change/sides-view.ts"
import { diffLines } from "@galley/core/diff/line-diff.ts"
import { decodeDocument, isNotText } from "@galley/core/text/document.ts"
import { fitLineEndings } from "@galley/core/text/eol.ts"
import { joinLines, splitLines } from "@galley/core/text/lines.ts"
import { openGitObjects, type CommittedBlob } from "../io/git-objects.ts"
import { commitTurns, type Turn } from "./commit.ts"
import { settleDrift, standingAt, type Standing } from "./drift.ts"
import { followRenames } from "./renamed.ts"
import type { Session } from "./session.ts"

/**
 * Accepts the pending hunks that a person's commit contains: same old lines at the same place, same new text. Hunks that it does
 * not contain, or contains otherwise, stay pending.
 */
export async function acceptCommitted(session: Session, commit: string | null): Promise<void> {
  const before = await session.store.items({ pending: true })
  if (before.length === 0 || commit === null) return
  // A file may have been renamed and committed in one go.
  await followRenames(
    session,
    before.map(item => item.path),
  )
  const pending = await session.store.items({ pending: true })
  const standings = await settleDrift(
    session,
    pending.map(item => item.path),
  )
  const objects = openGitObjects(session.root.path)
  const turns: Turn[] = []
  try {
    for (const { path } of pending) {
      const standing = standingAt(standings, path)
      // What is held is not in the person's files, so what they committed cannot have been it: base would be written for it.
      if (standing.item === null || !isPending(standing.item) || standing.item.disk === "base") continue
      const committed = await objects.committed(path, commit)
      const sides = await sidesCommitted(session, standing, committed)
      if (sides !== null) turns.push({ standing, sides, disk: standing.item.disk })
    }
  } finally {
    objects.close()
  }
  if (turns.length === 0) return
  await commitTurns(session, turns, {
    kind: "accept",
    actor: "git",
    conversation: null,
    message: null,
    title: `Commit ${commit.slice(0, 8)} accepted ${turns.length === 1 ? "a change" : `changes in ${turns.length} files`}`,
    capture: "none",
  })
}

async function sidesCommitted(
  session: Session,
  standing: Standing,
  committed: CommittedBlob,
): Promise<LoadedSides | null> {
  const { base, current } = standing.sides
  switch (committed.kind) {
    case "unknown":
      return null
    case "absent":
      return current.kind === "absent" && base.kind !== "absent" ? { base: current, current } : null
    case "blob":
      break
  }
  if (current.kind === "symlink")
    return sameBytes(new TextEncoder().encode(current.target), committed.bytes) ? { base: current, current } : null
  if (current.kind !== "file") return null
  if (sameBytes(current.bytes, committed.bytes)) return { base: current, current }
  const charset = await session.charsetFor(standing.path)
  const view = viewSides(standing.sides, charset)
  const document = decodeDocument(committed.bytes, charset)
  if (view.text === null || isNotText(document)) return null
  const proposed = view.text.current
  // What git keeps with LF and checks out with CRLF (text=auto, core.autocrlf) is compared as it stands on disk.
  const text = splitLines(fitLineEndings(document.text, joinLines(proposed)))
  if (joinLines(text) === joinLines(proposed)) return { base: current, current }
  const contained = diffLines(view.text.base, text).hunks
  const hunks = view.text.diff.hunks.filter(hunk =>
    contained.some(
      other =>
        other.fromBase === hunk.fromBase &&
        other.toBase === hunk.toBase &&
        text.slice(other.fromCurrent, other.toCurrent).join("") ===
          proposed.slice(hunk.fromCurrent, hunk.toCurrent).join(""),
    ),
  )
  if (hunks.length === 0) return null
  const outcome = decideSides(standing.sides, { kind: "hunks", hunks }, "accept", "take-theirs", {
    charset,
    authorship: null,
    conflicting: [],
  })
  return outcome.kind === "done" ? outcome.sides : null
}
