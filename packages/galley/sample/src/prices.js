import { readFileSync } from "node:fs"

/** The price list by name, in cents. The file comes from a spreadsheet: CRLF, and amounts as people write them. */
export function readPrices(file = new URL("../data/prices.csv", import.meta.url)) {
  const [, ...rows] = readFileSync(file, "utf8").trimEnd().split("\r\n")
  return new Map(
    rows.map(row => {
      const [name, price] = row.split(",")
      return [name, Math.round(Number(price) * 100)]
    }),
  )
}
