import { execFileSync } from "node:child_process"
import { describe, expect, test } from "vitest"
import { parseSedCommand } from "../../src/sed/command.ts"
import { applySed } from "../../src/sed/substitute.ts"
import { quote, whyNoGnuSed } from "./differential.ts"
import { dice } from "./random-edits.ts"

/** What people and agents really write; all of it must be simulated, and come out as from the machine's sed. */
const basic = [
  String.raw`s/\bfoo\b/bar/g`,
  String.raw`s/"version": "[^"]*"/"version": "1.2.3"/`,
  String.raw`s/^\(\s*\)foo/\1bar/`,
  String.raw`s|http://|https://|g`,
  String.raw`s/\(foo\)\s*=\s*\(.*\)$/\1 = \2/`,
  String.raw`s/\t/    /g`,
  String.raw`s/[[:space:]]*$//`,
  String.raw`s/\r$//`,
  String.raw`s/^#\s*\(export\)/\1/`,
  String.raw`s/^\s*\/\/.*$//`,
  String.raw`s/.*/\L&/`,
  String.raw`s/\(^\|[^a-z]\)foo/\1bar/g`,
  String.raw`s/\<\(\w\)\(\w*\)\>/\U\1\L\2/g`,
  String.raw`s/\(.*\)foo\(.*\)/\1bar\2/`,
  String.raw`s/^[ \t]*//`,
  String.raw`s/console\.log(.*);//`,
  String.raw`s/<[^>]*>//g`,
  String.raw`s/\([0-9]\{3\}\)-\([0-9]\{4\}\)/\2-\1/`,
  String.raw`s/\bvar\b/let/g`,
  String.raw`s/^\([^#]*\)#.*/\1/`,
  String.raw`s/  *$//`,
  String.raw`s/.$//`,
  String.raw`s/^.//`,
  String.raw`s/\s\+/ /g`,
  String.raw`s/foo/bar\nbaz/`,
  String.raw`s/foo/bar\
baz/`,
  String.raw`s/^$/x/`,
  String.raw`s/x\{2,3\}/y/g`,
  String.raw`s/\.js'/.ts'/`,
  String.raw`s/@old\/pkg/@new\/pkg/g`,
  String.raw`s#src/\(.*\)\.js#lib/\1.mjs#`,
  String.raw`s/\(\bfoo\b\)/[\1]/g`,
  String.raw`s/\/\*.*\*\///g`,
  String.raw`s/a\|b\|c/x/g`,
  String.raw`s/\(a\|b\|c\)/<\1>/g`,
  String.raw`s/^\(\s*\)- \[ \]/\1- [x]/`,
  String.raw`s/^[[:space:]]*#.*$//`,
  String.raw`s/\(foo\)\?bar/[\1]/`,
  String.raw`s/^\(.\{3\}\)./\1X/`,
  String.raw`s|^\(.*\)/\([^/]*\)$|\2 in \1|`,
  String.raw`s/\w\+/[&]/2`,
  String.raw`s/\(return\|throw\)\b/\1 /`,
  String.raw`s/;\s*$//`,
  String.raw`s/,\(\s*\)}/\1}/g`,
]

const extended = [
  String.raw`s/^([A-Z_]+)=.*/\1=x/`,
  String.raw`s/(import .*) from "(.*)"/\1 from "\2.js"/`,
  String.raw`s/(^|[^a-zA-Z_])foo([^a-zA-Z_]|$)/\1bar\2/g`,
  String.raw`s/\b(.)/\u\1/g`,
  String.raw`s/\b([a-z])/\U\1/g`,
  String.raw`s/([a-z])([A-Z])/\1_\l\2/g`,
  String.raw`s/_([a-z])/\u\1/g`,
  String.raw`s/(\w+)\s*:\s*(\w+);/\1: \2,/`,
  String.raw`s/^(.*)$/"\1",/`,
  String.raw`s/([^,]*),([^,]*)/\2,\1/`,
  String.raw`s/\$\{([A-Z]+)\}/$\1/g`,
  String.raw`s/^(\s*)(let|var) /\1const /`,
  String.raw`s/((a|b)c)+/[\1]/`,
  String.raw`s/(const|let) (\w+) = require\(['"]([^'"]+)['"]\)/import \2 from "\3"/`,
  String.raw`s/(\bfoo|bar\b)/[\1]/g`,
  String.raw`s/^(export )?function/async \1function/`,
  String.raw`s/^(export )?(default )?class (\w+)/\1\2class X\3/`,
  String.raw`s/(.)(.)?/\2\1/g`,
  String.raw`s/(\s*)$/\1;/`,
  String.raw`s/([[:alpha:]]+)( [[:alpha:]]+)*/[\1|\2]/`,
  String.raw`s/(([a-z]+)\.)*([a-z]+)/\1|\2|\3/`,
  String.raw`s/^(-|\+)?[0-9]+(\.[0-9]+)?/N/`,
  String.raw`s/(['"])(.*)(['"])/\3\2\1/`,
  String.raw`s/^(#+) (.*)$/\1# \2/`,
  String.raw`s/(\w+)@(\w+)\.com/\2 at \1/g`,
  String.raw`s/([0-9]+)px/\1rem/g`,
  String.raw`s/(foo|foobar)(bar)?/[\1][\2]/`,
  String.raw`s/([^/]+)$/<\1>/`,
  String.raw`s/(\w+) (\w+) ?(\w*)/\3\2\1/`,
  String.raw`s/\bif\s*\(/if (/g`,
]

const words = [
  "foo",
  "bar",
  "foobar",
  " ",
  "  ",
  "=",
  "a",
  "b",
  "c",
  "_x",
  "A",
  "fooBar",
  "42px",
  "3.14",
  "#",
  "//",
  "/*",
  "*/",
  'import x from "y"',
  "const a = require('b')",
  '"',
  "'",
  "{",
  "}",
  ";",
  ",",
  "-",
  "[ ]",
  "é",
  "日",
  "😀",
  "return",
  "if(",
  "export function",
  "http://",
  "a/b.js",
  "me@x.com",
  "\t",
  "\r",
  "xx",
  "$",
  "<b>",
  "<",
  ">",
  "555-1234",
  ".",
  "_",
  "let ",
  "var",
  "\u0024{AB}",
  "TODO",
  "ß",
]

const d = dice(1)
const text = Array.from(
  { length: 300 },
  () => `${Array.from({ length: d.roll(8) }, () => d.pick(words)).join("")}\n`,
).join("")
const why = whyNoGnuSed()
if (why !== undefined) console.log(`skipped: comparing with the machine's sed, because ${why}`)

describe.each([
  { option: "", scripts: basic },
  { option: "-E ", scripts: extended },
])("sed $option", ({ option, scripts }) => {
  test.each(scripts)("%s", script => {
    const edit = parseSedCommand(`sed -i ${option}${quote(script)} f`)
    if (edit.kind === "notSimulated") return expect(edit.reason).toBe("")
    expect(edit).toMatchObject({ script, extended: option !== "" })
    const applied = applySed(edit, text)
    if (applied.kind === "notSimulated") return expect(applied.reason).toBe("")
    if (why !== undefined) return
    const args = option === "" ? ["-e", script] : ["-E", "-e", script]
    const theirs = execFileSync("sed", args, {
      input: text,
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    })
    expect(applied.text).toBe(theirs)
  })
})
