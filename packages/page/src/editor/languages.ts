import type { Extension } from "@codemirror/state"
import type { StreamParser } from "@codemirror/language"

/** The language of a file by its name, fetched when it is first needed; null for plain text. */
export async function languageFor(path: string): Promise<Extension | null> {
  const name = path.split("/").at(-1)?.toLowerCase() ?? ""
  const ending = name.includes(".") ? (name.split(".").at(-1) ?? "") : name
  try {
    return (await languages[ending]?.()) ?? null
  } catch {
    // The server went before it was fetched; the text is readable without colours.
    return null
  }
}

const script = async (config: { jsx?: boolean; typescript?: boolean }): Promise<Extension> =>
  (await import("@codemirror/lang-javascript")).javascript(config)
const stream = async (parser: Promise<StreamParser<unknown>>): Promise<Extension> => {
  const { StreamLanguage } = await import("@codemirror/language")
  return StreamLanguage.define(await parser)
}
const c = (name: "c" | "cpp" | "java" | "csharp" | "kotlin" | "scala" | "dart") => (): Promise<Extension> =>
  stream(import("@codemirror/legacy-modes/mode/clike").then(mode => mode[name] as StreamParser<unknown>))
const shell = (): Promise<Extension> =>
  stream(import("@codemirror/legacy-modes/mode/shell").then(mode => mode.shell as StreamParser<unknown>))
const yaml = (): Promise<Extension> =>
  stream(import("@codemirror/legacy-modes/mode/yaml").then(mode => mode.yaml as StreamParser<unknown>))
const ini = (): Promise<Extension> =>
  stream(import("@codemirror/legacy-modes/mode/properties").then(mode => mode.properties as StreamParser<unknown>))
const html = async (): Promise<Extension> => (await import("@codemirror/lang-html")).html()
const css = async (): Promise<Extension> => (await import("@codemirror/lang-css")).css()
const xml = (): Promise<Extension> =>
  stream(import("@codemirror/legacy-modes/mode/xml").then(mode => mode.xml as StreamParser<unknown>))
const markdown = async (): Promise<Extension> => (await import("@codemirror/lang-markdown")).markdown()
const json = async (): Promise<Extension> => (await import("@codemirror/lang-json")).json()

const languages: Readonly<Record<string, () => Promise<Extension>>> = {
  js: () => script({ jsx: true }),
  mjs: () => script({ jsx: true }),
  cjs: () => script({ jsx: true }),
  jsx: () => script({ jsx: true }),
  ts: () => script({ typescript: true }),
  mts: () => script({ typescript: true }),
  cts: () => script({ typescript: true }),
  tsx: () => script({ jsx: true, typescript: true }),
  json,
  jsonc: json,
  css,
  scss: css,
  html,
  htm: html,
  vue: html,
  svelte: html,
  xml,
  svg: xml,
  md: markdown,
  markdown,
  py: async () => (await import("@codemirror/lang-python")).python(),
  sh: shell,
  bash: shell,
  zsh: shell,
  makefile: shell,
  yml: yaml,
  yaml,
  ini,
  cfg: ini,
  properties: ini,
  env: ini,
  toml: () => stream(import("@codemirror/legacy-modes/mode/toml").then(mode => mode.toml as StreamParser<unknown>)),
  rs: () => stream(import("@codemirror/legacy-modes/mode/rust").then(mode => mode.rust as StreamParser<unknown>)),
  go: () => stream(import("@codemirror/legacy-modes/mode/go").then(mode => mode.go as StreamParser<unknown>)),
  rb: () => stream(import("@codemirror/legacy-modes/mode/ruby").then(mode => mode.ruby as StreamParser<unknown>)),
  sql: () =>
    stream(import("@codemirror/legacy-modes/mode/sql").then(mode => mode.standardSQL as StreamParser<unknown>)),
  lua: () => stream(import("@codemirror/legacy-modes/mode/lua").then(mode => mode.lua as StreamParser<unknown>)),
  swift: () => stream(import("@codemirror/legacy-modes/mode/swift").then(mode => mode.swift as StreamParser<unknown>)),
  pl: () => stream(import("@codemirror/legacy-modes/mode/perl").then(mode => mode.perl as StreamParser<unknown>)),
  dockerfile: () =>
    stream(import("@codemirror/legacy-modes/mode/dockerfile").then(mode => mode.dockerFile as StreamParser<unknown>)),
  c: c("c"),
  h: c("c"),
  cc: c("cpp"),
  cpp: c("cpp"),
  hpp: c("cpp"),
  java: c("java"),
  cs: c("csharp"),
  kt: c("kotlin"),
  scala: c("scala"),
  dart: c("dart"),
}
