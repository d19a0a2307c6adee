import { describe, expect, test } from "vitest"
import { parseSedCommand } from "../../src/sed/command.ts"
import type { NotSimulatedCode } from "../../src/sed/outcome.ts"

function check(
  command: string,
  expected: { path: string; script: string; extended?: boolean } | NotSimulatedCode,
): void {
  test(JSON.stringify(command), () => {
    const edit = parseSedCommand(command)
    if (typeof expected === "string") return expect(edit).toMatchObject({ kind: "notSimulated", code: expected })
    expect(edit).toEqual({ kind: "sedEdit", extended: false, ...expected })
  })
}

const edit = { path: "f.txt", script: "s/a/b/" }
const extended = { ...edit, extended: true }

describe("options in every order", () => {
  check("sed -i s/a/b/ f.txt", edit)
  check("sed s/a/b/ -i f.txt", edit)
  check("sed s/a/b/ f.txt -i", edit)
  check("sed -i -e s/a/b/ f.txt", edit)
  check("sed -i f.txt -e s/a/b/", edit)
  check("sed -es/a/b/ -i f.txt", edit)
  check("sed -Ei s/a/b/ f.txt", extended)
  check("sed -ri s/a/b/ f.txt", extended)
  check("sed -Eri s/a/b/ f.txt", extended)
  check("sed -i -E -r s/a/b/ f.txt", extended)
  check("sed -i -Ee s/a/b/ f.txt", extended)
  check("sed -i -Ees/a/b/ f.txt", extended)
  check("sed -i '' s/a/b/ f.txt", edit)
  check('sed -i "" -e s/a/b/ f.txt', edit)
  check("sed -Ei '' s/a/b/ f.txt", extended)
  check("sed -i -- s/a/b/ f.txt", edit)
  check("sed -i -- s/a/b/ -f", { path: "-f", script: "s/a/b/" })
  check("sed --in-place --regexp-extended --expression=s/a/b/ f.txt", extended)
  check("sed --in-place= --expression s/a/b/ f.txt", edit)
})

describe("options that change what sed does", () => {
  check("sed -i.bak s/a/b/ f", "backupSuffix")
  check("sed -ie s/a/b/ f", "backupSuffix")
  check("sed -Eie s/a/b/ f", "backupSuffix")
  check("sed -iE s/a/b/ f", "backupSuffix")
  check("sed -i'~' s/a/b/ f", "backupSuffix")
  check("sed --in-place=.b s/a/b/ f", "backupSuffix")
  check("sed -ni s/a/b/ f", "option")
  check("sed -ns -i s/a/b/ f", "option")
  check("sed -i -b s/a/b/ f", "option")
  check("sed -i -l 5 s/a/b/ f", "option")
  check("sed -i --expr=s/a/b/ f", "option")
  check("sed -i --quiet s/a/b/ f", "option")
  check("sed -i --null-data s/a/b/ f", "option")
  check("sed -i --debug s/a/b/ f", "option")
  check("sed -i s/a/b/ -fx f", "option")
  check("sed -i -e", "option")
  check("sed --help", "option")
  check("sed s/a/b/ f", "notInPlace")
  check("sed -E s/a/b/ f -- -i", "notInPlace")
})

describe("files", () => {
  check("sed -i s/a/b/ 'a b.ts'", { path: "a b.ts", script: "s/a/b/" })
  check("sed -i s/a/b/ a\\ b.ts", { path: "a b.ts", script: "s/a/b/" })
  check("sed -i s/a/b/ './päth/日本.md'", { path: "./päth/日本.md", script: "s/a/b/" })
  check("sed -i s/a/b/ '~/f'", { path: "~/f", script: "s/a/b/" })
  check("sed -i s/a/b/ 'f[1].txt'", { path: "f[1].txt", script: "s/a/b/" })
  check("sed -i s/a/b/ /abs/f", { path: "/abs/f", script: "s/a/b/" })
  check("sed -i s/a/b/ a~", { path: "a~", script: "s/a/b/" })
  check("sed -i s/a/b/ f g", "files")
  check("sed -i s/a/b/", "files")
  check("sed -i s/a/b/ ''", "files")
  check("sed -i s/a/b/ dir/", "files")
  check("sed -i s/a/b/ -", "files")
  check("sed -i", "script")
})

describe("quoting", () => {
  check(`sed -i "s/a/b/" f.txt`, edit)
  check(`sed -i 's/'a'/'"b"/ f.txt`, edit)
  check(`sed -i s/a/\\$x/ f.txt`, { ...edit, script: "s/a/$x/" })
  check(`sed -i 's/$HOME/\${x}/' f.txt`, { ...edit, script: "s/$HOME/${x}/" })
  check(`sed -i "s/\\$x/\\\`y\\\`/" f.txt`, { ...edit, script: "s/$x/`y`/" })
  check(`sed -i "s/a\\.b/c\\\\w/" f.txt`, { ...edit, script: "s/a\\.b/c\\w/" })
  check(`sed -i 's/it'\\''s/X/' f.txt`, { ...edit, script: "s/it's/X/" })
  check(`sed -i 's/a/*?[x]{b,c}~;&|<>()#!/' f.txt`, { ...edit, script: "s/a/*?[x]{b,c}~;&|<>()#!/" })
  check("sed -i 's/a/b\\\nc/' f.txt", { ...edit, script: "s/a/b\\\nc/" })
  check("sed \\\n  -i s/a/b/ \\\n  f.txt\n", edit)
  check("sed -i s/a/b/ f.txt # a note", edit)
  check("sed -i s/a#b/c/ f.txt", { ...edit, script: "s/a#b/c/" })
})

