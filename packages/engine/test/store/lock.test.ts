import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { realEnv } from "../../src/io/env.ts"
import type { WorkspaceLock } from "../../src/store/lock.ts"
import { memoryLock, openLock } from "../../src/store/open-lock.ts"
import { startChild } from "./process.ts"
import { temporaryFolder } from "./samples.ts"

const soon = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

for (const [name, make] of [
  ["the lock file", () => openLock(temporaryFolder(), realEnv())],
  ["the memory lock", memoryLock],
] as const satisfies readonly (readonly [string, () => WorkspaceLock])[])
  describe(name, () => {
    const opened = () => {
      const lock = make()
      onTestFinished(() => lock.close())
      return lock
    }
    it("lets one in at a time, in the order they came", async () => {
      const lock = opened()
      const log: string[] = []
      const work = (name: string) => async () => {
        log.push(`${name}+`)
        await soon(2)
        log.push(`${name}-`)
      }
      await Promise.all(["a", "b", "c"].map(name => lock.hold(work(name))))
      expect(log).toEqual(["a+", "a-", "b+", "b-", "c+", "c-"])
    })
    it("hands on what the work answers or throws, and is free afterwards", async () => {
      const lock = opened()
      expect(await lock.hold(async () => 7)).toBe(7)
      await expect(lock.hold(() => Promise.reject(new Error("mine")))).rejects.toThrow("mine")
      expect(await lock.hold(async () => 8)).toBe(8)
    })
    it("closes behind the last of those that wait", async () => {
      const lock = make()
      const log: number[] = []
      const both = [lock.hold(() => soon(3).then(() => log.push(1))), lock.hold(async () => log.push(2))]
      await lock.close()
      expect(log).toEqual([1, 2])
      await Promise.all(both)
    })
  })

describe("between processes and connections", () => {
  it("two locks of one folder in one process exclude each other, also when a third is opened and closed meanwhile", async () => {
    const folder = temporaryFolder()
    const [one, two] = [openLock(folder, realEnv()), openLock(folder, realEnv())]
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      const third = openLock(folder, realEnv())
      await soon(3)
      await third.close()
      inside--
    }
    await Promise.all([one, two, one, two].map(lock => lock.hold(work)))
    expect(most).toBe(1)
    await one.close()
    await two.close()
  })

  it("eight processes: nobody is let in while another is, and nobody waits until the others are done", async () => {
    const folder = temporaryFolder()
    const held = openLock(folder, realEnv())
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
    let children: ReturnType<typeof startChild>[] = []
    await held.hold(async () => {
      children = names.map(name => startChild("lock", folder, name, "12"))
      for (const child of children) await child.printed(1)
    })
    await held.close()
    for (const child of children) expect(await child.ended).toEqual({ code: 0, errors: "" })
    const log = readFileSync(join(folder, "log"), "utf8").trim().split("\n")
    expect(log).toHaveLength(8 * 12 * 2)
    for (let at = 0; at < log.length; at += 2)
      expect([log[at], log[at + 1]]).toEqual([`${log[at]?.[0]}+`, `${log[at]?.[0]}-`])
    const turns = log.filter(line => line.endsWith("+")).map(line => line[0] ?? "")
    // Of 96 turns each has had one before anybody has had all of its 12, which a lock that starves does not give.
    const firstDone = Math.min(...names.map(name => turns.lastIndexOf(name)))
    expect(new Set(turns.slice(0, firstDone + 1)).size).toBe(8)
  })

  it("a holder that is killed gives it up", async () => {
    const folder = temporaryFolder()
    const child = startChild("hang", folder)
    await child.printed(1)
    const lock = openLock(folder, realEnv())
    let entered = false
    const waiting = lock.hold(async () => {
      entered = true
    })
    await soon(60)
    expect(entered).toBe(false)
    child.process.kill("SIGKILL")
    await waiting
    expect(entered).toBe(true)
    await lock.close()
  })

  it("a holder that hangs is a TIMEOUT that says so, after two minutes of sleeping", async () => {
    const folder = temporaryFolder()
    const holder = openLock(folder, realEnv())
    let release = () => {}
    const hanging = holder.hold(() => new Promise<void>(resolve => (release = resolve)))
    await soon(20)
    let slept = 0
    const waiter = openLock(folder, { sleep: async ms => void (slept += ms), newId: () => "zzzzzz" })
    await expect(waiter.hold(async () => 1)).rejects.toMatchObject({ code: "TIMEOUT" })
    expect(slept).toBeGreaterThanOrEqual(120_000)
    release()
    await hanging
    expect(await waiter.hold(async () => 2)).toBe(2)
    await holder.close()
    await waiter.close()
  })

  it("its files are 0600 and never grow", async () => {
    const folder = temporaryFolder()
    const lock = openLock(folder, realEnv())
    await lock.hold(async () => {})
    for (const name of ["lock.db", "queue.db"])
      expect([statSync(join(folder, name)).mode & 0o777, statSync(join(folder, name)).size]).toEqual([0o600, 0])
    await lock.close()
  })

  it("a lock file that is none is STORE_FAILED", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "lock.db"), "not a database, but long enough to be taken for one\n".repeat(40))
    const lock = openLock(folder, realEnv())
    await expect(lock.hold(async () => 1)).rejects.toMatchObject({ code: "STORE_FAILED" })
    await lock.close()
  })
})
