/**
 * The 111 inputs of which we know what eleven public implementations answer. The table states ours for each; where it is not
 * what most of them answer, the row says why, and a row that needs no reason may not give one.
 *
 * Answers: `lines 1,2` (of a view, `clipped` if cut), the file's text as JSON after a change, or the failure's code (with the
 * lines for NOT_UNIQUE).
 */
import { readFileSync } from "node:fs"
import * as z from "zod"
import { describe, expect, test } from "vitest"
import type { EditResult } from "../../src/tools/edit-tool.ts"
import { type ToolOnDisk, toolOnDisk } from "./tool-on-disk.ts"

const content = z.union([z.object({ utf8: z.string() }), z.object({ base64: z.string() })])
const observation = z.object({
  result: z.string(),
  after: z.optional(content),
  lineNumbers: z.optional(z.array(z.string())),
  clipped: z.optional(z.boolean()),
})
const observedCase = z.object({
  id: z.string(),
  file: z.nullable(content),
  call: z.looseObject({ command: z.string(), text: z.optional(z.string()) }),
  subpath: z.optional(z.string()),
  childOfFile: z.optional(z.string()),
  viaSymlink: z.optional(z.boolean()),
  observed: z.record(z.string(), observation),
})
type ObservedCase = z.infer<typeof observedCase>

const cases = z
  .object({ cases: z.array(observedCase) })
  .parse(JSON.parse(readFileSync(new URL("str-replace-observed.json", import.meta.url), "utf8"))).cases

interface Row {
  readonly ours: string
  /** With the default `expandTabsOnMutation: true`, where that makes a difference. */
  readonly expanding?: string
  readonly why?: string
}

const bad: Row = { ours: "BAD_ARGUMENT" }
const lines = (...numbers: readonly number[]): Row => ({ ours: `lines ${numbers.join(",")}` })
const text = (after: string): Row => ({ ours: JSON.stringify(after) })
const twenty = Array.from({ length: 20 }, (_, at) => `L${at + 1}\n`).join("")
const edited = (from: string, to: string): Row => text(twenty.replace(from, () => to))

