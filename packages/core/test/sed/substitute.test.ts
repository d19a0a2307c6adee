import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { applySed, applySedSteps, type SedLocale } from "../../src/sed/substitute.ts"

function applied(script: string, extended: boolean, text: string, locale: SedLocale = "utf-8"): string {
  const result = applySed({ kind: "sedEdit", path: "f", script, extended }, text, locale)
  return result.kind === "sedApplied" ? result.text : `declined: ${result.code}`
}

/** A basic pattern; all expectations were taken from GNU sed 4.9 in C.UTF-8. */
function bre(script: string, text: string, expected: string): void {
  test(`sed ${script} on ${JSON.stringify(text)}`, () => expect(applied(script, false, text)).toBe(expected))
}

function ere(script: string, text: string, expected: string): void {
  test(`sed -E ${script} on ${JSON.stringify(text)}`, () => expect(applied(script, true, text)).toBe(expected))
}

describe("leftmost, then longest", () => {
  ere("s/a|ab/[&]/", "abc", "[ab]c")
  ere("s/int|integer|int32/T/g", "integer int32 int", "T T T")
  ere("s/x(a?)(ab)?/[\\1][\\2]/", "xab", "[][ab]")
  ere("s/(a|ab)(c|bcd)(d*)/[\\1][\\2][\\3]/", "abcd", "[a][bcd][]")
  ere("s/((a)|b)*/<\\1><\\2>/", "ab", "<b><a>")
  ere("s/a.*?b/X/", "a1b2b", "X")
  ere("s/(a|ab)(bc)?/[\\1\\2]/", "abc", "[abc]")
  ere("s/(|a)b/[\\1]/", "ab", "[a]")
  bre("s/.*o/X/", "foo boo x", "X x")
})

describe("empty matches", () => {
  bre("s/x*/-/g", "abc\n", "-a-b-c-\n")
  bre("s/a*/x/g", "baaac", "xbxcx")
  bre("s/b*/X/2", "abc", "aXc")
  bre("s/$/;/", "a\n\nb", "a;\n;\nb;")
  bre("s/^/# /g", "a\n\nb\n", "# a\n# \n# b\n")
  bre("s/^$/X/", "a\n\nb\n\n", "a\nX\nb\nX\n")
  bre("s/$/X/2", "abc\n", "abc\n")
  bre("s/x*$/X/2", "abxx\n", "abxx\n")
  bre("s/\\b/|/g", "ab cd\n", "|ab| |cd|\n")
  bre("s/x*//g", "é日\n", "é日\n")
  bre("s/x*/-/g", "aé\n", "declined: text")
  bre("s/[^x]*/-/2", "éxé\n", "éx-\n")
})

describe("where an operator is a character", () => {
  bre("s/*a/X/", "*a", "X")
  bre("s/^*a/X/", "*a", "X")
  bre("s/\\(*a\\)/X/", "*a", "X")
  bre("s/a\\|*b/X/", "*b", "X")
  bre("s/\\+a/X/", "+a", "X")
  bre("s/a+b?/X/", "a+b?", "X")
  bre("s/a{2}|(b)/X/", "a{2}|(b)", "X")
  bre("s/a^b/X/", "a^b", "X")
  bre("s/a$b/X/", "a$b", "X")
  bre("s/$$/X/", "a$", "aX")
  bre("s/^^a/X/", "^a", "X")
  bre("s/a$*/X/", "a$$", "X")
  bre("s/x\\(^b\\)/X/", "x^b", "x^b")
  bre("s/$.ajax(/axios(/", "$.ajax(x)", "axios(x)")
  ere("s/a}/X/", "a}", "X")
  ere("s/a^b/X/", "a^b", "a^b")
  ere("s/a||b/X/g", "acb", "XcX")
  ere("s/()a/[\\1]/", "a", "[]")
  ere("s/\\{\\}\\(\\)/X/", "{}()", "X")
})

describe("intervals", () => {
  ere("s/a{,2}b/X/", "aaab", "aX")
  ere("s/a{2}{3}/X/", "aaaaaaa", "Xa")
  ere("s/a+*b/X/", "aab", "X")
  ere("s/(ab){2,}/X/", "ababab", "X")
  bre("s/a\\{01\\}/X/", "aa", "Xa")
  bre("s,a\\{1\\,2\\},X,", "aaa", "Xa")
})

