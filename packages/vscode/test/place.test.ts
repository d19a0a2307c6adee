import { describe, expect, test } from "vitest"
import { fileOf, type Place, pathOf } from "../src/place.ts"

const at = (root: string, folder: string, realFolder = folder): Place => ({ root, folder, realFolder })

describe("a file and its workspace path", () => {
  const check = (name: string, place: Place, path: string, file: string): void =>
    test(name, () => {
      expect(fileOf(place, path)).toBe(file)
      expect(pathOf(place, file)).toBe(path)
    })

  check("agree in the plain case", at("/w", "/w"), "src/a.ts", "/w/src/a.ts")
  check("agree where the folder is a link", at("/real/w", "/link", "/real/w"), "src/a.ts", "/link/src/a.ts")
  check("agree where the folder is a package of the workspace", at("/w", "/w/pkg"), "pkg/a.ts", "/w/pkg/a.ts")
  check("agree outside of that package", at("/w", "/w/pkg"), "other/a.ts", "/w/other/a.ts")
  check("agree for a link to a package", at("/real/w", "/link", "/real/w/pkg"), "pkg/a.ts", "/link/a.ts")
  check("agree for names that only begin alike", at("/w", "/w/pkg"), "pkg-2/a.ts", "/w/pkg-2/a.ts")
  check("agree for a name with two dots", at("/w", "/w"), "..a/b", "/w/..a/b")
})

test("a file outside has no path", () => {
  expect(pathOf(at("/w", "/w"), "/other/a.ts")).toBeNull()
  expect(pathOf(at("/w", "/w"), "/w2/a.ts")).toBeNull()
  expect(pathOf(at("/w", "/w"), "/w")).toBeNull()
})