const table: Readonly<Record<string, Row>> = {
  view_empty: lines(1),
  view_nl_only: lines(1, 2),
  view_no_trail: lines(1, 2),
  view_trail: lines(1, 2, 3),
  "view_range_2_-1_trail": lines(2, 3, 4),
  view_range_1_3_of2_no_trail: { ...lines(1, 2), why: "cut to the file with a note: an error would cost a round trip" },
  view_range_1_99: { ...lines(1, 2, 3), why: "cut to the file with a note: an error would cost a round trip" },
  view_range_start0: bad,
  view_range_neg_start: bad,
  view_range_rev: bad,
  "view_range_end_-2": bad,
  view_range_end_0: bad,
  view_range_one: bad,
  view_range_three: bad,
  view_range_empty_list: lines(1, 2),
  view_range_float: bad,
  view_range_start_beyond: bad,
  view_range_bool: { ...bad, why: "true is no line number; it is 1 only because Python's booleans are integers" },
  view_range_empty_file_1_1: lines(1),
  view_range_last_phantom: lines(3),
  view_tab: lines(1, 2, 3),
  view_crlf: lines(1, 2, 3),
  view_cr_only: lines(1),
  view_formfeed: lines(1, 2, 3),
  view_bom: lines(1, 2),
  view_latin1: { ours: "NOT_TEXT" },
  view_nul: { ours: "NOT_TEXT", why: "a binary file is refused, never shown as if it were text" },
  view_long_line: { ours: "lines 1 clipped" },
  view_16000_exact: { ours: "lines 1 clipped", why: "the limit bounds what is put out, so the number column counts" },
  view_16001: { ours: "lines 1 clipped" },
  rep_basic: text("one\nTWO\nthree\n"),
  rep_omit_new: text("one\n\nthree\n"),
  rep_empty_new: text("one\nthree\n"),
  rep_same: { ...bad, why: "a change of nothing reported as done sends models round in circles" },
  rep_empty_old: bad,
  rep_empty_old_empty_file: bad,
  rep_missing: { ours: "NO_MATCH" },
  rep_multi_lines: { ours: "NOT_UNIQUE 1,3" },
  rep_multi_same_line: { ours: "NOT_UNIQUE 1,1", why: "both places of the line are named, with their columns" },
  rep_multi_multiline: {
    ours: "NOT_UNIQUE 1,4",
    why: "most name no line for text of several lines; a model needs them",
  },
  rep_overlap_aaa: { ours: "NOT_UNIQUE 1,1", why: "overlapping places count: which of the two was meant is unknown" },
  rep_overlap_lines: { ours: "NOT_UNIQUE 1,2", why: "overlapping places count: which of the two was meant is unknown" },
  rep_dollar: text("before $&|$`|$'|$$|$1 after"),
  rep_regex_meta: text("z\n"),
  rep_backslash: text('p = "C:\\\\t"\n'),
  rep_tab_far: { ...text("target:\n\tnew\nremove\n"), expanding: JSON.stringify("target:\n        new\nremove\n") },
  rep_tab_old_spaces: { ours: "NO_MATCH", expanding: JSON.stringify("if x:\n        RET\n") },
  rep_tab_old_tab: { ...text("if x:\n\tRET\n"), expanding: JSON.stringify("if x:\n        RET\n") },
  rep_tab_midline: { ...text("ab\tCD\n"), expanding: "NO_MATCH" },
  rep_tab_new_only: { ...text("\ty\n"), expanding: JSON.stringify("        y\n") },
  rep_crlf_single: text("a\r\nB\r\nc\r\n"),
  rep_crlf_lf_multi: {
    ...text("X\r\nY\r\nc\r\n"),
    why: "the one place is found whatever its line endings, and the file keeps them",
  },
  rep_crlf_crlf_multi: { ...text("X\r\nY\r\nc\r\n"), why: "text that is there byte for byte matches" },
  rep_mixed_eol: { ...text("z\nm\na\nb"), why: "text that is there byte for byte matches" },
  rep_trail_ws_old: { ours: "NO_MATCH" },
  rep_lead_ws_old: { ours: "NO_MATCH" },
  rep_trail_nl_old_eof: { ours: "NO_MATCH" },
  rep_extra_lead_ws: { ours: "NO_MATCH" },
  rep_ws_only_old: text("a_b\n"),
  rep_ws_only_nomatch: { ours: "NO_MATCH" },
  rep_nfc_nfd: { ours: "NO_MATCH" },
  rep_smart_quote: { ours: "NO_MATCH" },
  rep_nbsp: { ours: "NO_MATCH" },
  rep_emoji: text("x🚀y\n"),
  rep_bom_start: text("\uFEFFyo\n"),
  rep_latin1: { ours: "NOT_TEXT" },
  rep_latin1_add_emoji: { ours: "NOT_TEXT" },
  rep_nul: { ours: "NOT_TEXT", why: "a binary file is refused, never rewritten" },
  rep_linenum_prefix: { ours: "NO_MATCH" },
  rep_whole_file: text(""),
  rep_snip_line1: edited("L1\n", "X\n"),
  rep_snip_mid: edited("L10\n", "X\nY\n"),
  rep_snip_del: edited("L10\n", ""),
  rep_snip_last: edited("L20", "X"),
  ins_0: text("new\none\ntwo\n"),
  ins_mid: text("one\nnew\ntwo\n"),
  ins_n_trail: text("one\ntwo\nnew\n"),
  ins_n1_trail: text("one\ntwo\n\nnew"),
  ins_n_no_trail: text("one\ntwo\nnew"),
  ins_n1_no_trail: bad,
  ins_past: bad,
  ins_neg: bad,
  ins_float: { ...bad, why: "half a line is a mistake; taking it for 1 hides it" },
  ins_empty_file_0: text("new\n"),
  ins_empty_file_1: text("\nnew"),
  ins_trail_nl_text: { ...text("one\nnew\ntwo\n"), why: "the text brings its newline, and none is added beside it" },
  ins_two_lines: text("one\nn1\nn2\ntwo\n"),
  ins_empty_text: text("one\n\ntwo\n"),
  ins_tab: { ...text("a:\n\tc\n\tb\n"), expanding: JSON.stringify("a:\n        c\n        b\n") },
  ins_crlf: {
    ...text("a\r\nx\r\ny\r\nb\r\n"),
    why: "inserted lines end as their neighbours do; the rest stays as it is",
  },
  ins_snip_mid: edited("L10\n", "L10\nX\n"),
  ins_snip_5: edited("L5\n", "L5\nX\n"),
  ins_snip_4: edited("L4\n", "L4\nX\n"),
  ins_snip_0: edited("L1\n", "X\nL1\n"),
  create_over: bad,
  create_over_empty: bad,
  create_new: text("a\nb"),
  create_empty_text: text(""),
  create_crlf_text: text("a\r\nb"),
  create_missing_parent: text("y"),
  create_parent_is_file: {
    ...bad,
    why: "most pass the system's error text through; this one says what stands in the way",
  },
  create_no_text: bad,
  rep_no_old: bad,
  ins_no_text: bad,
  ins_no_line: bad,
  view_missing: { ours: "NOT_FOUND" },
  rep_missing_file: { ours: "NOT_FOUND" },
  undo_none: bad,
  bad_cmd: bad,
  symlink_rep: text("ONE\n"),
  ro_rep: text("ONE\n"),
}

