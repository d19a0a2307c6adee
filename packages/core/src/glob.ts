import type { WorkspacePath } from "./path.ts"

/**
 * Whether a path matches a glob: `*` and `?` within a name, `**` across folders, `[…]`, `{a,b}`. A pattern without `/` matches
 * the last name anywhere, as in `.gitignore`; one that names a folder matches all inside it.
 */
export function matchesGlob(path: WorkspacePath, glob: string): boolean {
  const trimmed = glob.replace(/^\.?\//, "").replace(/\/$/, "/**")
  const whole = trimmed.includes("/") ? trimmed : `**/${trimmed}`
  return new RegExp(`^${source(whole)}$`, "su").test(path)
}

function source(glob: string): string {
  let out = ""
  let braces = 0
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] ?? ""
    if (character === "*" && glob[at + 1] === "*") {
      const folder = glob[at + 2] === "/"
      out += folder ? "(?:[^/]+/)*" : ".*"
      at += folder ? 2 : 1
    } else if (character === "*") out += "[^/]*"
    else if (character === "?") out += "[^/]"
    else if (character === "[") {
      const end = glob.indexOf("]", at + 2)
      if (end < 0) out += "\\["
      else {
        const inner = glob
          .slice(at + 1, end)
          .replace(/\\/g, "\\\\")
          .replace(/^!/, "^")
          .replace(/\[/g, "\\[")
        out += `[${inner}]`
        at = end
      }
    } else if (character === "{" && glob.includes("}", at)) {
      out += "(?:"
      braces++
    } else if (character === "}" && braces > 0) {
      out += ")"
      braces--
    } else if (character === "," && braces > 0) out += "|"
    else out += character.replace(/[\\^$.|+()[\]{}?*/-]/gu, "\\$&")
  }
  return out
}
