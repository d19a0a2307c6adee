/**
 * A process of the fault tests: `node child.ts WORK FOLDER …`. It prints one line for each thing that the store has
 * acknowledged, so that the test knows what must still be there after a kill.
 */
import { appendFileSync, writeSync } from "node:fs"
import { absent } from "@galley/core/state.ts"
import { realEnv } from "../../src/io/env.ts"
import { openLock } from "../../src/store/open-lock.ts"
import { openSqliteStore } from "../../src/store/sqlite.ts"
import { file, item, noise, operation, prose } from "./samples.ts"

const [work = "", folder = "", name = "", amount = "0"] = process.argv.slice(2)
const say = (text: string) => writeSync(1, `${text}\n`)
const bytes = (text: string) => new TextEncoder().encode(text)

/** Commits numbered operations, each with a new version of a text and now and then a large content. */
async function write(): Promise<void> {
  const store = await openSqliteStore({ folder, env: realEnv() })
  let near: string | undefined
  for (let at = 0; at < Number(amount); at++) {
    const text = `${name} ${at}\n${prose(100, 1)}`
    const [id = ""] = await store.putBlobs([{ bytes: bytes(text), ...(near === undefined ? {} : { near }) }])
    near = id
    if (at % 7 === 3) await store.putBlobs([{ bytes: noise(70_000, at) }])
    await store.commit({
      operations: [operation(`${name}-${at}`, id, ["a"])],
      items: [{ ...item(name, absent, file(id)), revision: at }],
    })
    say(`${name}-${at}`)
  }
  await store.close()
}

/** Takes the lock `amount` times; between two marks in the log nobody else may write one. */
async function lock(): Promise<void> {
  const env = realEnv()
  const held = openLock(folder, env)
  say("ready")
  for (let at = 0; at < Number(amount); at++)
    await held.hold(async () => {
      appendFileSync(`${folder}/log`, `${name}+\n`)
      await env.sleep(2)
      appendFileSync(`${folder}/log`, `${name}-\n`)
    })
  await held.close()
}

/** Takes the lock and never lets go. */
async function hang(): Promise<void> {
  await openLock(folder, realEnv()).hold(async () => {
    say("held")
    await new Promise(resolve => setTimeout(resolve, 600_000))
  })
}

/** Puts and purges over and over, so that a kill meets a purge at every step. */
async function purge(): Promise<void> {
  const store = await openSqliteStore({ folder, env: realEnv() })
  for (let at = 0; at < Number(amount); at++) {
    const secret = noise(at % 2 === 0 ? 3000 : 70_000, 1000 + at)
    const [base = ""] = await store.putBlobs([{ bytes: secret }])
    const [next = ""] = await store.putBlobs([{ bytes: new Uint8Array([...secret.subarray(0, 1500), 1]), near: base }])
    say(`put ${base} ${next}`)
    await store.purgeBlobs([base])
    say(`purged ${base} ${next}`)
  }
}

async function open(): Promise<void> {
  const store = await openSqliteStore({ folder, env: realEnv() })
  say(String((await store.operations({ path: "a" })).length))
  await store.close()
}

const works: Readonly<Record<string, () => Promise<void>>> = { write, lock, hang, purge, open }
await works[work]?.()
