#!/bin/bash
# A runnable VS Code 1.139 server on a fresh machine: apt for Chromium, the package registry for the rest, no compiler.
# code-server 4.139 wants Node 24: the root's development dependency `node` is one. Its native modules are left out (a log writer and a
# watchdog; the workbench, the extension host, the file watcher, search and the terminal work without).
set -euo pipefail
cd "$(dirname "$0")"
export PATH="$PWD/../../node_modules/.bin:$PATH"
quiet="--ignore-scripts --no-audit --no-fund --loglevel=error"

if ! command -v chromium >/dev/null && ! command -v google-chrome >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null
fi

code="$PWD/node_modules/code-server/lib/vscode"
# The lock's hash tells a finished set-up from one that was broken off, and from an older one.
stamp="$PWD/node_modules/.galley-$(sha256sum package-lock.json gate.mjs | sha256sum | cut -c1-16)"
[ -f "$stamp" ] && exit 0
npm ci $quiet
(cd "$code" && npm install --omit=dev $quiet)
(cd "$code/extensions" && npm install --omit=dev $quiet)
node gate.mjs "$code/out"
touch "$stamp"
