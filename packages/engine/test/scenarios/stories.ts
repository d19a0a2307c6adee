import { afterEach } from "vitest"
import { tell, type Story, type StoryOptions } from "../story.ts"

/** Makes `tell` end its stories after each test of the file. */
export function stories(): (options?: StoryOptions) => Promise<Story> {
  let told: Story[] = []
  afterEach(async () => {
    for (const one of told) await one.end().catch(() => undefined)
    told = []
  })
  return async (options = {}) => {
    const one = await tell(options)
    told.push(one)
    return one
  }
}

export const five = "one\ntwo\nthree\nfour\nfive\n"
