import { type Core, roughRoot, setAside } from "./set-aside.ts"
import type { Marks, Symbols } from "./symbols.ts"

/**
 * Which lines of two texts have no partner in the other, by the algorithm of git's xdiff (git 2.39, `xdiff/xdiffi.c` and
 * `xdiff/xprepare.c`, itself Eugene Myers, "An O(ND) Difference Algorithm and Its Variations", 1986, linear space).
 *
 * Among equally short scripts each program chooses another one, and `git merge-file` calls clean or not what its own choice
 * makes so. Therefore the choices here are git's: the order in which diagonals are tried, the lines set aside before the
 * search, and where a long search is cut short. Written from the algorithm, not from its source text.
 */

export interface EditScript {
  readonly marks: Marks
  /** Lines marked on both sides together. */
  readonly changed: number
  /** Whether the search stopped before it knew that nothing is shorter. */
  readonly cutShort: boolean
}

/** Thrown inside a search that used up its steps. */
class OutOfSteps extends Error {}

/** As `git diff` and `git merge-file` have it. Bounded by itself: after many edits it goes on from a good point instead of the best. */
export function scriptLikeGit(base: Symbols, current: Symbols): EditScript {
  return search(base, current, false, Number.MAX_SAFE_INTEGER)
}

/**
 * The same without cutting the search short; null when that takes more than `budget` steps (one diagonal tried or one line
 * compared each, some 10 ns).
 */
export function patientScript(base: Symbols, current: Symbols, budget: number): EditScript | null {
  try {
    return search(base, current, true, budget)
  } catch (error) {
    if (error instanceof OutOfSteps) return null
    throw error
  }
}

function search(base: Symbols, current: Symbols, patient: boolean, budget: number): EditScript {
  const marks: Marks = { base: new Uint8Array(base.length + 1), current: new Uint8Array(current.length + 1) }
  const core = setAside(base, current, marks)
  const space = searchSpace(core, patient, budget)
  compareBox(space, marks, { fromA: 0, toA: core.a.length, fromB: 0, toB: core.b.length }, patient)
  return { marks, changed: count(marks.base) + count(marks.current), cutShort: space.cutShort }
}

function count(flags: Uint8Array): number {
  let sum = 0
  for (const flag of flags) sum += flag
  return sum
}

/** A rectangle of the edit graph, half-open. */
interface Box {
  readonly fromA: number
  readonly toA: number
  readonly fromB: number
  readonly toB: number
}

interface Split {
  readonly a: number
  readonly b: number
  readonly exactBefore: boolean
  readonly exactAfter: boolean
}

interface Space extends Core {
  /** Furthest point of a on each diagonal (a - b), from the start and from the end; diagonal d is at d + origin. */
  readonly forward: Int32Array
  readonly backward: Int32Array
  readonly origin: number
  /** Edits after which a search that is not exact takes the furthest point so far. */
  readonly patience: number
  steps: number
  cutShort: boolean
}

const longSnake = 20
const heuristicFrom = 256
const beyond = 0x7fffffff

function searchSpace(core: Core, patient: boolean, budget: number): Space {
  const diagonals = core.a.length + core.b.length + 3
  return {
    ...core,
    forward: new Int32Array(diagonals + 2),
    backward: new Int32Array(diagonals + 2),
    origin: core.b.length + 1,
    patience: patient ? Number.MAX_SAFE_INTEGER : Math.max(256, roughRoot(diagonals)),
    steps: budget,
    cutShort: false,
  }
}

function compareBox(space: Space, marks: Marks, whole: Box, exactWhole: boolean): void {
  // An explicit stack: adversarial texts nest as deep as they are long.
  const todo: { readonly box: Box; readonly exact: boolean }[] = [{ box: whole, exact: exactWhole }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const box = trimmed(space, next.box)
    if (box.fromA === box.toA) {
      for (let b = box.fromB; b < box.toB; b++) marks.current[space.lineOfB[b] as number] = 1
    } else if (box.fromB === box.toB) {
      for (let a = box.fromA; a < box.toA; a++) marks.base[space.lineOfA[a] as number] = 1
    } else {
      const split = splitBox(space, box, next.exact)
      if (!split.exactBefore || !split.exactAfter) space.cutShort = true
      todo.push({ box: { ...box, fromA: split.a, fromB: split.b }, exact: split.exactAfter })
      todo.push({ box: { ...box, toA: split.a, toB: split.b }, exact: split.exactBefore })
    }
  }
}

function trimmed(space: Space, box: Box): Box {
  const { a, b } = space
  let { fromA, toA, fromB, toB } = box
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) {
    fromA++
    fromB++
  }
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) {
    toA--
    toB--
  }
  return { fromA, toA, fromB, toB }
}

