import { spawnSync } from "node:child_process"
import { linkSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as fc from "fast-check"
import { expect, test } from "vitest"
import { views } from "./shell-ways.ts"
import { five, stories } from "./stories.ts"

/**
 * Random commands over files with several names: what stands afterwards is what the same command leaves where nothing stands between it
 * and the disk, in every mode, and the rewind gives everything back.
 */
const story = stories()

const names = ["a", "b", "d/c", "e", "f"] as const
const name = fc.constantFrom(...names)
const step = fc.oneof(
  fc.tuple(fc.constant("sed -i s/e/E/"), name).map(words => words.join(" ")),
  fc.tuple(name, fc.integer({ min: 0, max: 99 })).map(([path, text]) => `echo ${text} > ${path}`),
  fc.tuple(name, fc.integer({ min: 0, max: 99 })).map(([path, text]) => `echo ${text} >> ${path}`),
  name.map(path => `rm -f ${path}`),
  fc.tuple(name, name).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `cp ${from} ${to}`),
  fc.tuple(name, name).map(([from, to]) => `ln -f ${from} ${to}`),
  fc.tuple(fc.constantFrom("600", "644", "755"), name).map(([mode, path]) => `chmod ${mode} ${path}`),
)

/** Path, mode and content of each file. */
function tree(root: string): string {
  const script = "find . -name .git -prune -o -type f -printf '%P %m ' -exec sha1sum {} \\; | sort"
  return spawnSync("bash", ["-c", script], { cwd: root, encoding: "utf8" }).stdout
}

const runs = Number(process.env["GALLEY_LINK_RUNS"] ?? "6")

test.each([
  ["apply, directly", "apply", { "view.enabled": false }],
  ...(views
    ? ([
        ["apply", "apply", {}],
        ["hold", "hold", {}],
      ] as const)
    : []),
] as const)(
  "random commands over linked files: %s",
  async (_, review, config) => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async steps => {
        const s = await story({ git: true, files: { a: five, e: "e\n" }, config })
        mkdirSync(join(s.root, "d"))
        linkSync(join(s.root, "a"), join(s.root, "b"))
        linkSync(join(s.root, "a"), join(s.root, "d/c"))
        const command = `${steps.join("; ")}; true`
        const copy = `${s.root}-copy`
        spawnSync("cp", ["-a", s.root, copy])
        spawnSync("bash", ["-c", command], { cwd: copy })
        const left = tree(copy)
        rmSync(copy, { recursive: true })
        const start = tree(s.root)
        const agent = s.agent("c", review)
        const message = await agent.message("m")
        const result = await agent.bash(command)
        expect([result.ok, review === "hold" ? start : left]).toEqual([true, tree(s.root)])
        if (review === "hold" && result.changes.length > 0) await s.person.accept({ all: true })
        expect(tree(s.root)).toBe(left)
        if (review === "hold") return
        await s.person.rewind({ message })
        expect(tree(s.root)).toBe(start)
      }),
      { numRuns: runs },
    )
  },
  120_000,
)
