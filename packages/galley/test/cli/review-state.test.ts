import { describe, expect, it } from "vitest"
import type { Effect } from "../../src/cli/review/effect.ts"
import { flushKeys, parseKeys } from "../../src/cli/review/keys.ts"
import { linesOfPlace, partsOf, placeOfRows } from "../../src/cli/review/parts.ts"
import { press } from "../../src/cli/review/press.ts"
import { textToEdit, withEdited } from "../../src/cli/review/edited.ts"
import { placeOf } from "../../src/cli/review/spots.ts"
import { whereIs } from "../../src/cli/review/sentences.ts"
import { type ReviewState, spotsIn } from "../../src/cli/review/state.ts"
import { toldBack, toldDone, toldFailure, toldOthers, toldStatus } from "../../src/cli/review/told.ts"
import { splitLines } from "@galley/core/text/lines.ts"
import { pendingFile, reviewOf, statusOf, textOf } from "./review-notation.ts"

const a = pendingFile("a", textOf("1|2|3|4|5|6|7|8|9|"), textOf("1|two|3|4|5|6|7|eight|9|"))
const b = pendingFile("b", textOf("x|y|"), textOf("X|y|"))
const mode = pendingFile("m", textOf("x|"), textOf("y|"), { kinds: ["modify", "mode"], properties: ["mode 644 → 755"] })

/** Presses keys one after the other; `<enter>` and kin by name. */
function pressed(start: ReviewState, keys: string): { state: ReviewState; effects: Effect[] } {
  let state = start
  const effects: Effect[] = []
  for (const [, name, text] of keys.matchAll(/<(\w+)>|([^<])/g)) {
    const key =
      name === undefined
        ? { kind: "character" as const, text: text ?? "" }
        : { kind: "named" as const, name: name as "enter" }
    const next = press(state, key)
    state = next.state
    if (next.effect !== null) effects.push(next.effect)
  }
  return { state, effects }
}

const where = (state: ReviewState): string => whereIs(spotsIn(state), state.at)

describe("where one is", () => {
  const check = (keys: string, expected: string): void =>
    expect(where(pressed(reviewOf([a, b, mode]), keys).state)).toBe(expected)

  it("is the first hunk", () => check("", "hunk 1 of 4, file 1 of 3"))
  it("is the next by j, space, Tab and right", () => check("j <tab><right>", "the file itself, file 3 of 3"))
  it("is back by k", () => check("jjk", "hunk 2 of 4, file 1 of 3"))
  it("stays at the first", () => check("k", "hunk 1 of 4, file 1 of 3"))
  it("stays at the last", () => check("Gj", "the file itself, file 3 of 3"))
  it("is the next file by J", () => check("J", "hunk 3 of 4, file 2 of 3"))
  it("is the first hunk of the file before by K", () => check("JK", "hunk 1 of 4, file 1 of 3"))
  it("is a file that was picked", () => check("f<down><enter>", "hunk 3 of 4, file 2 of 3"))
  it("is a file that was picked by number", () => check("f3", "hunk 4 of 4, file 3 of 3"))
  it("stays when nothing was picked", () => check("f<down><escape>", "hunk 1 of 4, file 1 of 3"))
})

