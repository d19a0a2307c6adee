import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { struckLanguages } from "../src/struck-languages.ts"

const extension = join(import.meta.dirname, "..")
const manifest = JSON.parse(readFileSync(join(extension, "package.json"), "utf8")) as {
  readonly main: string
  readonly dependencies?: object
  readonly enabledApiProposals?: object
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[]
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>
    readonly keybindings: readonly { readonly command: string }[]
    readonly viewsWelcome: readonly { readonly contents: string }[]
    readonly languages: readonly { readonly id: string; readonly aliases: readonly string[] }[]
    readonly grammars: readonly { readonly language: string; readonly scopeName: string }[]
    readonly colors: readonly { readonly id: string; readonly defaults: Readonly<Record<string, string>> }[]
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly scope?: string }>> }
  }
}
const { contributes } = manifest
const declared = new Set(contributes.commands.map(one => one.command))
const source = readdirSync(join(extension, "src"), { recursive: true, encoding: "utf8" })
  .filter(name => name.endsWith(".ts"))
  .map(name => readFileSync(join(extension, "src", name), "utf8"))
  .join("\n")
/** Views have commands of the editor's own. */
const ofViews = /^galley\.(changes|messages)\./

test("what is shown in menus, keys and welcomes is a command of ours", () => {
  const used = [
    ...Object.values(contributes.menus).flatMap(items => items.map(item => item.command)),
    ...contributes.keybindings.map(key => key.command),
    ...contributes.viewsWelcome.flatMap(({ contents }) =>
      [...contents.matchAll(/command:([\w.]+)/g)].map(match => match[1] ?? ""),
    ),
    ...[...source.matchAll(/"(galley\.\w+)", (?:place|\[)/g)].map(match => match[1] ?? ""),
  ]
  expect(used.filter(command => !declared.has(command) && !ofViews.test(command))).toEqual([])
})

test("every command is carried out by somebody", () => {
  const carried = (command: string): boolean =>
    source.includes(`registerCommand("${command}"`) || new RegExp(`\\b${command.slice(7)}:`).test(source)
  expect([...declared].filter(command => !carried(command))).toEqual([])
})

test("every language that is struck has its twin, and the other way round", () => {
  const twins = ["galley-removed", ...struckLanguages.map(({ id }) => `galley-removed-${id}`)].sort()
  expect(contributes.languages.map(({ id }) => id).sort()).toEqual(twins)
  expect(contributes.grammars.map(({ language }) => language).sort()).toEqual(twins)
  // A language without a name is not offered where a person picks one.
  for (const { aliases } of contributes.languages) expect(aliases).toEqual([])
  for (const { scopeName } of contributes.grammars) expect(scopeName).toMatch(/^markup\.strikethrough\.galley-removed/)
})

test("colours are given for every kind of theme", () => {
  for (const { defaults } of contributes.colors)
    expect(Object.keys(defaults).sort()).toEqual(["dark", "highContrast", "highContrastLight", "light"])
})

test("a workspace cannot say which program is run", () => {
  expect(contributes.configuration.properties["galley.program"]?.scope).toBe("machine")
})

test("nothing that could not be published, and nothing to install", () => {
  expect(manifest.enabledApiProposals).toBeUndefined()
  expect(manifest.dependencies).toBeUndefined()
  expect(source).not.toMatch(/registerQuickDiffProvider|createWebviewTextEditorInset|registerTimelineProvider/)
})
