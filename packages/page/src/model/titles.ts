/**
 * A deed's title as it is read: paths as the workspace knows them, and of "Undo: Redo: Undo: Accept …" the last verb and the deed it is
 * about, which is all there is to know.
 */
export function plainTitle(title: string, workspace: string): string {
  const deed = title.replace(/^(?:(?:Undo|Redo): )+/, "")
  const verb = /^(?:Undo|Redo): /.exec(title)?.[0] ?? ""
  const inside = workspace === "" || workspace === "/" ? deed : deed.replaceAll(`${workspace}/`, "")
  return `${verb}${inside}`
}

/** What an undo or redo button is about: the deed, without the verbs of who did and undid it. */
export function deedOf(title: string, workspace: string): string {
  return plainTitle(title.replace(/^(?:(?:Undo|Redo): )+/, ""), workspace)
}