describe("what a key asks for", () => {
  const check = (keys: string, ...expected: readonly object[]): void =>
    expect(pressed(reviewOf([a, b, mode]), keys).effects).toMatchObject(expected)
  const accept = (selection: object): object => ({ kind: "decide", decision: "accept", selection })
  const reject = (selection: object): object => ({ kind: "decide", decision: "reject", selection })

  it("y accepts the hunk of the revision that is shown", () =>
    check("y", accept({ path: "a", hunks: ["a1-1"], revision: 1 })))
  it("n rejects it", () => check("jn", reject({ path: "a", hunks: ["a7-7"], revision: 1 })))
  it("a takes the file from its first hunk whole", () => check("a", accept({ path: "a", revision: 1 })))
  it("d takes the rest from a later one", () => check("jd", reject({ path: "a", hunks: ["a7-7"] })))
  it("y takes a mode alone beside undecided hunks", () =>
    check("Gy", accept({ path: "m", properties: ["mode"], revision: 1 })))
  it("v and y take lines", () =>
    check("v<down>y", accept({ path: "a", lines: { new: { from: 2, to: 2 } }, revision: 1 })))
  it("v, space and n take a range", () =>
    check("v <down>n", reject({ lines: { old: { from: 2, to: 2 }, new: { from: 2, to: 2 } } })))
  it("u and U and Ctrl-R undo and redo", () => check("uU<redo>", { kind: "undo" }, { kind: "redo" }, { kind: "redo" }))
  it("c comments on the first line shown", () => check("jcwhy?<enter>", { kind: "comment", line: 8, text: "why?" }))
  it("an empty comment is none", () => check("c  <enter>"))
  it("Esc leaves a comment", () => check("cno<escape>y", accept({ hunks: ["a1-1"] })))
  it("a command's letter in a comment is text", () => check("cyn<backspace>q<enter>", { kind: "comment", text: "yq" }))
  it("/ searches, and again", () =>
    check("/eight<enter>/<enter>", { kind: "find", text: "eight" }, { kind: "find", text: "eight" }))
  it("q, Ctrl-C and Ctrl-D quit", () =>
    check("q<interrupt><eof>", { kind: "quit" }, { kind: "quit" }, { kind: "quit" }))
  it("Ctrl-C quits while something is typed", () => check("cabc<interrupt>", { kind: "quit" }))
  it("A needs a message", () => check("A"))
  it("* needs a substitution", () => check("*"))
  it("what is no command asks for nothing", () => check("zZ!é漢"))
  it("pasted text is no command", () => {
    const { effect, state } = press(reviewOf([a]), { kind: "paste", text: "y\nn\nq" })
    expect([effect, state.note?.kind]).toEqual([null, "trouble"])
  })
  it("pasted text in a comment is one line", () => {
    const typing = pressed(reviewOf([a]), "c").state
    const pasted = press(typing, { kind: "paste", text: "one\ntwo" }).state
    expect(pressed(pasted, "<enter>").effects).toMatchObject([{ text: "one two" }])
  })
  it("nothing is decided of a file that is not read", () => {
    const unread = { ...reviewOf([a]), contents: new Map() }
    expect(pressed(unread, "y").effects).toEqual([])
  })
  it("nothing is decided where nothing is left", () =>
    expect(pressed(reviewOf([]), "ynadsvec*#AR").effects).toEqual([]))
})

describe("parts of a hunk", () => {
  const check = (base: string, current: string, expected: string): void => {
    const content = pendingFile("p", textOf(base), textOf(current))
    const [old, now] = [splitLines(textOf(base)), splitLines(textOf(current))]
    const hunk = content.file.hunks[0]
    const parts = hunk === undefined ? [] : partsOf(old, now, placeOf(hunk))
    const text = (lines: readonly string[]): string => lines.join("").replaceAll("\n", "|")
    expect(
      parts
        .map(p => `${text(old.slice(p.fromBase, p.toBase))}>${text(now.slice(p.fromCurrent, p.toCurrent))}`)
        .join(" "),
    ).toBe(expected)
  }

  it("are pairs of lines that are alike", () =>
    check("a = 1|b = 2|", "a = 10|b = 20|", "a = 1|>a = 10| b = 2|>b = 20|"))
  it("are lines where nothing is alike", () => check("q|w|", "z|x|", "q|>z| w|>x|"))
  it("are lines of an insertion", () => check("", "a|b|", ">a| >b|"))
  it("are paragraphs of an insertion", () => check("", "a|b||c|", ">a|b|| >c|"))
  it("keep an insertion beside a pair apart", () =>
    check("keep me = 1|", "new|keep me = 2|", ">new| keep me = 1|>keep me = 2|"))
  it("of one line is that line", () => check("", "a|", ">a|"))

  it("are what rows name: removed lines first", () => {
    const place = { fromBase: 4, toBase: 6, fromCurrent: 7, toCurrent: 10 }
    expect(linesOfPlace(placeOfRows(place, 1, 2))).toEqual({ old: { from: 6, to: 6 }, new: { from: 8, to: 8 } })
    expect(linesOfPlace(placeOfRows(place, 0, 0))).toEqual({ old: { from: 5, to: 5 } })
    expect(linesOfPlace(placeOfRows(place, 3, 9))).toEqual({ new: { from: 9, to: 10 } })
  })
  it("are decided one by one, and skipped", () => {
    const content = pendingFile("p", textOf("a = 1|b = 2|"), textOf("a = 10|b = 20|"))
    const { effects, state } = pressed(reviewOf([content, b]), "sjy")
    expect(effects).toMatchObject([{ selection: { lines: { old: { from: 2, to: 2 }, new: { from: 2, to: 2 } } } }])
    expect(state.part).toBe(1)
    expect(where(pressed(reviewOf([content, b]), "sjj").state)).toBe("hunk 2 of 2, file 2 of 2")
  })
})

