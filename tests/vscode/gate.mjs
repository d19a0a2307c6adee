/**
 * Puts back the gate on proposed API that code-server 4.139 takes out (`isProposedApiEnabled` returns true), in the four bundles
 * that have one: otherwise tests would pass with API and menus that a published extension is refused.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const bundles = [
  "server-main.js",
  "vs/workbench/api/node/extensionHostProcess.js",
  "vs/workbench/api/worker/extensionHostWorkerMain.js",
  "vs/code/browser/workbench/workbench.js",
]
/** The function that always says yes, told by the one after it, which throws "CANNOT use API proposal". */
const openGate =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(?=function [\w$]+\(\2,\3\)\{if\(!\1\(\2,\3\)\)throw new Error\(`Extension '\$\{\2\.identifier\.value\}' CANNOT use API proposal)/g

const missing = bundles.filter(bundle => !close(join(process.argv[2] ?? "", bundle)))
if (missing.length > 0) {
  process.stderr.write(`No gate found in ${missing.join(", ")}: this is not the version the pattern was written for.\n`)
  process.exit(1)
}

/** Whether the gate is closed now. */
function close(file) {
  const text = readFileSync(file, "utf8")
  if (text.includes("/*gated*/")) return true
  let closed = 0
  const gated = text.replace(openGate, (_whole, name, extension, proposal) => {
    closed++
    const asked = `${extension}.enabledApiProposals`
    return `function ${name}(${extension},${proposal}){/*gated*/return!!(${asked}&&${asked}.includes(${proposal}))}`
  })
  if (closed === 1) writeFileSync(file, gated)
  return closed === 1
}
