/**
 * What a model is told of the `bash` tool. Both strings sit in a model's prompt cache: a test pins them, and a change of one
 * letter costs every user a cache.
 */
export const shellToolName = "bash"

export const shellDescription = `Run a shell command in the workspace.

* Runs with bash -c. The first call starts in the workspace folder; the current folder carries over to the next call ('cd web'), variables and functions do not.
* Every file that the command creates, changes or deletes is recorded and shown to the person as a reviewable change. In a workspace where changes are held for review, the command sees pending changes as if they were written.
* A command of the form sed -i 's/pattern/replacement/flags' FILE is carried out as an ordinary edit of that file.
* There is no terminal and no standard input: use flags that answer questions in advance.
* The answer holds the exit code and the output (standard output and standard error together); very long output is cut in the middle.
* For viewing and editing text files prefer str_replace_editor.`

/** JSON Schema of the tool's input. */
export const shellInputSchema = {
  type: "object",
  properties: {
    command: { type: "string", description: "The command, as bash reads it." },
    timeout_ms: {
      type: "integer",
      minimum: 1,
      maximum: 86_400_000,
      description: "Milliseconds after which the command is ended. Default: 120000.",
    },
    background: {
      type: "boolean",
      description:
        "Start the command and return at once, for servers and watchers. Read its output with 'galley-job output ID', stop it with 'galley-job stop ID'. Default: false.",
    },
  },
  required: ["command"],
  additionalProperties: false,
} as const
