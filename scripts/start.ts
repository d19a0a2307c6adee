/**
 * `npm start`: the main job, on a copy of a small project. A real MCP client plays an agent against the real server; then the person's
 * side is shown with real commands, each printed before its output. Asks nothing, so it runs anywhere.
 *
 * `npm start -- DIR`: for one's own project. Plays nothing and changes nothing there; says what there is and how to connect an agent.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { isatty } from "node:tty"
import { fileURLToPath } from "node:url"
import { decisionSchema, logSchema, statusSchema } from "@galley/core/protocol/results.ts"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import picocolors from "picocolors"
import { showPage } from "./start-page.ts"

const program = fileURLToPath(new URL("../packages/galley/bin/galley.mjs", import.meta.url))
const sample = fileURLToPath(new URL("../packages/galley/sample", import.meta.url))
const conversation = "shop"
const handEdit = "/** In cents; the till adds no tax. */\n"
const colored = process.argv.includes("--color") || (isatty(1) && !process.env["NO_COLOR"])
const color = picocolors.createColors(colored)

const folders = process.argv.slice(2).filter(word => !word.startsWith("-"))
if (folders[0] === undefined) await playSample()
else await startOwn(resolve(process.env["INIT_CWD"] ?? process.cwd(), folders[0]))

async function playSample(): Promise<void> {
  const shop = copySample()
  const { bold } = color
  say(`${bold("Galley")} on a copy of its sample project, in ${bold(shop)}`)
  chapter("An agent at work", "A real MCP client talks to a real server: galley mcp")
  const messages = await playAgent(shop)
  chapter(
    "Your side: what is pending, hunk by hunk",
    "Nothing below is scripted output: each command is run as it is printed.",
  )
  review(shop)
  chapter("You edit a file by hand", "Your text is yours: it survives accept, reject and rewind.")
  editByHand(shop)
  chapter(
    "Back to before the second message",
    "The plan first. Your own line stays, although it is in a file that the agent changed too.",
  )
  galley(shop, "log")
  galley(shop, "rewind", messages[1] ?? "", "--plan")
  galley(shop, "rewind", messages[1] ?? "")
  showHandEdit(shop)
  galley(shop, "log")
  chapter("And forward again", "A rewind is a decision like any other.")
  galley(shop, "undo")
  showHandEdit(shop)
  galley(shop, "status")
  farewell(shop)
  await showPage({ program, folder: shop, env: environment(), say })
}