describe("after a decision", () => {
  it("the spot that took its place is shown", () => {
    const start = pressed(reviewOf([a, b]), "j").state
    const rest = { ...a.file, revision: 2, hunks: a.file.hunks.slice(0, 1) }
    const now = toldStatus(start, { ...statusOf([b]), files: [rest, b.file] })
    expect(where(now)).toBe("hunk 2 of 2, file 2 of 2")
  })
  it("the last one leaves nothing", () => {
    const now = toldStatus(reviewOf([b]), statusOf([]))
    expect(spotsIn(now)).toEqual([])
  })
  it("what an undo brought back is shown", () => {
    const now = toldBack(reviewOf([a]), statusOf([a, b]))
    expect(where(now)).toBe("hunk 3 of 3, file 2 of 2")
  })
  it("hunks are counted", () => {
    const effect = { kind: "decide", decision: "reject", selection: {}, count: 3, resume: null } as const
    const now = toldDone(reviewOf([a]), effect, "Reject 3 hunks in a")
    expect([now.tally, now.note?.text]).toEqual([
      { accepted: 0, rejected: 3, undone: 0 },
      "Rejected 3 hunks in a. u takes it back.",
    ])
  })
})

describe("others' decisions", () => {
  it("are said where they are about what is shown", () => {
    const now = toldOthers(reviewOf([a, b]), statusOf([b]))
    expect([where(now), now.note?.text]).toEqual(["hunk 1 of 1, file 1 of 1", "What was shown was decided elsewhere."])
  })
  it("are not said where they are not", () => expect(toldOthers(reviewOf([a, b]), statusOf([a])).note).toBeNull())
  it("leave what is being typed", () => {
    const typing = pressed(reviewOf([a, b]), "chalf").state
    expect(toldOthers(typing, statusOf([a])).mode).toMatchObject({ kind: "typing", typed: "half" })
  })
  it("make the file be read again", () => {
    const newer = { ...a, file: { ...a.file, revision: 2 } }
    const now = toldOthers(reviewOf([a]), statusOf([newer]))
    expect([now.note?.text, pressed(now, "y").effects]).toEqual([
      "The file was changed meanwhile; this is how it stands now.",
      [],
    ])
  })
})

describe("a refusal", () => {
  const effect = { kind: "decide", decision: "reject", selection: { path: "a" }, count: 1, resume: null } as const

  it("that a choice settles offers the choice, and decides again with it", () => {
    const asked = toldFailure(reviewOf([a]), effect, { code: "CONFLICT", message: "Both changed it." })
    expect(asked.mode).toMatchObject({ kind: "choosing", reason: "Both changed it." })
    expect(pressed(asked, "m").effects).toMatchObject([{ selection: { path: "a", onConflict: "keep-mine" } }])
    expect(pressed(asked, "t").effects).toMatchObject([{ selection: { path: "a", onConflict: "take-theirs" } }])
    expect(pressed(asked, "y<escape>").effects).toEqual([])
  })
  it("of a choice is said, not asked again", () => {
    const chosen = { ...effect, selection: { path: "a", onConflict: "keep-mine" as const } }
    expect(toldFailure(reviewOf([a]), chosen, { code: "CONFLICT", message: "No." }).note).toEqual({
      kind: "trouble",
      text: "No.",
    })
  })
  it("of something stale says so", () => {
    expect(toldFailure(reviewOf([a]), effect, { code: "STALE_REVISION", message: "x" }).note?.text).toContain(
      "has changed",
    )
  })
  it("conflicting hunks are not accepted without a choice", () => {
    const torn = pendingFile("t", textOf("1|"), textOf("2|"), { conflict: true })
    const { state, effects } = pressed(reviewOf([torn]), "y")
    expect([state.mode.kind, effects]).toEqual(["choosing", []])
    expect(pressed(state, "t").effects).toMatchObject([
      { decision: "accept", selection: { onConflict: "take-theirs" } },
    ])
  })
})