describe("what the shell would change", () => {
  check("sed -i s/a/$b/ f", "expansion")
  check("sed -i s/a/b/ ${f}", "expansion")
  check("sed -i s/a/b/ $'f'", "expansion")
  check('sed -i s/a/b/ $"f"', "expansion")
  check("sed -i s/a/b/ ~person/f", "expansion")
  check("sed -i s/a/b/ --=~", "expansion")
  check("sed -i s/a/b/ x=~/f", "expansion")
  check("sed -i s/a.*/b/ f", "expansion")
  check("sed -i s/[a]/b/ f", "expansion")
  check("sed -i s/a/b/ f{1..3}", "expansion")
  check('sed -i "s/a/$(date)/" f', "expansion")
  check('sed -i "s/a/$((1+1))/" f', "expansion")
  check("sed -i s/a/b/ >(cat)", "expansion")
})

describe("more than one plain command", () => {
  check("sed -i s/a/b/ f || true", "shell")
  check("sed -i s/a/b/ f\necho", "shell")
  check("sed -i s/a/b/\nf", "shell")
  check("sed -i s/a/b/ f &", "shell")
  check("sed -i s/a/b/ f >>log", "shell")
  check("sed -i s/a/b/ f <<X\nX", "shell")
  check("X=1 sed -i s/a/b/ f", "shell")
  check("for f in a; do sed -i s/a/b/ f; done", "shell")
  check("sed () { :; }", "shell")
  check("sed -i s/a/b/ f (", "shell")
  check("sed -i s/a/b/ f )", "shell")
  check("sed -i 's/a/b/ f", "shell")
  check("sed -i s/a/b/ f\\", "shell")
  check("sed -i s/a/b/ f\0", "shell")
  check("", "shell")
  check("# sed", "shell")
  check("command sed -i s/a/b/ f", "notSed")
  check("\\sed -i s/a/b/ f", "notSed")
  check("gsed -i s/a/b/ f", "notSed")
  check("/bin/sed -i s/a/b/ f", "notSed")
})

describe("the s command", () => {
  for (const d of ["|", "#", ",", "@", "!", "%", ":", "_", "=", "+", "~", ";", "x", "1", " "]) {
    check(`sed -i 's${d}a${d}b${d}g' f.txt`, { ...edit, script: `s${d}a${d}b${d}g` })
  }
  check("sed -i 's/a/b/2g' f.txt", { ...edit, script: "s/a/b/2g" })
  check("sed -i 's/a/b/g02' f.txt", { ...edit, script: "s/a/b/g02" })
  check("sed -i 's/[/]/b/' f.txt", { ...edit, script: "s/[/]/b/" })
  check("sed -i 's//b/' f", "pattern")
  check("sed -i 's/a/b/1g2' f", "flag")
  check("sed -i 's/a/b/00' f", "flag")
  check("sed -i 's/a/b/2x' f", "flag")
  check("sed -i 's/a/b/ g' f", "flag")
  check("sed -i 's/a/b/99999999999' f", "flag")
  check("sed -i 's/a/b/;' f", "script")
  check("sed -i 's/a/b/}' f", "script")
  check("sed -i 's/a/b/\np' f", "script")
  check("sed -i ' s/a/b/' f", "script")
  check("sed -i '!s/a/b/' f", "script")
  check("sed -i '2,$s/a/b/' f", "script")
  check("sed -i 'S/a/b/' f", "script")
  check("sed -i s f", "script")
  check("sed -i 's\\a\\b\\' f", "script")
  check("sed -i 'séaébé' f", "script")
  check("sed -i 's/a\nb/c/' f", "script")
  check("sed -i 's/a/b\nc/' f", "script")
  check("sed -i 's/[/b/' f", "script")
  check("sed -i 's/a/b\\/' f", "script")
})

describe("patterns and replacements sed would refuse, or whose result is not certain", () => {
  for (const script of [
    "s/a**/b/",
    "s/\\(a/b/",
    "s/a\\)/b/",
    "s/a\\{2/b/",
    "s/\\{2\\}/b/",
    "s/a\\{3,2\\}/b/",
    "s/a\\{99999\\}/b/",
    "s/[[:foo:]]/b/",
    "s/[:alpha:]/b/",
    "s/[z-a]/b/",
    "s/[a-é]/b/",
    "s/[[.a.]]/b/",
    "s/[[=a=]]/b/",
    "s/\\(a\\)\\1/b/",
    "s/\\Ba/b/",
    "s/\\`a/b/",
    "s/a\\'/b/",
    "s/\\x41/b/",
    "s/\\d065/b/",
    "s/\\cA/b/",
    "s/\\ya/b/",
    "s/a\\{0\\}/b/",
    "s/\\(^a\\)*/b/",
  ]) {
    check(`sed -i "${script.replaceAll(/[\\`]/g, "\\$&")}" f`, "pattern")
  }
  for (const script of [
    "s/*a/b/",
    "s/a|*b/b/",
    "s/(a/b/",
    "s/a)/b/",
    "s/a{/b/",
    "s/a{1/b/",
    "s/a{,}/b/",
    "s/(?:a)/b/",
    "s/(?=a)/b/",
    "s/^*/b/",
    "s/(a*)*b/\\1/",
    "s/(a{2000}){2}/b/",
  ]) {
    check(`sed -E -i '${script}' f`, "pattern")
  }
  for (const script of ["s/a/\\1/", "s/a/\\x41/", "s/a/\\d65/", "s/a/\\o101/", "s/a/\\cA/"])
    check(`sed -i '${script}' f`, "replacement")
})
