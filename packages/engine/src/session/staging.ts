import { parentOf } from "@galley/core/path.ts"
import type { NewFile } from "../io/files.ts"
import type { Step } from "../store/store.ts"
import { contentOf, inFolder, type Hands } from "./deed.ts"
import { nameOf } from "./look.ts"

/**
 * Stages what the step will put in place: a new file with its final mode before its first byte, durable, beside its target.
 * Returns what of the old file's identity could not be kept, in words.
 */
export async function stage(hands: Hands, step: Step): Promise<readonly string[]> {
  const { temp, after, before } = step
  if (temp === null) return []
  const { files } = hands
  // A symlink is as long as a file name: nothing of it is in the store.
  const bytes = after.kind === "file" ? await hands.store.blob(after.blob) : null
  return inFolder(hands, step, async names => {
    if (after.kind === "symlink") await files.symlink(after.target, names.temp)
    if (after.kind !== "file" || bytes === null) return []
    return createLike(hands, step, names.temp, { bytes, mode: after.mode }, before.kind === "file" ? names.path : null)
  })
}

/**
 * Stages many plain files together; see {@link stage}. The others, which need more than a new file, are left to it: they are
 * returned.
 */
export async function stageAll(
  hands: Hands,
  steps: readonly Step[],
  lost: (step: Step, what: readonly string[]) => void,
): Promise<readonly Step[]> {
  const isPlain = ({ temp, before, after, path }: Step): boolean =>
    temp !== null && after.kind === "file" && !(before.kind === "file" && hands.attributed.has(path))
  for (const chunk of chunksOf(steps.filter(isPlain))) {
    await hands.folders.withinAll(
      chunk.map(step => parentOf(step.path)),
      async pathOf => {
        const files = chunk.flatMap(step => {
          const { after, temp, path } = step
          return after.kind === "file" && temp !== null
            ? [{ step, after, path: `${pathOf(parentOf(path))}/${temp}` }]
            : []
        })
        const contents: NewFile[] = []
        for (const { after, path } of files) contents.push({ path, ...(await contentOf(hands.store, after)) })
        await hands.files.createAll(contents)
        for (const { step, path } of files) {
          if (step.before.kind !== "file") continue
          lost(step, await hands.files.copyOwner(`${pathOf(parentOf(step.path))}/${nameOf(step.path)}`, path))
        }
      },
    )
  }
  return steps.filter(step => !isPlain(step))
}

/** Parts of at most 32 MiB of content and 64 folders. */
function chunksOf(steps: readonly Step[]): Step[][] {
  const chunks: Step[][] = []
  let size = 0
  let folders = new Set<string>()
  for (const step of steps) {
    const bytes = step.after.kind === "file" ? step.after.size : 0
    const folder = parentOf(step.path)
    const last = chunks.at(-1)
    if (last && size + bytes <= 32 * 2 ** 20 && (folders.size < 64 || folders.has(folder))) last.push(step)
    else {
      chunks.push([step])
      size = 0
      folders = new Set()
    }
    size += bytes
    folders.add(folder)
  }
  return chunks
}

/** Makes a new file that has the owner, attributes and ACLs of another, as far as we may; returns what could not be kept. */
export async function createLike(
  hands: Hands,
  step: Step,
  path: string,
  content: { readonly bytes: Uint8Array; readonly mode: number },
  like: string | null,
): Promise<readonly string[]> {
  const { files } = hands
  const { bytes, mode } = content
  if (like === null) {
    await files.create(path, bytes, mode)
    return []
  }
  if (!hands.attributed.has(step.path)) {
    await files.create(path, bytes, mode)
    return files.copyOwner(like, path)
  }
  const narrows = step.before.kind === "file" && (step.before.mode & ~mode) !== 0
  if (!narrows) {
    // The content first: a write takes capabilities (setcap) away again.
    await files.create(path, bytes, mode)
    return files.copyIdentity(like, path)
  }
  // An ACL comes with the mode of its source, which is wider: it is copied while the file is empty.
  await files.create(path, new Uint8Array(), 0o600)
  const lost = await files.copyIdentity(like, path)
  if ((mode & 0o200) !== 0) await files.chmod(path, mode)
  await files.overwrite(path, bytes)
  if ((mode & 0o200) === 0) await files.chmod(path, mode)
  return lost
}
