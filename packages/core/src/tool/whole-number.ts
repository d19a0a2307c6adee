/** A whole number given as a number or as text; null for anything else. */
export function wholeNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value
  // `+ 0` turns -0 into 0.
  return typeof number === "number" && Number.isSafeInteger(number) ? number + 0 : null
}