describe("brackets", () => {
  bre("s/[]a]/_/g", "x]a", "x__")
  bre("s/[^]]/_/g", "a]b", "_]_")
  bre("s/[\\.]/X/g", "a\\b.c", "aXbXc")
  bre("s/[\\n]/X/g", "n\\", "n\\")
  bre("s/[\\t]/X/g", "\tt\\", "Xt\\")
  bre("s/[\\\\t]/X/g", "\tt\\", "\tXX")
  bre("s/[\\]]/X/g", "a]b\\]", "a]bX")
  bre("s/[/]/X/g", "a/b", "aXb")
  bre("s/[\\/]/X/g", "a/b\\", "aXbX")
  bre("s/[a\\-z]/X/g", "a-bz\\", "X-XXX")
  bre("s/[a-]/X/g", "a-b", "XXb")
  bre("s/[--a]/X/g", "-a.", "XXX")
  bre("s/[%--]/X/g", "+-a.", "XXa.")
  bre("s/[[a]/X/g", "[a", "XX")
  bre("s/[[:alpha:]_]*/X/", "foo_bar baz", "X baz")
  bre("s/[[:upper:][:digit:]]/X/g", "aB1", "aXX")
  bre("s/[^[:space:]]*$/X/", "foo bar", "foo X")
  bre("s:[[:alpha:]]:X:", "ab1", "Xb1")
  bre("s/[é日]/X/g", "éa日", "XaX")
  bre("s/[😀😁]/X/g", "😀😂", "X😂")
})

describe("characters", () => {
  bre("s/./X/g", "a😀é\u2028", "XXXX")
  bre("s/.$//", "a😀\n", "a\n")
  bre("s/foo.*/X/", "a foo b\r\n", "a X\n")
  bre("s/\\r$//", "a\r\nb\n", "a\nb\n")
  bre("s/^x/y/", "\ufeffx", "\ufeffx")
  bre("s/^./y/", "\ufeffx", "yx")
  bre("s/foo\\b/X/", "fooé", "fooé")
  bre("s/\\w/X/g", "é_ª٣-·", "XXXX-·")
  bre("s/\\s/X/g", "a\u00a0b\u2003c", "a\u00a0bXc")
  bre("s/a.b/X/", "a\0b", "X")
  bre("s/a\\nb/X/", "a\nb\n", "a\nb\n")
  bre("s/\\<b/_/g", "a b ab", "a _ ab")
})

describe("delimiters", () => {
  ere("s|a\\|b|X|", "a|b b", "X|b b")
  bre("s|a\\|b|X|", "a|b b", "X b")
  bre("s.a\\.b.X.", "axb a.b", "X a.b")
  bre("s+a\\+b+X+", "aab a+b", "aab X")
  bre("s^b\\^a^X^", "b^a", "X")
  bre("s^\\^a^X^", "b^a", "b^a")
  bre("s,a,[\\,],", "a", "[,]")
  bre("s&a&[\\&]&", "a", "[&]")
  bre("snanbn", "a", "b")
  bre("s1a1\\11", "a", "1")
})

describe("replacements", () => {
  bre("s/b/[&\\&\\0\\\\]/", "abc", "a[b&b\\]c")
  bre("s/b/\\t\\n\\q\\//", "abc", "a\t\nq/c")
  bre("s/b/x\\\ny/", "abc", "ax\nyc")
  bre("s/\\(.*\\) \\(.*\\)/\\u\\1 \\U\\2x\\Ey/", "foo bar", "Foo BARXy")
  bre("s/.*/\\u\\L&/", "fOO", "foo")
  bre("s/.*/\\L\\u&/", "fOO", "Foo")
  bre("s/\\(x*\\)\\(.*\\)/\\u\\1\\2/", "fOO", "FOO")
  bre("s/.*/\\U\\l&X/", "fOO", "fOOX")
  bre("s/.*/\\U&ß/", "ßéǆ", "ßÉǄß")
  bre("s/.*/\\u&/", "ǆa", "Ǆa")
  bre("s/.*/\\uéa&/", "foo", "Éafoo")
  bre("s/.*/\\U&/", "a\0b", "declined: text")
})

describe("counting", () => {
  bre("s/a/b/2", "aaa", "aba")
  bre("s/a/b/2g", "aaa", "abb")
  bre("s/a/b/g3", "aaaa", "aabb")
  bre("s/a/b/9", "aaa", "aaa")
})

describe("ends of lines and files", () => {
  bre("s/^/x/", "", "")
  bre("s/a/b/", "a\na", "b\nb")
  bre("s/a/b/", "\n\n", "\n\n")
  bre("s/$/X/", "a\r\nb\nc", "a\rX\nbX\ncX")
  bre("s/a$/b/g", "aa\na\n", "ab\nb\n")
})