describe("waiting calls", () => {
  const call = { id: "w1", title: "Edit a" }
  const start = reviewOf([a], { waiting: [call] })

  it("come first", () => expect(where(start)).toBe("call 1 of 1 that waits for you"))
  it("are allowed", () =>
    expect(pressed(start, "y").effects).toEqual([{ kind: "answer", id: "w1", decision: "allow", reason: "" }]))
  it("are denied with a reason", () => {
    expect(pressed(start, "nkeep it<enter>").effects).toEqual([
      { kind: "answer", id: "w1", decision: "deny", reason: "keep it" },
    ])
  })
  it("are not denied when the reason is left", () => expect(pressed(start, "nkeep<escape>").effects).toEqual([]))
})

describe("an edited hunk", () => {
  const check = (base: string, current: string, typed: string, expected: string | null): void => {
    const content = pendingFile("e", textOf(base), textOf(current))
    const hunk = content.file.hunks[0]
    if (hunk === undefined) throw new Error("no hunk")
    expect(withEdited(textOf(current), placeOf(hunk), textOf(typed))).toBe(expected === null ? null : textOf(expected))
  }

  it("stands in the hunk's place", () => check("a|b|c|", "a|B|c|", "X|Y|", "a|X|Y|c|"))
  it("may be empty", () => check("a|b|c|", "a|B|c|", "", "a|c|"))
  it("is none where nothing was changed", () => check("a|b|c|", "a|B|c|", "B|", null))
  it("ends its last line in the middle of a file", () => check("a|b|c|", "a|B|c|", "X", "a|X|c|"))
  it("keeps a last line open although the editor ended it", () => check("a|b", "a|B", "B|", null))
  it("keeps a last line open when it was changed too", () => check("a|b", "a|B", "X|", "a|X"))
  it("keeps CRLF although the editor wrote LF", () => check("a\r|b\r|", "a\r|B\r|", "X|", "a\r|X\r|"))
  it("is what the proposal has there", () => {
    const hunk = a.file.hunks[1]
    expect(hunk === undefined ? "" : textToEdit(a.current ?? "", placeOf(hunk))).toBe("eight\n")
  })
})

describe("keys of a terminal", () => {
  const check = (input: string, ...expected: readonly string[]): void =>
    expect(
      parseKeys(input).keys.map(key =>
        key.kind === "named" ? `<${key.name}>` : key.kind === "paste" ? `paste ${key.text}` : key.text,
      ),
    ).toEqual(expected)

  it("are characters", () => check("yé漢😀", "y", "é", "漢", "😀"))
  it("are arrows in both manners", () => check("\u001b[A\u001bOB", "<up>", "<down>"))
  it("are pages", () => check("\u001b[5~\u001b[6~", "<pageUp>", "<pageDown>"))
  it("are controls", () =>
    check("\r\u0003\u0004\u001a\u007f\u0012", "<enter>", "<interrupt>", "<eof>", "<suspend>", "<backspace>", "<redo>"))
  it("of unknown sequences are none", () => check("\u001b[1;5Cy\u001b[?62;c", "y"))
  it("of unknown controls are none", () => check("\u0001\u0085y", "y"))
  it("are a paste, whole", () => check("\u001b[200~y\nn\u001b[201~q", "paste y\nn", "q"))
  it("wait for the rest of a sequence", () => {
    const first = parseKeys("k\u001b[")
    expect([first.keys.length, first.rest]).toEqual([1, "\u001b["])
    expect(parseKeys(`${first.rest}A`).keys).toEqual([{ kind: "named", name: "up" }])
    expect(parseKeys("\u001b[200~half").rest).toBe("\u001b[200~half")
  })
  it("are an escape where nothing follows", () =>
    expect(flushKeys(parseKeys("\u001b").rest)).toEqual([{ kind: "named", name: "escape" }]))
})
