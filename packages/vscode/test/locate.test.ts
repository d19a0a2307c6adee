import { expect, test } from "vitest"
import { locateProgram, type Machine } from "../src/program/locate.ts"

/** A machine with these files; a name with `>` is a link. */
function machine(files: readonly string[], more: Partial<Machine> = {}): Machine {
  const real = new Map(files.map(file => [file.split(" > ")[0] ?? "", file.split(" > ").at(-1) ?? ""]))
  return {
    setting: "",
    extensionFolder: "/ext",
    userHome: "/home/me",
    pathFolders: ["/usr/bin"],
    runtime: "/code/node",
    isElectron: false,
    realFile: file => real.get(file) ?? null,
    ...more,
  }
}

const check = (name: string, given: Machine, expected: string | null): void =>
  test(name, () => {
    const found = locateProgram(given)
    expect(found === null ? null : [found.from, found.command, ...found.args].join(" ")).toBe(expected)
  })

check(
  "the bundled program comes first",
  machine(["/ext/program/bin/galley.mjs", "/usr/bin/galley"]),
  "bundled /code/node /ext/program/bin/galley.mjs",
)
check(
  "a checkout's comes next",
  machine(["/galley/bin/galley.mjs", "/usr/bin/galley"]),
  "checkout /code/node /galley/bin/galley.mjs",
)
check(
  "an installed script runs on the editor's runtime",
  machine(["/usr/bin/galley > /lib/galley/bin/galley.mjs"]),
  "installed /code/node /lib/galley/bin/galley.mjs",
)
check("an installed executable runs itself", machine(["/usr/bin/galley"]), "installed /usr/bin/galley")
check(
  "one's own folder comes before the PATH",
  machine(["/usr/bin/galley", "/home/me/.local/bin/galley"]),
  "installed /home/me/.local/bin/galley",
)
check(
  "the setting comes before all",
  machine(["/mine.mjs", "/ext/program/bin/galley.mjs"], { setting: "/mine.mjs" }),
  "setting /code/node /mine.mjs",
)
check(
  "a setting that names nothing is not passed over",
  machine(["/ext/program/bin/galley.mjs"], { setting: "/gone" }),
  null,
)
check("there may be none", machine([]), null)

test("Electron is told to act as Node", () => {
  const found = locateProgram(machine(["/ext/program/bin/galley.mjs"], { isElectron: true }))
  expect(found?.env).toEqual({ ELECTRON_RUN_AS_NODE: "1" })
})
