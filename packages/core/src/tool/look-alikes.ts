/** Characters that look like others and are not: what word processors, web pages and chat windows change in passing. */

export function noBreakSpaces(flags = ""): RegExp {
  return new RegExp("[\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000]", flags)
}

export function plainSpaces(text: string): string {
  return text.replace(noBreakSpaces("g"), " ")
}

/** Marks that {@link plainQuotes} replaces. */
export function curly(): RegExp {
  return /[\u2018-\u201f\u2032\u2033\u00ab\u00bb\u2010-\u2015\u2212\u2026]/
}

/** Quotation marks, and the dashes and dots that a word processor changes along with them. */
export function plainQuotes(text: string): string {
  // Runs, not characters: a text of nothing but quotes costs one step.
  return text
    .replace(/[\u2018-\u201b\u2032]+/g, run => "'".repeat(run.length))
    .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]+/g, run => '"'.repeat(run.length))
    .replace(/[\u2010-\u2015\u2212]+/g, run => "-".repeat(run.length))
    .replaceAll("\u2026", "...")
}

/** Zero-width characters, soft hyphens, marks of writing direction. */
export function invisibles(flags = ""): RegExp {
  return new RegExp("[\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\ufeff]", flags)
}
