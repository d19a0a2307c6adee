import { toText } from "./money.js"

/** A cart is a list of { name, price, count }; prices are in cents. */
export function add(cart, item) {
  const there = cart.find(one => one.name === item.name)
  if (there) there.count += item.count
  else cart.push({ ...item })
  return cart
}

export function remove(cart, name) {
  return cart.filter(item => item.name !== name)
}

export function total(cart) {
  let sum = 0
  for (const item of cart) {
    sum += item.price * item.count
  }
  return sum
}

/** What is printed at the till. */
export function receipt(cart) {
  const lines = cart.map(item => {
    const price = toText(item.price * item.count)
    return `${item.count} x ${item.name}  ${price}`
  })
  return [...lines, `Total  ${toText(total(cart))}`].join("\n")
}
