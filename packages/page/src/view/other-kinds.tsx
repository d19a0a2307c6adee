import type { FileView } from "@galley/core/protocol/results.ts"
import { useEffect, useState } from "preact/hooks"
import { inertText } from "../model/inert.ts"
import type { Client } from "../wire/client.ts"

/** Shown as they are; a browser runs nothing of an image that is shown as one. */
const images: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  avif: "image/avif",
  bmp: "image/bmp",
  ico: "image/x-icon",
  svg: "image/svg+xml",
}

interface Side {
  readonly absent: boolean
  readonly text: string | null
  readonly size: number
  readonly hash: string
  readonly url: string | null
}

/** A change that is no text: links, binaries, images, folders, files over the limit. What is known of both sides, side by side. */
export function OtherKinds({ client, file }: { readonly client: Client; readonly file: FileView }) {
  const [sides, setSides] = useState<{ base: Side | null; current: Side | null } | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    let made: string[] = []
    let gone = false
    const read = async (side: "base" | "current"): Promise<Side | null> => {
      const path = side === "base" ? (file.from ?? file.path) : file.path
      const found = await client.ask("cat", { path, side }).catch(() => null)
      if (found === null) return null
      const bytes = found.base64 === undefined ? null : Uint8Array.from(atob(found.base64), one => one.charCodeAt(0))
      const type = images[file.path.split(".").at(-1)?.toLowerCase() ?? ""]
      const url = bytes === null || type === undefined ? null : URL.createObjectURL(new Blob([bytes], { type }))
      if (url !== null) made.push(url)
      const hash = bytes === null ? "" : await sha256(bytes)
      return {
        absent: found.absent,
        text: found.text ?? null,
        size: bytes?.length ?? found.text?.length ?? 0,
        hash,
        url,
      }
    }
    Promise.all([read("base"), read("current")]).then(
      ([base, current]) => {
        if (!gone) setSides({ base, current })
      },
      (error: Error) => setProblem(error.message),
    )
    return () => {
      gone = true
      for (const url of made) URL.revokeObjectURL(url)
      made = []
    }
  }, [client, file.path, file.from, file.revision])
  if (problem !== null) return <p class="nothing">{inertText(problem)}</p>
  if (sides === null) return <p class="nothing">Loading…</p>
  return (
    <div class="other sides">
      <SideCard name="Before" side={sides.base} kinds={file.kinds} />
      <SideCard name="After" side={sides.current} kinds={file.kinds} />
    </div>
  )
}

function SideCard({
  name,
  side,
  kinds,
}: {
  readonly name: string
  readonly side: Side | null
  readonly kinds: FileView["kinds"]
}) {
  const isLink = kinds.includes("symlink")
  return (
    <figure class="side-card">
      <figcaption>{name}</figcaption>
      {side === null ? (
        <p class="fine">Cannot be shown.</p>
      ) : side.absent ? (
        <p class="fine">There is none.</p>
      ) : (
        <>
          {side.url === null ? null : <img src={side.url} alt={`The picture ${name.toLowerCase()}`} />}
          {isLink && side.text !== null ? <code class="target">→ {inertText(side.text)}</code> : null}
          {isLink ? null : (
            <dl>
              <dt>Size</dt>
              <dd>{side.size.toLocaleString("en")} bytes</dd>
              {side.hash === "" ? null : (
                <>
                  <dt>SHA-256</dt>
                  <dd>
                    <code>{side.hash.slice(0, 24)}…</code>
                  </dd>
                </>
              )}
            </dl>
          )}
        </>
      )}
    </figure>
  )
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", bytes)
  return [...new Uint8Array(digest)].map(byte => byte.toString(16).padStart(2, "0")).join("")
}