/** A folder of its own under git, as a person would have it. */
function copySample(): string {
  const shop = realpathSync(mkdtempSync(join(tmpdir(), "galley-shop-")))
  cpSync(sample, shop, { recursive: true })
  const git = (...words: string[]): void => {
    const who = ["-c", "user.name=Shop", "-c", "user.email=shop@example.org", "-c", "commit.gpgsign=false"]
    const { status, stderr } = spawnSync("git", [...who, ...words], { cwd: shop, encoding: "utf8" })
    if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`)
  }
  git("init", "-q", "-b", "main")
  git("add", "-A")
  git("commit", "-q", "-m", "The shop as it was")
  return shop
}

interface Deed {
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
}

interface Asked {
  readonly asked: string
  readonly deeds: readonly Deed[]
  /** Nothing of it is on disk until it is accepted. */
  readonly held?: true
}

/** What is asked of the agent, and what it then does. The third message's first edit fails, as models' edits do. */
function story(shop: string): readonly Asked[] {
  const bash = (command: string): Deed => ({ tool: "bash", input: { command } })
  const edit = (input: Readonly<Record<string, unknown>>): Deed => ({ tool: "str_replace_editor", input })
  const cart = join(shop, "src/cart.js")
  return [
    {
      asked: "Give a discount of 5 % from 100.00 on",
      deeds: [
        edit({ command: "view", path: cart, view_range: [14, 20] }),
        edit({
          command: "create",
          path: join(shop, "src/discount.js"),
          file_text:
            "/** 5 % of what is bought for 100.00 or more, in cents. */\nexport function discountFor(sum) {\n  return sum >= 10_000 ? Math.round(sum * 0.05) : 0\n}\n",
        }),
        edit({
          command: "str_replace",
          path: cart,
          old_str: 'import { toText } from "./money.js"\n',
          new_str: 'import { discountFor } from "./discount.js"\nimport { toText } from "./money.js"\n',
        }),
        edit({
          command: "insert",
          path: cart,
          insert_line: 6,
          insert_text: '  console.log("adding", item)\n',
        }),
        edit({
          command: "str_replace",
          path: cart,
          old_str: "  return sum\n",
          new_str: "  return sum - discountFor(sum)\n",
        }),
      ],
    },
    {
      asked: "Say so on the receipt, in the price list and in the terms",
      deeds: [
        edit({
          command: "str_replace",
          path: cart,
          old_str: "  return [...lines, `Total",
          new_str: "  return [...lines, `Total, discount taken off",
        }),
        edit({
          command: "insert",
          path: join(shop, "data/prices.csv"),
          insert_line: 5,
          insert_text: "Fountain pen,119.00\n",
        }),
        edit({
          command: "str_replace",
          path: join(shop, "legal/terms.txt"),
          old_str: "1. Prices include tax.",
          new_str: "1. Prices include tax. From 100.00 on we give 5 %.",
        }),
        // Computed as an edit; no sed is started.
        bash("sed -i 's/Cents as people write them/Cents as the till prints them/' src/money.js"),
      ],
    },
    {
      asked: "Let make try it with a fountain pen",
      deeds: [
        edit({
          command: "str_replace",
          path: join(shop, "Makefile"),
          old_str: 'receipt:\n    node src/receipt.js "Pencil=3"',
          new_str: 'receipt:\n    node src/receipt.js "Fountain pen=1" "Pencil=3"',
        }),
        edit({
          command: "str_replace",
          path: join(shop, "Makefile"),
          old_str: '\tnode src/receipt.js "Pencil=3"',
          new_str: '\tnode src/receipt.js "Fountain pen=1" "Pencil=3"',
        }),
      ],
    },
    {
      asked: "Notebooks are called exercise books now, everywhere",
      deeds: [bash("perl -pi -e 's/Notebook/Exercise book/g' Makefile README.md data/prices.csv test/shop.test.js")],
    },
    {
      asked: "Members get another 2 %. Try it before it is written",
      held: true,
      deeds: [
        edit({
          command: "create",
          path: join(shop, "src/members.js"),
          file_text: "export function memberPrice(cents) {\n  return Math.round(cents * 0.98)\n}\n",
        }),
        bash("node -e 'import(\"./src/members.js\").then(m => console.log(m.memberPrice(10_000)))' ; ls src"),
      ],
    },
  ]
}

/** Plays the story; answers the ids of its messages. */
async function playAgent(shop: string): Promise<readonly string[]> {
  const client = await connected(shop)
  // The same agent, its changes held back.
  const held = await connected(shop, "--review", "hold")
  const { tools } = await client.listTools()
  say(color.dim(`It offers ${tools.map(tool => tool.name).join(" and ")}.`))
  const ids: string[] = []
  for (const { asked, deeds, held: isHeld } of story(shop)) {
    // A hook of the agent says this where it can; by hand it is a command.
    const begun = galleyJson(decisionSchema, shop, "message", asked, "--conversation", conversation)
    ids.push(begun.message ?? "")
    say(`\n${color.bold(`You: ${asked}`)}   ${color.dim(`galley message → ${begun.message ?? ""}`)}`)
    if (isHeld === true) say(color.dim("  (changes are held: --review hold)"))
    for (const deed of deeds) {
      say(color.cyan(`  ${deed.tool} ${shortened(deed.input, shop)}`))
      const result = await (isHeld === true ? held : client).callTool({
        name: deed.tool,
        arguments: { ...deed.input },
      })
      const told = result.content.map(part => (part.type === "text" ? part.text : "")).join("")
      const paint = result.isError === true ? color.yellow : color.dim
      say(paint(told.trimEnd().replaceAll(/^/gm, "    ")))
    }
  }
  await client.close()
  await held.close()
  const there = existsSync(join(shop, "src/members.js"))
  say(
    color.dim(
      `\nOn your disk src/members.js ${there ? "exists: that is a bug of Galley" : "does not exist: it is held"}.`,
    ),
  )
  return ids
}

async function connected(shop: string, ...more: readonly string[]): Promise<Client> {
  const client = new Client({ name: "sample-agent", version: "1.0.0" })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--workspace", shop, "--conversation", conversation, ...more],
      env: environment(),
      stderr: "inherit",
    }),
  )
  return client
}

function review(shop: string): void {
  galley(shop, "status")
  galley(shop, "diff", "src/cart.js")
  const cart = galleyJson(statusSchema, shop, "status").files.find(file => file.path === "src/cart.js")
  const [first, second] = cart?.hunks ?? []
  say(color.dim("\nThe first hunk is what was asked for; the second is a left-over of trying."))
  galley(shop, "accept", "src/cart.js", "--hunk", first?.id ?? "")
  galley(shop, "reject", "src/cart.js", "--hunk", second?.id ?? "")
  galley(shop, "diff", "src/cart.js")
}

