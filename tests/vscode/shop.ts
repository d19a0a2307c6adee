import type { Agent } from "./galley.ts"

/** A small shop, as it was before the agent came. */
export const shop = {
  "src/cart.js": `// shopping cart
function total(items) {
  let sum = 0;
  for (let i = 0; i < items.length; i++) {
    sum += items[i].price;
  }
  return sum;
}

function greet(name) {
  console.log("Hello " + name);
}

module.exports = { total, greet };
`,
  "src/price.ts": `export interface Price {
  readonly amount: number
  readonly currency: string
}

export function format(price: Price): string {
  return price.amount + " " + price.currency
}
`,
  "src/legacy.js": `exports.oldTotal = items => items.length
`,
  "README.md": `# Shop

A shop with a cart.

## Run

    node src/cart.js
`,
} as const

/** Two messages of an agent over the shop. Returns their ids. */
export async function workOnShop(agent: Agent): Promise<{ readonly tax: string; readonly tidy: string }> {
  const tax = await agent.message("Add tax and quantities to the cart")
  await agent.replace(
    "src/cart.js",
    `function total(items) {
  let sum = 0;
  for (let i = 0; i < items.length; i++) {
    sum += items[i].price;
  }
  return sum;
`,
    `function total(items, { tax = 0 } = {}) {
  const sum = items.reduce((acc, it) => acc + it.price * it.qty, 0);
  return sum * (1 + tax);
`,
  )
  await agent.create("src/tax.js", "exports.rates = { de: 0.19, fr: 0.2 };\n")
  const tidy = await agent.message("Use template strings, drop the legacy module")
  await agent.replace("src/cart.js", `console.log("Hello " + name);`, "console.log(`Hello ${name}`);")
  await agent.replace(
    "src/price.ts",
    `  return price.amount + " " + price.currency`,
    "  const amount = price.amount.toFixed(2)\n  return `${amount} ${price.currency}`",
  )
  await agent.run("rm src/legacy.js")
  return { tax, tidy }
}