/** Finds a point on a shortest path through the box (or, not `exact` and after much work, on a good one). */
function splitBox(space: Space, box: Box, exact: boolean): Split {
  const { a, b, forward, backward, origin } = space
  const { fromA, toA, fromB, toB } = box
  const lowest = fromA - toB
  const highest = toA - fromB
  const start = fromA - fromB
  const end = toA - toB
  const odd = ((start - end) & 1) !== 0
  let forwardMin = start
  let forwardMax = start
  let backwardMin = end
  let backwardMax = end
  forward[start + origin] = fromA
  backward[end + origin] = toA

  for (let cost = 1; ; cost++) {
    let sawSnake = false
    let steps = 0

    if (forwardMin > lowest) forward[--forwardMin - 1 + origin] = -1
    else ++forwardMin
    if (forwardMax < highest) forward[++forwardMax + 1 + origin] = -1
    else --forwardMax
    for (let d = forwardMax; d >= forwardMin; d -= 2) {
      const left = forward[d - 1 + origin] as number
      const right = forward[d + 1 + origin] as number
      const first = left >= right ? left + 1 : right
      let x = first
      let y = x - d
      while (x < toA && y < toB && a[x] === b[y]) {
        x++
        y++
      }
      steps += 1 + x - first
      if (x - first > longSnake) sawSnake = true
      forward[d + origin] = x
      if (odd && backwardMin <= d && d <= backwardMax && (backward[d + origin] as number) <= x)
        return { a: x, b: y, exactBefore: true, exactAfter: true }
    }

    if (backwardMin > lowest) backward[--backwardMin - 1 + origin] = beyond
    else ++backwardMin
    if (backwardMax < highest) backward[++backwardMax + 1 + origin] = beyond
    else --backwardMax
    for (let d = backwardMax; d >= backwardMin; d -= 2) {
      const left = backward[d - 1 + origin] as number
      const right = backward[d + 1 + origin] as number
      const first = left < right ? left : right - 1
      let x = first
      let y = x - d
      while (x > fromA && y > fromB && a[x - 1] === b[y - 1]) {
        x--
        y--
      }
      steps += 1 + first - x
      if (first - x > longSnake) sawSnake = true
      backward[d + origin] = x
      if (!odd && forwardMin <= d && d <= forwardMax && x <= (forward[d + origin] as number))
        return { a: x, b: y, exactBefore: true, exactAfter: true }
    }

    space.steps -= steps
    if (space.steps < 0) throw new OutOfSteps()
    if (exact) continue
    const reach: Reach = { forwardMin, forwardMax, backwardMin, backwardMax, start, end, cost }
    if (sawSnake && cost > heuristicFrom) {
      const early = interestingPoint(space, box, reach)
      if (early !== null) return early
    }
    if (cost >= space.patience) return furthestPoint(space, box, reach)
  }
}

/** How far a search has come. */
interface Reach {
  readonly forwardMin: number
  readonly forwardMax: number
  readonly backwardMin: number
  readonly backwardMax: number
  readonly start: number
  readonly end: number
  readonly cost: number
}

/** The end of a long snake that lies far ahead for its cost, or null. */
function interestingPoint(space: Space, box: Box, reach: Reach): Split | null {
  const { a, b, forward, backward, origin } = space
  const { fromA, toA, fromB, toB } = box
  let best = 0
  let bestA = 0
  let bestB = 0
  for (let d = reach.forwardMax; d >= reach.forwardMin; d -= 2) {
    const x = forward[d + origin] as number
    const y = x - d
    const progress = x - fromA + (y - fromB) - Math.abs(d - reach.start)
    if (progress <= 4 * reach.cost || progress <= best) continue
    if (x < fromA + longSnake || x >= toA || y < fromB + longSnake || y >= toB) continue
    if (!sameStretch(a, x - longSnake, b, y - longSnake)) continue
    best = progress
    bestA = x
    bestB = y
  }
  if (best > 0) return { a: bestA, b: bestB, exactBefore: true, exactAfter: false }
  for (let d = reach.backwardMax; d >= reach.backwardMin; d -= 2) {
    const x = backward[d + origin] as number
    const y = x - d
    const progress = toA - x + (toB - y) - Math.abs(d - reach.end)
    if (progress <= 4 * reach.cost || progress <= best) continue
    if (x <= fromA || x > toA - longSnake || y <= fromB || y > toB - longSnake) continue
    if (!sameStretch(a, x, b, y)) continue
    best = progress
    bestA = x
    bestB = y
  }
  return best > 0 ? { a: bestA, b: bestB, exactBefore: false, exactAfter: true } : null
}

function sameStretch(a: Symbols, fromA: number, b: Symbols, fromB: number): boolean {
  for (let at = 0; at < longSnake; at++) if (a[fromA + at] !== b[fromB + at]) return false
  return true
}

function furthestPoint(space: Space, box: Box, reach: Reach): Split {
  const { forward, backward, origin } = space
  const { fromA, toA, fromB, toB } = box
  let ahead = -1
  let aheadA = -1
  for (let d = reach.forwardMax; d >= reach.forwardMin; d -= 2) {
    let x = Math.min(forward[d + origin] as number, toA)
    if (x - d > toB) x = toB + d
    if (ahead >= x + (x - d)) continue
    ahead = x + (x - d)
    aheadA = x
  }
  let behind = beyond
  let behindA = beyond
  for (let d = reach.backwardMax; d >= reach.backwardMin; d -= 2) {
    let x = Math.max(fromA, backward[d + origin] as number)
    if (x - d < fromB) x = fromB + d
    if (x + (x - d) >= behind) continue
    behind = x + (x - d)
    behindA = x
  }
  return toA + toB - behind < ahead - (fromA + fromB)
    ? { a: aheadA, b: ahead - aheadA, exactBefore: true, exactAfter: false }
    : { a: behindA, b: behind - behindA, exactBefore: false, exactAfter: true }
}
