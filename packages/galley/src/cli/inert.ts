import { showPath } from "@galley/core/path.ts"

export { inert } from "@galley/core/text/inert.ts"

/** One line, for titles, reasons and names: line breaks and tabs are shown too. */
export function inertLine(text: string): string {
  return showPath(text)
}
