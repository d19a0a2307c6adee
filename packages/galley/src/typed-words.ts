import { readFileSync } from "node:fs"
import { pathFromBytes } from "@galley/core/path.ts"

/**
 * The words of the command line with their bytes kept. Node decodes them as UTF-8 and loses what is not; a file's name may be any
 * bytes, so where something was lost the kernel is asked (Linux), and such bytes are held as everywhere in Galley.
 */
export function typedWords(words: readonly string[]): readonly string[] {
  if (!words.some(word => word.includes("\ufffd"))) return words
  try {
    const all = readFileSync("/proc/self/cmdline")
    const raw: string[] = []
    for (let from = 0; from < all.length; ) {
      const to = all.indexOf(0, from)
      raw.push(pathFromBytes(all.subarray(from, to < 0 ? all.length : to)))
      from = to < 0 ? all.length : to + 1
    }
    return raw.slice(raw.length - words.length)
  } catch {
    return words
  }
}
