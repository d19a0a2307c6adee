import { expect, test } from "vitest"
import { editDescription, editInputSchema, editToolName } from "../../src/tool/edit-schema.ts"

// These strings sit in prompt caches (A10). Whoever changes one changes this test with it, knowingly.
test("name, description and schema are these, byte for byte", () => {
  expect(editToolName).toBe("str_replace_editor")
  expect(editDescription).toMatchInlineSnapshot(`
    "View, create and edit text files.
    * view: shows a file with numbered lines (the number and the tab after it are not part of the file), or the entries of a directory two levels deep. Hidden entries, dependency folders and Python caches are left out. Long output is cut, and says how to go on.
    * create: makes a new file holding exactly file_text, and missing parent directories. Refuses a path where something already exists.
    * str_replace: replaces the one place where old_str occurs by new_str. old_str must match the file exactly, blanks and tabs included, and must be unique: add neighbouring lines until it is.
    * insert: puts insert_text between two lines, as lines of its own.
    State persists between calls. Files must be text."
  `)
  expect(JSON.stringify(editInputSchema)).toMatchInlineSnapshot(
    `"{"type":"object","properties":{"command":{"type":"string","enum":["view","create","str_replace","insert"],"description":"What to do."},"path":{"type":"string","description":"Absolute path of a file or directory, e.g. /repo/src/main.py."},"view_range":{"type":"array","items":{"type":"integer"},"description":"view of a file only: first and last line to show, counted from 1 and both included, e.g. [11, 12]. [11, -1] shows line 11 to the end."},"file_text":{"type":"string","description":"create, required: the whole content of the new file."},"old_str":{"type":"string","description":"str_replace, required: the text to replace. Must occur exactly once in the file."},"new_str":{"type":"string","description":"str_replace: the text to put in its place. Left out, old_str is deleted."},"insert_line":{"type":"integer","description":"insert, required: the line after which the text goes. 0 puts it at the top of the file."},"insert_text":{"type":"string","description":"insert, required: the text to insert."}},"required":["command","path"]}"`,
  )
})

test("there is no undo_edit and no replace_all", () =>
  expect(`${editDescription}${JSON.stringify(editInputSchema)}`).not.toMatch(/undo|replace_all|old_string|new_string/))