function editByHand(shop: string): void {
  const cart = join(shop, "src/cart.js")
  const text = readFileSync(cart, "utf8")
  writeFileSync(cart, text.replace("export function total", `${handEdit}export function total`))
  say(`\nYour editor, src/cart.js:  ${color.blue(`+ ${handEdit.trim()}`)}`)
}

function showHandEdit(shop: string): void {
  const lines = readFileSync(join(shop, "src/cart.js"), "utf8").split("\n")
  const at = lines.indexOf(handEdit.trim())
  if (at < 0) throw new Error("The hand edit is gone: that is a bug of Galley.")
  say(`${color.blue("Your line is still there:")} src/cart.js:${at + 1}  ${lines[at] ?? ""}`)
}

function farewell(shop: string): void {
  const { bold, dim } = color
  const tree = galleyJson(logSchema, shop, "log")
  const last = tree.messages.at(-1)?.id ?? "MESSAGE"
  say(`
${bold("Go on by hand.")} The workspace is ${bold(shop)}; what Galley knows of it is in its own store, not in there.

  alias galley='${quotedForShell(process.execPath)} ${quotedForShell(program)}'
  cd ${quotedForShell(shop)}

  galley diff                        ${dim("the rest, hunk by hunk")}
  galley serve                       ${dim("the review page in a browser")}
  galley accept --all                ${dim("take it; galley undo takes that back")}
  galley reject --message ${last}    ${dim("one message's changes, wherever they are")}
  galley rewind ${last} --plan       ${dim("what going back would do")}
  galley --help                      ${dim("everything else")}

${bold("Your own project:")} npm start -- DIR`)
}

async function startOwn(folder: string): Promise<void> {
  if (!(statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false)) {
    process.stderr.write(`There is no folder ${folder}.\n`)
    process.exitCode = 2
    return
  }
  const root = realpathSync(folder)
  const { bold, dim } = color
  say(`${bold("Galley")} for ${bold(root)}`)
  say(
    dim(
      "Nothing is written in that folder: what Galley records is kept in a store of its own (galley doctor names it).",
    ),
  )
  galley(root, "doctor")
  galley(root, "status")
  const server = { command: process.execPath, args: [program, "mcp", "--workspace", root] }
  say(`
${bold("Connect an agent:")} give it this MCP server, in the form its settings want.

${JSON.stringify({ mcpServers: { galley: server } }, null, 2)}

Claude Code:  claude mcp add galley -- ${[server.command, ...server.args].map(quotedForShell).join(" ")}

Then let it work, and look:

  alias galley='${quotedForShell(process.execPath)} ${quotedForShell(program)}'
  cd ${quotedForShell(root)}
  galley status`)
  await showPage({ program, folder: root, env: environment(), say })
}

/** Runs a command as it is printed, its output as it comes. */
function galley(shop: string, ...words: string[]): void {
  say(`\n${color.green("$")} ${color.bold(`galley ${words.map(quotedForShell).join(" ")}`)}`)
  const { status, error } = spawnSync(process.execPath, [program, ...words, ...(colored ? ["--color"] : [])], {
    cwd: shop,
    stdio: ["ignore", "inherit", "inherit"],
    env: environment(),
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`galley ${words.join(" ")} ended with ${status}`)
}

/** Asks for ids to go on with; not part of what is shown. */
function galleyJson<T>(schema: { parse(value: unknown): T }, shop: string, ...words: string[]): T {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words, "--json"], {
    cwd: shop,
    encoding: "utf8",
    env: environment(),
  })
  if (status !== 0) throw new Error(`galley ${words.join(" ")}: ${stdout}${stderr}`)
  return schema.parse(JSON.parse(stdout))
}

/** Ours, without what would make a child believe that it runs inside an agent. */
function environment(): Record<string, string> {
  const foreign = /^(CLAUDE|QWEN|CODEX|GALLEY_TOOK_OVER)/
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || foreign.test(name) ? [] : [[name, value] satisfies [string, string]],
    ),
  )
}

function shortened(input: Readonly<Record<string, unknown>>, shop: string): string {
  const text = JSON.stringify(input).replaceAll(`${shop}/`, "")
  return text.length > 110 ? `${text.slice(0, 107)}...` : text
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function chapter(title: string, about: string): void {
  say(`\n${color.bold(color.magenta(`── ${title} `.padEnd(78, "─")))}\n${color.dim(about)}`)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
