import { add, receipt } from "./cart.js"
import { readPrices } from "./prices.js"

const prices = readPrices()
const cart = []
for (const word of process.argv.slice(2)) {
  const [name, count] = word.split("=")
  add(cart, { name, price: prices.get(name) ?? 0, count: Number(count ?? 1) })
}
console.log(receipt(cart))