test("the table has a row for each of the 111 inputs", () => {
  expect(cases).toHaveLength(111)
  expect(Object.keys(table)).toEqual(cases.map(one => one.id))
})

describe.each(cases)("$id", one => {
  const row = table[one.id]
  test("answers as the table says, and a failure leaves the bytes", async () => {
    expect(await answer(one, false)).toBe(row?.ours)
    expect(await answer(one, true)).toBe(row?.expanding ?? row?.ours)
  })
  test("differs from most only for a reason", () => {
    expect(row?.why !== undefined).toBe(!mostAnswers(one).includes(row?.ours ?? ""))
  })
})

async function answer(one: ObservedCase, expandTabsOnMutation: boolean): Promise<string> {
  const on = await toolOnDisk({ config: { expandTabsOnMutation } })
  const before = one.file === null ? null : bytesOf(one.file)
  if (before !== null) await on.put("/w/f.txt", before)
  if (one.viaSymlink === true) await on.disk.symlink("f.txt", "/w/link")
  const name = one.viaSymlink === true ? "link" : (one.subpath ?? "f.txt")
  const path = `/w/${name}${one.childOfFile === undefined ? "" : `/${one.childOfFile}`}`
  const { text: inserted, ...call } = one.call
  const result = await on.call({ ...call, path, ...(inserted === undefined ? {} : { insert_text: inserted }) })
  if (!result.ok) expect(await on.bytes("/w/f.txt")).toEqual(before)
  return described(on, result, call.command, one.viaSymlink === true ? "/w/f.txt" : path)
}

async function described(on: ToolOnDisk, result: EditResult, command: string, path: string): Promise<string> {
  if (result.error?.code === "NOT_UNIQUE") return `NOT_UNIQUE ${listedLines(result.text).join(",")}`
  if (!result.ok) return result.error?.code ?? ""
  if (command !== "view") return JSON.stringify(await on.text(path))
  const numbers = [...result.text.matchAll(/^ *(\d+)\t/gm)].map(match => match[1])
  return `lines ${numbers.join(",")}${result.text.includes("[Clipped") ? " clipped" : ""}`
}

/** `lines 1 (columns 1, 6), 4` → 1, 1, 4. */
function listedLines(message: string): string[] {
  const listed = /, at lines? (.+)\. Nothing/.exec(message)?.[1] ?? ""
  return [...listed.matchAll(/(\d+)(?: \(columns ([^)]*)\))?(?:, |$)/g)].flatMap(([, line = "", columns]) =>
    columns === undefined ? [line] : columns.split(", ").map(() => line),
  )
}

/** The most frequent answers of the others, in the words of the table; several if they are equally frequent. */
function mostAnswers(one: ObservedCase): string[] {
  const counts = new Map<string, number>()
  for (const seen of Object.values(one.observed)) {
    const said = inOurWords(one, seen)
    counts.set(said, (counts.get(said) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  return [...counts].filter(([, count]) => count === most).map(([said]) => said)
}

function inOurWords(one: ObservedCase, seen: z.infer<typeof observation>): string {
  const { result } = seen
  if (result === "ok") {
    if (one.call.command === "view")
      return `lines ${(seen.lineNumbers ?? []).join(",")}${seen.clipped === true ? " clipped" : ""}`
    const after = seen.after ?? one.file
    return after === null ? "" : JSON.stringify(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(after)))
  }
  if (result.startsWith("AMBIGUOUS")) return `NOT_UNIQUE ${(result.match(/\d+/g) ?? []).join(",")}`.trim()
  if (result === "NO_MATCH" || result === "NOT_FOUND") return result
  if (/^(DECODE|BINARY|err\[FS_NOT_TEXT\])/.test(result)) return "NOT_TEXT"
  if (/^(CRASH|IO|RAW|err\[ENOTDIR\])/.test(result)) return "the system's own error"
  return "BAD_ARGUMENT"
}

function bytesOf(given: z.infer<typeof content>): Uint8Array {
  return "utf8" in given ? new TextEncoder().encode(given.utf8) : Uint8Array.from(Buffer.from(given.base64, "base64"))
}
