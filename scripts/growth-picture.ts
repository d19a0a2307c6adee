import type { Measured } from "./growth.ts"

const wide = 640
const high = 300
const frame = { left: 56, right: 150, top: 28, bottom: 36 }
const colours = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d", "#4d7c0f", "#525252"]

/** Milliseconds by size, both by powers of ten, one line a request; plain SVG 1.1 that shows on light and dark pages. */
export function growthPicture(title: string, rows: readonly Measured[]): string {
  const across = range(rows.map(row => row.size))
  const up = range(rows.map(row => Math.max(row.ms, 0.1)))
  const x = (size: number): number => between(frame.left, wide - frame.right, part(size, across))
  const y = (ms: number): number => between(high - frame.bottom, frame.top, part(Math.max(ms, 0.1), up))
  const requests = [...new Set(rows.map(row => row.request))]
  const names = spread(
    requests.map(request => y(rows.findLast(row => row.request === request)?.ms ?? 0.1)),
    13,
  )
  const lines = requests.map((request, at) => {
    const colour = colours[at % colours.length] ?? "#525252"
    const own = rows.filter(row => row.request === request)
    const places = own.map(row => `${x(row.size).toFixed(1)},${y(row.ms).toFixed(1)}`)
    const dots = places.map(place => `<circle cx="${place.replace(",", '" cy="')}" r="2.5" fill="${colour}"/>`).join("")
    const name = `<text x="${wide - frame.right + 8}" y="${((names[at] ?? 0) + 4).toFixed(1)}" fill="${colour}">${request}</text>`
    return `<polyline points="${places.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots}${name}`
  })
  const grid = [
    ...powers(up).map(
      ms =>
        `<line x1="${frame.left}" x2="${wide - frame.right}" y1="${y(ms)}" y2="${y(ms)}"/><text x="${frame.left - 6}" y="${y(ms) + 4}" text-anchor="end">${ms.toLocaleString("en")}</text>`,
    ),
    ...[...new Set(rows.map(row => row.size))].map(
      size =>
        `<line x1="${x(size)}" x2="${x(size)}" y1="${frame.top}" y2="${high - frame.bottom}"/><text x="${x(size)}" y="${high - frame.bottom + 16}" text-anchor="middle">${size.toLocaleString("en")}</text>`,
    ),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${high}" font-family="sans-serif" font-size="11">
<rect width="${wide}" height="${high}" fill="#ffffff"/>
<text x="${frame.left}" y="16" font-size="12" fill="#262626">ms of processor time, by ${title}</text>
<g stroke="#d4d4d4" stroke-width="0.5" fill="none">${grid.map(one => one.replace("<text", '<text stroke="none" fill="#525252"')).join("\n")}</g>
${lines.join("\n")}
</svg>
`
}

interface Range {
  readonly from: number
  readonly to: number
}

/** Whole powers of ten around all values. */
function range(values: readonly number[]): Range {
  const from = Math.floor(Math.log10(Math.min(...values)))
  return { from, to: Math.max(Math.ceil(Math.log10(Math.max(...values))), from + 1) }
}

function part(value: number, { from, to }: Range): number {
  return (Math.log10(value) - from) / (to - from)
}

function between(low: number, top: number, at: number): number {
  return low + (top - low) * at
}

function powers({ from, to }: Range): number[] {
  return Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at))
}

/** The same heights, moved apart to at least `gap`, in their order. */
function spread(heights: readonly number[], gap: number): number[] {
  const placed = [...heights]
  const order = heights.map((_, at) => at).toSorted((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0))
  let least = -Infinity
  for (const at of order) {
    placed[at] = Math.max(heights[at] ?? 0, least)
    least = placed[at] + gap
  }
  return placed
}
