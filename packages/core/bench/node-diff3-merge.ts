/** Merges three files with node-diff3: `node node-diff3-merge.ts ORIGIN OURS THEIRS`. A process of its own, so that it can be stopped. */
import { readFileSync } from "node:fs"
import { diff3Merge } from "node-diff3"
import { splitLines } from "../src/text/lines.ts"

const [origin = [], ours = [], theirs = []] = process.argv.slice(2).map(path => splitLines(readFileSync(path, "utf8")))
diff3Merge(ours, origin, theirs)
