import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { pathFromBytes } from "@galley/core/path.ts"
import type { Files } from "../../src/io/files.ts"
import { memoryFiles, type MemoryFiles } from "../../src/io/memory-files.ts"
import { realFiles } from "../../src/io/real-files.ts"

/** A disk under test: a root that is empty, and how to make what {@link Files} does not. */
interface Subject {
  readonly files: Files
  readonly root: string
  fifo(path: string): Promise<void>
  close(): void
}

async function openReal(): Promise<Subject> {
  const root = mkdtempSync(join(tmpdir(), "galley-files-"))
  const fifo = async (path: string) => void execFileSync("mkfifo", [path])
  return { files: realFiles(), root, fifo, close: () => rmSync(root, { recursive: true }) }
}

async function openMemory(): Promise<Subject> {
  const files: MemoryFiles = memoryFiles(() => 1000)
  await files.makeFolder("/ws", 0o755)
  return { files, root: "/ws", fifo: path => files.makeSpecial(path, "fifo"), close: () => undefined }
}

for (const [name, open] of Object.entries({ real: openReal, memory: openMemory })) {
  describe(name, () => {
    let subject: Subject
    let files: Files
    const at = (path: string) => `${subject.root}/${path}`
    const put = (path: string, text: string, mode = 0o644) => files.create(at(path), Buffer.from(text), mode)
    const textOf = async (path: string) => {
      const read = await files.read(at(path), 1 << 24)
      return read === "tooLarge" ? read : Buffer.from(read.bytes).toString()
    }
    const codeOf = async (work: Promise<unknown>) =>
      work.then(
        () => "no error",
        (error: unknown) => (error as { code: string }).code,
      )

    beforeEach(async () => {
      subject = await open()
      files = subject.files
    })
    afterEach(() => subject.close())

    test("absence is observed: nothing there, nothing under a file, nothing under nothing (S23)", async () => {
      await put("empty", "")
      expect(await files.lstat(at("none"))).toBe(null)
      expect(await files.lstat(at("empty/none"))).toBe(null)
      expect(await files.lstat(at("none/none"))).toBe(null)
      expect(await files.lstat(at("empty"))).toMatchObject({ kind: "file", size: 0, links: 1 })
    })

    test("a new file has exactly the mode asked for, set-id bits too, whatever the umask", async () => {
      for (const mode of [0o600, 0o644, 0o777, 0o400, 0o000, 0o4755, 0o2711]) {
        await put(`m${mode}`, "x", mode)
        expect((await files.lstat(at(`m${mode}`)))?.mode).toBe(mode)
      }
    })

    test("a new file is refused where something stands, a dangling symlink too", async () => {
      await put("a", "x")
      await files.symlink("nowhere", at("dangling"))
      expect(await codeOf(put("a", "y"))).toBe("EEXIST")
      expect(await codeOf(put("dangling", "y"))).toBe("EEXIST")
      expect(await codeOf(put("no/a", "y"))).toBe("ENOENT")
      expect(await codeOf(put("a/a", "y"))).toBe("ENOTDIR")
      expect(await textOf("a")).toBe("x")
    })

    test("many files at once, small and large, are all there", async () => {
      const large = "l".repeat(3 << 20)
      const all = Array.from({ length: 40 }, (_, index) => ({
        name: `f${index}`,
        text: index === 7 ? large : `text ${index}`,
      }))
      await files.createAll(
        all.map(({ name: file, text }) => ({ path: at(file), bytes: Buffer.from(text), mode: 0o640 })),
      )
      for (const { name: file, text } of all) expect((await textOf(file)) === text).toBe(true)
      expect((await files.lstat(at("f39")))?.mode).toBe(0o640)
      expect(await codeOf(files.createAll([{ path: at("f1"), bytes: Buffer.from(""), mode: 0o644 }]))).toBe("EEXIST")
      expect(await textOf("f1")).toBe("text 1")
    })

    test("reading: size limit, folder, symlink, FIFO without waiting (S38)", async () => {
      await put("a", "12345")
      await files.makeFolder(at("d"), 0o755)
      await files.symlink("a", at("link"))
      await subject.fifo(at("pipe"))
      expect(await files.read(at("a"), 4)).toBe("tooLarge")
      expect(await textOf("a")).toBe("12345")
      expect(await codeOf(files.read(at("link"), 9))).toBe("ELOOP")
      expect(await codeOf(files.read(at("pipe"), 9))).toBe("EINVAL")
      expect(["EISDIR", "EINVAL"]).toContain(await codeOf(files.read(at("d"), 9)))
      expect(await codeOf(files.read(at("none"), 9))).toBe("ENOENT")
      expect((await files.lstat(at("pipe")))?.kind).toBe("fifo")
      expect(await codeOf(files.overwrite(at("link"), Buffer.from("")))).toBe("ELOOP")
    })

    test("overwriting keeps inode, mode and the other name, and cuts to length (S31)", async () => {
      await put("a", "a long text", 0o640)
      await files.link(at("a"), at("b"))
      const before = await files.lstat(at("a"))
      await files.overwrite(at("a"), Buffer.from("short"))
      expect(await textOf("b")).toBe("short")
      expect(await files.lstat(at("b"))).toMatchObject({ ino: before?.ino, mode: 0o640, links: 2, size: 5 })
      expect((await files.lstat(at("b")))?.ctimeNs).not.toBe(before?.ctimeNs)
    })

    test("what was written since it was seen is neither overwritten nor renamed over; what was not, is", async () => {
      await put("a", "old")
      await put("b", "new")
      const seen = await files.lstat(at("a"))
      if (!seen) throw new Error("a is there")
      await new Promise(resolve => setTimeout(resolve, 20))
      await files.overwrite(at("a"), Buffer.from("sly"))
      expect(await files.overwriteSeen(at("a"), Buffer.from("mine"), seen)).toBe(false)
      expect(await files.renameOverSeen(at("b"), at("a"), seen)).toBe(false)
      expect([await textOf("a"), await textOf("b")]).toEqual(["sly", "new"])
      const again = await files.lstat(at("a"))
      if (!again) throw new Error("a is there")
      expect(await files.overwriteSeen(at("a"), Buffer.from("mine"), again)).toBe(true)
      const last = await files.lstat(at("a"))
      if (!last) throw new Error("a is there")
      expect(await files.renameOverSeen(at("b"), at("a"), last)).toBe(true)
      expect([await textOf("a"), await files.lstat(at("b"))]).toEqual(["new", null])
      expect(await files.renameOverSeen(at("a"), at("none"), last)).toBe(false)
    })

    test("link refuses what is there, follows no symlink, and not a folder", async () => {
      await put("a", "a")
      await put("b", "b")
      await files.symlink("a", at("s"))
      await files.makeFolder(at("d"), 0o755)
      expect(await codeOf(files.link(at("a"), at("b")))).toBe("EEXIST")
      expect(await codeOf(files.link(at("d"), at("e")))).toBe("EPERM")
      await files.link(at("s"), at("t"))
      expect(await files.readlink(at("t"))).toBe("a")
    })

    test("rename replaces a file; refuses folders with something inside, files for folders and the reverse", async () => {
      await put("a", "a")
      await put("b", "b")
      await files.rename(at("a"), at("b"))
      expect(await textOf("b")).toBe("a")
      expect(await files.lstat(at("a"))).toBe(null)
      await files.makeFolder(at("d"), 0o755)
      await files.makeFolder(at("e"), 0o755)
      await put("e/x", "x")
      expect(await codeOf(files.rename(at("d"), at("e")))).toBe("ENOTEMPTY")
      expect(await codeOf(files.rename(at("b"), at("d")))).toBe("EISDIR")
      expect(await codeOf(files.rename(at("d"), at("b")))).toBe("ENOTDIR")
      expect(await codeOf(files.rename(at("e"), at("e/f")))).toBe("EINVAL")
      expect(await codeOf(files.rename(at("none"), at("b")))).toBe("ENOENT")
      await files.rename(at("e"), at("d"))
      expect(await textOf("d/x")).toBe("x")
    })

    test("rename between two names of one file leaves both", async () => {
      await put("a", "a")
      await files.link(at("a"), at("b"))
      await files.rename(at("a"), at("b"))
      expect((await files.lstat(at("a")))?.links).toBe(2)
    })

    test("unlink and removeFolder each refuse what is the other's, and a folder that holds something", async () => {
      await put("a", "a")
      await files.makeFolder(at("d"), 0o755)
      await put("d/x", "x")
      expect(await codeOf(files.unlink(at("d")))).toBe("EISDIR")
      expect(await codeOf(files.removeFolder(at("a")))).toBe("ENOTDIR")
      expect(await codeOf(files.removeFolder(at("d")))).toBe("ENOTEMPTY")
      expect(await codeOf(files.unlink(at("none")))).toBe("ENOENT")
      await files.unlink(at("d/x"))
      await files.removeFolder(at("d"))
      expect(await files.lstat(at("d"))).toBe(null)
    })

    test("modes of files and folders; never through a symlink", async () => {
      await put("a", "a")
      await files.makeFolder(at("d"), 0o777)
      await files.symlink("a", at("s"))
      expect((await files.lstat(at("d")))?.mode).toBe(0o777 & ~files.umask)
      await files.chmod(at("d"), 0o1777)
      await files.chmod(at("a"), 0o400)
      expect(await codeOf(files.chmod(at("s"), 0o777))).toBe("EINVAL")
      expect((await files.lstat(at("d")))?.mode).toBe(0o1777)
      expect((await files.lstat(at("a")))?.mode).toBe(0o400)
    })

    test("names that are not UTF-8, and names with every awkward character, survive a round trip", async () => {
      const names = [pathFromBytes(Buffer.from([0x66, 0xff, 0xfe])), "a\nb", "-rf", " ", "é", "😀", "*?[]"]
      for (const file of names) await put(file, file)
      await files.symlink(names[0] ?? "", at("link"))
      expect((await files.list(subject.root)).map(entry => entry.name).toSorted()).toEqual(
        [...names, "link"].toSorted(),
      )
      expect(await files.readlink(at("link"))).toBe(names[0])
      expect(await files.realpath(at("link"))).toBe(at(names[0] ?? ""))
    })

    test("realpath resolves links and .., and keeps last names that are missing", async () => {
      await files.makeFolder(at("d"), 0o755)
      await put("d/x", "x")
      await files.symlink("d", at("l"))
      await files.symlink("l/../l", at("m"))
      await files.symlink("loop", at("loop"))
      expect(await files.realpath(at("m/x"))).toBe(at("d/x"))
      expect(await files.realpath(at("l/no/where"))).toBe(at("d/no/where"))
      expect(await codeOf(files.realpath(at("loop/x")))).toBe("ELOOP")
    })

    test("an open folder: follows no symlink on the way, and stays the same folder when its name is taken away (S37)", async () => {
      await files.makeFolder(at("d"), 0o755)
      await files.makeFolder(at("d/e"), 0o755)
      await files.makeFolder(at("other"), 0o755)
      await files.symlink("d", at("l"))
      await put("file", "")
      expect(await codeOf(files.openFolder(subject.root, "l"))).toBe("ENOTDIR")
      expect(await codeOf(files.openFolder(subject.root, "l/e"))).toBe("ENOTDIR")
      expect(await codeOf(files.openFolder(subject.root, "file"))).toBe("ENOTDIR")
      expect(await codeOf(files.openFolder(subject.root, "none"))).toBe("ENOENT")
      const folder = await files.openFolder(subject.root, "d/e")
      await files.rename(at("d"), at("moved"))
      await files.symlink("other", at("d"))
      await files.create(`${folder.path}/x`, Buffer.from("x"), 0o644)
      await files.syncFolder(folder.path)
      await folder.close()
      expect(await textOf("moved/e/x")).toBe("x")
      expect(await files.list(at("other"))).toEqual([])
      const root = await files.openFolder(subject.root, "")
      expect((await files.lstat(`${root.path}/file`))?.kind).toBe("file")
      await root.close()
    })

    test("the time of writing is now (S40), and every change shows in the stamp", async () => {
      await put("a", "1")
      const first = await files.lstat(at("a"))
      await new Promise(resolve => setTimeout(resolve, 20))
      await files.overwrite(at("a"), Buffer.from("2"))
      const second = await files.lstat(at("a"))
      expect(first && second && second.mtimeNs > first.mtimeNs && second.ctimeNs > first.ctimeNs).toBe(true)
    })
  })
}

test("real: a socket is seen and not read (S38)", async () => {
  const subject = await openReal()
  const path = `${subject.root}/s`
  const server = createServer()
  await new Promise<void>(resolve => server.listen(path, resolve))
  expect((await subject.files.lstat(path))?.kind).toBe("socket")
  await expect(subject.files.read(path, 9)).rejects.toMatchObject({ code: "ENXIO" })
  await new Promise(resolve => server.close(resolve))
  subject.close()
})
