import { makeStage, type Stage } from "./stage.ts"

export const cart = `import { toText } from "./money.js"

/** What is in the cart, as receipts show it. */
export function receipt(items) {
  const lines = items.map(item => \`\${item.name.padEnd(20)} \${toText(item.price)}\`)
  return [...lines, \`Total \${toText(total(items))}\`].join("\\n")
}

export function add(items, item) {
  return [...items, item]
}

export function remove(items, name) {
  return items.filter(item => item.name !== name)
}

export function total(items) {
  let sum = 0
  for (const item of items) sum += item.price
  return sum
}

export function count(items) {
  return items.length
}
`

/** A small project and an agent's conversation of three messages in it; `ids` are theirs. */
export async function playShop(
  more: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<{ readonly stage: Stage; readonly ids: readonly string[] }> {
  const stage = makeStage({
    "src/cart.js": cart,
    "src/money.js": "export function toText(cents) {\n  return (cents / 100).toFixed(2)\n}\n",
    "README.md": "# Shop\n\nA till.\n\n- sells pencils\n",
    "old.txt": "not needed\n",
    ...more,
  })
  const at = (path: string): string => `${stage.root}/${path}`
  const ids = await stage.agent(async agent => {
    const first = await agent.message("Give a discount of 5 % from 100.00 on")
    await agent.edit({
      command: "create",
      path: at("src/discount.js"),
      file_text:
        "/** 5 % of what is bought for 100.00 or more, in cents. */\nexport function discountFor(sum) {\n  return sum >= 10_000 ? Math.round(sum * 0.05) : 0\n}\n",
    })
    await agent.edit({
      command: "str_replace",
      path: at("src/cart.js"),
      old_str: 'import { toText } from "./money.js"\n',
      new_str: 'import { discountFor } from "./discount.js"\nimport { toText } from "./money.js"\n',
    })
    await agent.edit({
      command: "insert",
      path: at("src/cart.js"),
      insert_line: 10,
      insert_text: '  console.log("adding", item)\n',
    })
    await agent.edit({
      command: "str_replace",
      path: at("src/cart.js"),
      old_str: "  return sum\n",
      new_str: "  return sum - discountFor(sum)\n",
    })
    const second = await agent.message("Say so on the receipt and in the README")
    await agent.edit({
      command: "str_replace",
      path: at("src/cart.js"),
      old_str: "`Total ${toText(total(items))}`",
      new_str: "`Total, discount taken off ${toText(total(items))}`",
    })
    await agent.edit({
      command: "str_replace",
      path: at("README.md"),
      old_str: "- sells pencils\n",
      new_str: "- sells pencils\n- gives 5 % from 100.00 on\n",
    })
    const third = await agent.message("Count with a sum")
    await agent.edit({
      command: "str_replace",
      path: at("src/cart.js"),
      old_str: "  return items.length\n",
      new_str: "  return items.reduce(sum => sum + 1, 0)\n",
    })
    return [first, second, third]
  })
  return { stage, ids }
}
