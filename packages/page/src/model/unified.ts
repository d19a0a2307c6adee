/** A row of a unified diff as it is shown. */
export interface DiffRow {
  readonly kind: "file" | "place" | "same" | "added" | "removed" | "note"
  readonly text: string
  readonly old: number | null
  readonly new: number | null
}

/** Reads a unified diff as git and Galley write it. What it does not know is shown as a note, so nothing is hidden. */
export function readUnified(diff: string): DiffRow[] {
  const rows: DiffRow[] = []
  let oldLine = 0
  let newLine = 0
  let oldLeft = 0
  let newLeft = 0
  const lines = diff.split("\n")
  if (lines.at(-1) === "") lines.pop()
  for (const line of lines) {
    const inHunk = oldLeft > 0 || newLeft > 0
    const place = inHunk ? null : /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/.exec(line)
    if (place !== null) {
      oldLine = Number(place[1])
      newLine = Number(place[3])
      oldLeft = Number(place[2] ?? 1)
      newLeft = Number(place[4] ?? 1)
      rows.push({ kind: "place", text: line, old: null, new: null })
    } else if (inHunk && line.startsWith("+")) {
      rows.push({ kind: "added", text: line.slice(1), old: null, new: newLine++ })
      newLeft--
    } else if (inHunk && line.startsWith("-")) {
      rows.push({ kind: "removed", text: line.slice(1), old: oldLine++, new: null })
      oldLeft--
    } else if (inHunk && (line.startsWith(" ") || line === "")) {
      rows.push({ kind: "same", text: line.slice(1), old: oldLine++, new: newLine++ })
      oldLeft--
      newLeft--
    } else if (line.startsWith("--- ")) continue
    else if (line.startsWith("+++ ")) rows.push({ kind: "file", text: nameIn(line), old: null, new: null })
    else if (/^(diff |index )/.test(line)) continue
    else rows.push({ kind: "note", text: line, old: null, new: null })
  }
  return rows
}

function nameIn(line: string): string {
  const name = line.slice(4).replace(/\t.*$/, "")
  return name === "/dev/null" ? "deleted" : name.replace(/^"?[ab]\//, "").replace(/"$/, "")
}
