import { Declined, type NotSimulated, orNotSimulated } from "./outcome.ts"
import { compile } from "./program.ts"
import { type ShellWord, shellWords } from "./words.ts"

/**
 * A `sed -i 's/…/…/'` whose result `applySed` can compute.
 *
 * What the command alone cannot tell is the caller's to check before it applies the edit, in the folder the command would run
 * in: that `path` is an existing regular file, not a folder, device or symlink (sed replaces a symlink by a file), readable,
 * in a folder that can be written (sed renames a new file over it, so a read-only file is edited and hard links are broken);
 * that `sed` is GNU's (no alias, function or other program of that name); that `POSIXLY_CORRECT` is not set; and the locale.
 */
export interface SedEdit {
  readonly kind: "sedEdit"
  /** As written, quotes removed; relative to the command's working directory. */
  readonly path: string
  /** The `s` command, quotes removed. */
  readonly script: string
  /** Whether `-E` or `-r` was given. */
  readonly extended: boolean
}

/**
 * Tells whether a shell command is one in-place substitution that can be computed exactly, and what it says.
 *
 * `-i ''` is read the BSD way, as no suffix, though GNU sed would take the empty word for a script or a file (REQUIREMENTS B1).
 */
export function parseSedCommand(command: string): SedEdit | NotSimulated {
  return orNotSimulated(() => {
    const [program, ...args] = shellWords(command)
    if (program?.written !== "sed") throw new Declined("notSed", "The command is not a plain call of sed.")
    const call = parseArguments(args)
    const edit: SedEdit = { kind: "sedEdit", ...call }
    compile(edit.script, edit.extended)
    return edit
  })
}

interface Call {
  inPlace: boolean
  extended: boolean
  readonly scripts: string[]
  readonly operands: string[]
}

function parseArguments(args: readonly ShellWord[]): { path: string; script: string; extended: boolean } {
  const call: Call = { inPlace: false, extended: false, scripts: [], operands: [] }
  for (let at = 0; at < args.length; ) {
    const word = args[at]?.value ?? ""
    const next = args[at + 1]?.value
    if (word === "--") {
      call.operands.push(...args.slice(at + 1).map(arg => arg.value))
      break
    }
    if (word.startsWith("--")) at += longOption(call, word, next)
    else if (word.startsWith("-")) at += shortOptions(call, word, next)
    else {
      call.operands.push(word)
      at++
    }
  }
  if (!call.inPlace) throw new Declined("notInPlace", "sed does not edit a file in place here.")
  if (call.scripts.length > 1) throw new Declined("script", "The command has several expressions.")
  const [script, path, ...more] = [...call.scripts, ...call.operands]
  if (script === undefined) throw new Declined("script", "The command has no expression.")
  if (path === undefined || path === "" || path.endsWith("/")) throw new Declined("files", "The command names no file.")
  if (more.length > 0) throw new Declined("files", "The command edits several files.")
  return { path, script, extended: call.extended }
}

/** Takes one long option; answers how many words it used. */
function longOption(call: Call, word: string, next: string | undefined): number {
  if (word === "--in-place" || word === "--in-place=") {
    call.inPlace = true
    return 1
  }
  if (word.startsWith("--in-place=")) throw backup()
  if (word === "--regexp-extended") {
    call.extended = true
    return 1
  }
  if (word.startsWith("--expression=")) {
    call.scripts.push(word.slice("--expression=".length))
    return 1
  }
  if (word === "--expression" && next !== undefined) {
    call.scripts.push(next)
    return 2
  }
  throw unsupported(word)
}

/** Takes one word of short options; answers how many words it used. */
function shortOptions(call: Call, word: string, next: string | undefined): number {
  if (word === "-") throw new Declined("files", "sed cannot edit its standard input in place.")
  for (let at = 1; at < word.length; at++) {
    const rest = word.slice(at + 1)
    switch (word.charAt(at)) {
      case "E":
      case "r":
        call.extended = true
        break
      case "i":
        if (rest !== "") throw backup()
        call.inPlace = true
        return next === "" ? 2 : 1
      case "e":
        if (rest !== "") {
          call.scripts.push(rest)
          return 1
        }
        if (next === undefined) throw unsupported(word)
        call.scripts.push(next)
        return 2
      default:
        throw unsupported(`-${word.charAt(at)}`)
    }
  }
  return 1
}

function backup(): Declined {
  return new Declined("backupSuffix", "The command keeps a backup: what follows -i in the same word is a suffix.")
}

function unsupported(option: string): Declined {
  return new Declined("option", `The option ${option.split("=")[0] ?? option} of sed is not simulated.`)
}
