import { expect, test } from "vitest"
import { declaredCharset, parseEditorConfig } from "../../src/io/editorconfig.ts"
import { matchesSection } from "@galley/core/glob.ts"
import { memoryFiles } from "../../src/io/memory-files.ts"
import { openRoot } from "../../src/io/roots.ts"
import { buildTree } from "../session/world.ts"

/** `yes` and `no` are paths, separated by blanks. */
function check(glob: string, yes: string, no = ""): void {
  test(`[${glob}]`, () => {
    for (const path of yes.split(" ").filter(Boolean))
      expect({ path, is: matchesSection(glob, path) }).toEqual({ path, is: true })
    for (const path of no.split(" ").filter(Boolean))
      expect({ path, is: matchesSection(glob, path) }).toEqual({ path, is: false })
  })
}

check("*", "a a.txt d/a.txt d/e/f")
check("*.txt", "a.txt d/a.txt d/e/.txt", "a.txtx a")
check("/*.txt", "a.txt", "d/a.txt")
check("d/*.txt", "d/a.txt", "a.txt d/e/a.txt x/d/a.txt")
check("d/**.txt", "d/a.txt d/e/a.txt", "a.txt")
check("d/**/x", "d/x d/e/x d/e/f/x", "dx d/ex")
check("**/x", "x d/x d/e/x", "dx")
check("a?c", "abc a😀c d/abc", "ac a/c abbc")
check("[ab].c", "a.c b.c", "c.c ab.c")
check("[!ab].c", "c.c", "a.c b.c .c")
check("[a-c]x", "ax bx cx", "dx -x")
check("[a/b].c", "[a/b].c", "a.c b.c")
check("[ab", "[ab", "a b")
check("[]a]x", "]x ax", "x bx")
check("{a,b}.c", "a.c b.c d/a.c", "c.c")
check("{a,b{c,d}}", "a bc bd", "b ab")
check("{,x}.c", ".c x.c", "y.c")
check("{single}.c", "{single}.c", "single.c")
check("{a,b", "{a,b", "a b")
check("x{1..3}", "x1 x2 x3", "x0 x4 x x12")
check("x{-2..2}", "x-2 x0 x2", "x-3 x3 x-")
check("{a,{1..2}}.c", "a.c 1.c 2.c", "3.c {1..2}.c")
check("\\*.c", "*.c", "a.c")
check("\\{a,b\\}", "{a,b}", "a b")
check("a.c", "a.c", "abc")
check("(a|b)", "(a|b)", "a b")

test("a glob of many stars and many alternatives ends", () => {
  expect(matchesSection("a*".repeat(300), "a".repeat(250))).toBe(false)
  expect(matchesSection(`${"*a".repeat(100)}b`, "a".repeat(4000))).toBe(false)
  expect(matchesSection("{a,b}".repeat(500), "a")).toBe(false)
  expect(matchesSection(`{${"a,".repeat(1500)}}`.repeat(1), "a")).toBe(true)
})

test("sections, comments, CRLF, a BOM and nonsense are read as the specification says", () => {
  const text =
    "\uFEFFROOT = True\r\n; no\r\n# no\r\n[*.A]\r\nCharset= Latin1 \r\nnonsense\r\nindent_size=2\r\n[b]\ncharset =\n"
  expect(parseEditorConfig(text)).toEqual({
    isRoot: true,
    sections: [
      { glob: "*.A", charset: "latin1" },
      { glob: "b", charset: null },
    ],
  })
  expect(parseEditorConfig("[*]\nroot = true\n").isRoot).toBe(false)
})

async function declared(tree: Record<string, string>, path: string): Promise<string | undefined> {
  const files = memoryFiles(() => 0)
  await files.makeFolder("/home", 0o755)
  await files.makeFolder("/home/ws", 0o755)
  await buildTree(files, "/home", { ".editorconfig": "[*]\ncharset=outside\n" })
  await buildTree(files, "/home/ws", tree)
  return declaredCharset(files, await openRoot(files, "/home/ws"), path)
}

const latin = "[*.txt]\ncharset = latin1\n"

test("the nearest file wins, and the last section in it", async () => {
  expect(await declared({ ".editorconfig": latin }, "d/a.txt")).toBe("latin1")
  expect(await declared({ ".editorconfig": latin, "d/.editorconfig": "[*]\ncharset=shift_jis" }, "d/a.txt")).toBe(
    "shift_jis",
  )
  expect(await declared({ ".editorconfig": `${latin}[d/**]\ncharset=big5\n` }, "d/a.txt")).toBe("big5")
  expect(await declared({ ".editorconfig": latin, "d/.editorconfig": "[*.c]\ncharset=big5" }, "d/a.txt")).toBe("latin1")
})

test("unset, root = true and the workspace end the way up", async () => {
  expect(await declared({ ".editorconfig": latin, "d/.editorconfig": "[*]\ncharset=unset" }, "d/a.txt")).toBe(undefined)
  expect(await declared({ ".editorconfig": latin, "d/.editorconfig": "root=true" }, "d/a.txt")).toBe(undefined)
  expect(await declared({}, "a.txt")).toBe(undefined)
})

test("a declaration that is a link is followed inside the workspace only; a folder of that name declares nothing", async () => {
  expect(await declared({ conf: latin, ".editorconfig": "-> conf" }, "a.txt")).toBe("latin1")
  expect(await declared({ ".editorconfig": "-> ../.editorconfig" }, "a.txt")).toBe(undefined)
  expect(await declared({ ".editorconfig": "folder" }, "a.txt")).toBe(undefined)
})
