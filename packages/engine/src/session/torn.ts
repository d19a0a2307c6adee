/** Writes reach the disk page by page; a write that was cut off ends between two, or inside one where the disk was full. */
const pageSize = 4096

/**
 * Whether `there` is what a write of `wanted` over `old` in place leaves when it is cut off: every page begins as the one and
 * ends as the other, and the length is between the two or one of them.
 */
export function isTorn(there: Uint8Array, old: Uint8Array, wanted: Uint8Array): boolean {
  if (there.length > Math.max(old.length, wanted.length) || there.length < Math.min(old.length, wanted.length))
    return false
  for (let at = 0; at < there.length; at += pageSize) {
    const page = there.subarray(at, at + pageSize)
    if (!isMixture(page, old.subarray(at, at + page.length), wanted.subarray(at, at + page.length))) return false
  }
  return true
}

/** A beginning of `wanted` and then, from the same place on, the rest of `old`; or one of them whole. */
function isMixture(page: Uint8Array, old: Uint8Array, wanted: Uint8Array): boolean {
  let head = 0
  while (head < page.length && head < wanted.length && page[head] === wanted[head]) head++
  if (head === page.length) return true
  if (page.length > old.length) return false
  let tail = page.length
  while (tail > 0 && page[tail - 1] === old[tail - 1]) tail--
  return tail <= head
}
