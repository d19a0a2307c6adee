import { memoryStore } from "../../src/store/memory.ts"
import { conformance } from "./conformance.ts"

conformance("memory", async () => memoryStore())