describe("locale", () => {
  test("in C only ASCII is simulated", () => {
    expect(applied("s/[a-z]*/x/", false, "abc", "c")).toBe("x")
    expect(applied("s/a/x/", false, "aé", "c")).toBe("declined: text")
    expect(applied("s/a/é/", false, "a", "c")).toBe("declined: text")
  })
  test("in a language's own locale, ranges inside one alphabet are simulated on ASCII, others and case are not", () => {
    expect(applied("s/[a-fA-F0-9]*/x/", false, "aB3", "utf-8-language")).toBe("x")
    expect(applied("s/[a-f]*/x/", false, "aé", "utf-8-language")).toBe("declined: text")
    expect(applied("s/[ab]é*/x/", false, "aé", "utf-8-language")).toBe("x")
    expect(applied("s/[A-z]/x/", false, "a", "utf-8-language")).toBe("declined: text")
    expect(applied("s/a/\\U&/", false, "a", "utf-8-language")).toBe("declined: text")
  })
})

describe("effort", () => {
  test("patterns that make a backtracker hang are answered", () => {
    const line = "a".repeat(2000)
    expect(applied("s/.*.*.*x//g", false, `${line}y x`)).toBe("")
    expect(applied("s/.*.*.*[xy]//g", false, line)).toBe(line)
    expect(applied("s/(a*)*b/X/", true, `${line}${line}c`)).toBe(`${line}${line}c`)
    expect(applied("s/(a+)+[bc]/X/", true, `${line}d`)).toBe(`${line}d`)
    expect(applied("s/(.*)(.*)(.*)x/\\3\\2\\1/", true, `${line}x`)).toBe(line)
  })
  test("a run of blanks is not quadratic", () => {
    const blanks = " ".repeat(100_000)
    expect(applied("s/\\s+$//", true, `${blanks}x`)).toBe(`${blanks}x`)
    expect(applied("s/\\s+[xy]//", true, `${blanks}z`)).toBe(`${blanks}z`)
    expect(applied("s/ *[xy]//", true, `${blanks}z x`)).toBe(`${blanks}z`)
  })
  test("beyond the bound it is declined", () => {
    expect(applied("s/a.*x|a/X/g", true, "a".repeat(100_000))).toBe("declined: effort")
  })
  test("many states are forgotten and found again", () => {
    const line = Array.from({ length: 20_000 }, (_, at) => "ab"[(at * at * 7 + (at >> 3)) & 1] ?? "").join("")
    const expected = line.replace(/^.*a([ab]{14})c?/, "X")
    expect(applied("s/[ab]*a[ab]{14}/X/", true, line)).toBe(expected)
  })
  test("many states of the backward automaton are, too", () => {
    const line = Array.from({ length: 20_000 }, (_, at) => "ab"[(at * at * 7 + (at >> 3)) & 1] ?? "").join("")
    expect(applied("s/[ab]{14}a/X/g", true, line)).toBe(line.replace(/[ab]{14}a/g, "X"))
  })
  test("a large text is worked on in steps", () => {
    for (const script of ["s/a/b/g", "s/[ab][mq]/X/", "s/nowhere[0-9]/X/", "s/[0-9]*$/X/"]) {
      const steps = applySedSteps(
        { kind: "sedEdit", path: "f", script, extended: false },
        "some text a 1 nowhere\n".repeat(200_000),
      )
      let count = 0
      let step = steps.next()
      for (; step.done !== true; step = steps.next()) count++
      expect(step.value.kind).toBe("sedApplied")
      expect(count, script).toBeGreaterThan(3)
    }
  })
})

describe("laws", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", "\n", "\r", " ", "-"), maxLength: 60 })
  const runs = Number(process.env["GALLEY_LAW_RUNS"] ?? 300)

  test("a plain pattern with g is every occurrence replaced", () => {
    const plain = fc.string({ unit: fc.constantFrom("a", "b", "é", "😀", " "), minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(text, plain, (content, literal) => {
        expect(applied(`s/${literal}/<&>/g`, false, content)).toBe(content.replaceAll(literal, `<${literal}>`))
      }),
      { numRuns: runs },
    )
  })

  test("replacing matches by themselves changes nothing", () => {
    const pattern = fc.constantFrom("[ab]*", ".", "a\\|b*", "\\(a\\)*b", "[^a]\\{2\\}", "\\b", "é*$", "\\w\\+")
    fc.assert(
      fc.property(text, pattern, fc.constantFrom("", "g", "2", "2g"), (content, source, flags) => {
        expect(applied(`s/${source}/&/${flags}`, false, content)).toBe(content)
      }),
      { numRuns: runs },
    )
  })

  test("lines are independent of each other", () => {
    const pattern = fc.constantFrom("[ab]\\+", "^.", "-.*", "\\(a\\|b\\)-", "b$", "\\<a")
    fc.assert(
      fc.property(text, text, pattern, (one, other, source) => {
        const script = `s/${source}/X/g`
        const both = applied(script, false, `${one}\n${other}`)
        expect(both).toBe(`${applied(script, false, one)}\n${applied(script, false, other)}`)
      }),
      { numRuns: runs },
    )
  })
})
