import { languages, type TextDocument, workspace } from "vscode"
import { sideFrom, sideScheme } from "../review/side-uri.ts"
import { struckLanguages } from "../struck-languages.ts"

/**
 * Gives base texts a language whose whole text is struck through, so that the lines which an inline diff shows as removed are red
 * *and* struck, in the colours of their language. A diff editor takes no decorations on removed lines; it does draw their tokens.
 *
 * Side by side the base is a whole page beside the file, and then stays plain.
 */
export function keepBasesStruck(): { dispose(): void } {
  const plain = new Map<string, string>()
  const look = (document: TextDocument): void => void strike(document, plain)
  const parts = [
    workspace.onDidOpenTextDocument(look),
    workspace.onDidChangeConfiguration(change => {
      if (
        change.affectsConfiguration("diffEditor.renderSideBySide") ||
        change.affectsConfiguration("galley.strikeRemovedLines")
      )
        workspace.textDocuments.forEach(look)
    }),
  ]
  workspace.textDocuments.forEach(look)
  return { dispose: () => parts.forEach(part => part.dispose()) }
}

async function strike(document: TextDocument, plain: Map<string, string>): Promise<void> {
  if (document.uri.scheme !== sideScheme || sideFrom(document.uri.query)?.kind !== "base") return
  const key = document.uri.toString()
  const isStruck = document.languageId.startsWith(prefix)
  if (!isStruck) plain.set(key, document.languageId)
  const own = plain.get(key) ?? "plaintext"
  const wanted = wantsStruck() ? struckLanguageOf(own) : own
  if (wanted !== document.languageId) await languages.setTextDocumentLanguage(document, wanted)
}

const prefix = "galley-removed"

function struckLanguageOf(language: string): string {
  return struckLanguages.some(one => one.id === language) ? `${prefix}-${language}` : prefix
}

function wantsStruck(): boolean {
  const sideBySide = workspace.getConfiguration("diffEditor").get<boolean>("renderSideBySide", false)
  return !sideBySide && workspace.getConfiguration("galley").get<boolean>("strikeRemovedLines", true)
}
