/** As much of mocha as is used here: its typings are a package of their own that nothing else would need. */
declare function describe(name: string, body: () => void): void
declare function it(name: string, body: () => void | Promise<void>): void
declare function before(body: () => void | Promise<void>): void

declare module "mocha" {
  export interface Test {
    fullTitle(): string
  }
  export interface Runner {
    on(event: "pass" | "pending", listener: (test: Test) => void): void
    on(event: "fail", listener: (test: Test, error: Error) => void): void
  }
  class Base {
    constructor(runner: Runner)
    epilogue(): void
  }
  export default class Mocha {
    static readonly reporters: { readonly Base: typeof Base }
    constructor(options: {
      readonly color: boolean
      readonly timeout: number
      readonly ui: string
      readonly reporter: new (runner: Runner) => Base
    })
    addFile(file: string): void
    run(done: (failures: number) => void): Runner
  }
}
