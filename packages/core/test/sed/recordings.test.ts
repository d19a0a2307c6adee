import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { applySedToBytes } from "../../src/sed/bytes.ts"
import { parseSedCommand } from "../../src/sed/command.ts"
import { applySed } from "../../src/sed/substitute.ts"

/** Recorded answers of GNU sed 4.9 in C.UTF-8. */
function recording<T>(name: string): T[] {
  const text = readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8")
  return text
    .trimEnd()
    .split("\n")
    .map(line => JSON.parse(line) as T)
}

interface Recognition {
  readonly command: string
  readonly simulate: boolean
  readonly why?: string
  readonly content?: string
  readonly after?: string
}

describe("what is simulated", () => {
  test.each(recording<Recognition>("sed-recognition.jsonl"))(
    "$command ($why)",
    ({ command, simulate, content, after }) => {
      const edit = parseSedCommand(command)
      expect(edit.kind).toBe(simulate ? "sedEdit" : "notSimulated")
      if (edit.kind === "notSimulated") expect(edit.reason).toMatch(/^\S.*\.$/)
      else expect(applySed(edit, content ?? "")).toMatchObject({ kind: "sedApplied", text: after })
    },
  )
})

interface Equivalence {
  readonly id: string
  readonly command: string
  readonly file: string
  readonly content: string
  /** Null where sed failed. */
  readonly after: string | null
  readonly plain: boolean
}

describe("1,500 recorded edits", () => {
  const cases = recording<Equivalence>("sed-equivalence.jsonl")
  const outcomes = cases.map(entry => {
    const edit = parseSedCommand(entry.command)
    return { ...entry, edit, applied: edit.kind === "sedEdit" ? applySed(edit, entry.content) : edit }
  })

  test("not one character differs", () => {
    const wrong = outcomes.filter(({ applied, after }) => applied.kind === "sedApplied" && applied.text !== after)
    expect(wrong).toEqual([])
  })

  test("the file is the one named", () => {
    const wrong = outcomes.filter(
      ({ edit, file }) => edit.kind === "sedEdit" && edit.path.replace(/^\.\//, "") !== file,
    )
    expect(wrong.map(({ command, file }) => ({ command, file }))).toEqual([])
  })

  test("every plain one is simulated, and nearly all others", () => {
    const declined = outcomes.filter(({ applied }) => applied.kind === "notSimulated")
    expect(declined.filter(({ plain }) => plain)).toEqual([])
    expect(declined.filter(({ after }) => after !== null).length).toBeLessThanOrEqual(20)
  })
})

interface Observation {
  readonly command: string
  readonly input_hex: string
  readonly gnu_rc: number
  readonly gnu_output_hex: string
}

describe("148 observed edits, byte for byte", () => {
  // REQUIREMENTS B1 wants the empty BSD suffix simulated, which GNU sed takes for a script and fails.
  const simulatedThoughRefused = new Set(["sed -i '' 's/foo/bar/' f"])

  test.each(recording<Observation>("sed-observed.jsonl"))("$command on $input_hex", observed => {
    const edit = parseSedCommand(observed.command)
    if (edit.kind === "notSimulated") return expect(edit.reason).not.toBe("")
    const applied = applySedToBytes(edit, Buffer.from(observed.input_hex, "hex"))
    if (simulatedThoughRefused.has(observed.command)) return expect(applied.kind).toBe("sedAppliedToBytes")
    if (applied.kind === "notSimulated") return expect(applied.code).toBe("text")
    expect(observed.gnu_rc).toBe(0)
    expect(Buffer.from(applied.bytes).toString("hex")).toBe(observed.gnu_output_hex)
  })

  test("most are simulated", () => {
    const simulated = recording<Observation>("sed-observed.jsonl").filter(observed => {
      const edit = parseSedCommand(observed.command)
      return (
        edit.kind === "sedEdit" && applySedToBytes(edit, Buffer.from(observed.input_hex, "hex")).kind !== "notSimulated"
      )
    })
    expect(simulated.length).toBeGreaterThanOrEqual(104)
  })
})
