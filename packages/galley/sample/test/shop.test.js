import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { test } from "node:test"
import { add, receipt, remove, total } from "../src/cart.js"
import { toText } from "../src/money.js"
import { readPrices } from "../src/prices.js"

const pencil = { name: "Pencil", price: 80, count: 3 }

test("the same article twice is one line", () => {
  assert.deepEqual(add(add([], pencil), { ...pencil, count: 2 }), [{ ...pencil, count: 5 }])
})

test("what is removed is not paid", () => {
  const cart = add(add([], pencil), { name: "Ruler", price: 195, count: 1 })
  assert.equal(total(remove(cart, "Pencil")), 195)
})

test("the receipt has a line for each article and one for the total", () => {
  assert.equal(receipt(add([], pencil)).split("\n").length, 2)
  assert.match(receipt(add([], pencil)), /2\.40$/)
})

test("amounts are written with two digits", () => {
  assert.deepEqual([0, 5, 1234, -50].map(toText), ["0.00", "0.05", "12.34", "-0.50"])
})

test("the price list is read whole", () => {
  assert.equal(readPrices().get("Ruler"), 195)
})

test("files that other programs read keep their form", () => {
  const bytes = name => readFileSync(new URL(`../${name}`, import.meta.url))
  assert.ok(!/[^\r]\n/.test(bytes("data/prices.csv").toString("latin1")), "prices.csv has a line without CR")
  assert.deepEqual([...bytes("data/customers.csv").subarray(0, 3)], [0xef, 0xbb, 0xbf])
  assert.deepEqual([...bytes("legal/terms.txt").subarray(0, 2)], [0xff, 0xfe])
  assert.match(bytes("Makefile").toString(), /^\tnode --test$/m)
})
