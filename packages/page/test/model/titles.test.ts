import { describe, expect, it } from "vitest"
import { deedOf, plainTitle } from "../../src/model/titles.ts"

describe("titles of deeds", () => {
  const check = (title: string, expected: string): void => expect(plainTitle(title, "/home/me/shop")).toBe(expected)
  it("name files as the workspace does", () => check("Edit /home/me/shop/src/a.js", "Edit src/a.js"))
  it("and leave other paths alone", () => check("Edit /home/me/shopping/a.js", "Edit /home/me/shopping/a.js"))
  it("do so in a command too", () => check("cat /home/me/shop/a > /home/me/shop/b", "cat a > b"))
  it("say what was done last, and to what", () => check("Undo: Redo: Undo: Accept a.js", "Undo: Accept a.js"))
  it("keep one verb", () => check("Redo: Edit /home/me/shop/a.js", "Redo: Edit a.js"))
  it("are left alone where the verb is a file's name", () => check("Edit Undo: a.js", "Edit Undo: a.js"))
  it("of a button have no verb of their own", () =>
    expect(deedOf("Redo: Undo: Accept /home/me/shop/a.js", "/home/me/shop")).toBe("Accept a.js"))
  it("are whole where the workspace is the root", () => expect(plainTitle("Edit /a/b", "/")).toBe("Edit /a/b"))
})
