/**
 * The two sh texts that run a view. Paths and the command come as arguments and files, never as text. OUTER's
 * arguments end with the whole vector that starts INNER.
 *
 *     node ── setpriv --pdeathsig KILL ── unshare --user --map-root-user --mount ── sh OUTER          (mounts; lists afterwards)
 *               └ setpriv --pdeathsig KILL ── unshare --pid --fork --kill-child ── sh INNER           (pid 1: dies last, kills all)
 *                   └ unshare --user --map-user=UID --map-group=GID ── COMMAND                        (the real user, no capability)
 *
 * Descriptors: 1 output of the command, 3 its working directory at the end, 4 what OUTER tells, 5 what it is asked.
 * OUTER tells `started PID` (pid 1 of the inner namespace, as the host counts), `exit N`, `failed STEP`, `answered`.
 *
 * When OUTER says `exit`, the pid namespace is gone: the kernel reaps all of it before `unshare --fork` returns, so nothing
 * writes to the upper folders any more. When node dies, OUTER is killed by the kernel, then `unshare`, then pid 1 and with it
 * all the rest; the mounts go with the last process.
 */
export const outerScript = `
run=$1 root=$2 closing=$3 death=$4
shift 4
trap : TERM INT HUP
fail() { printf 'failed %s\\n' "$1" >&4; exit 125; }
cd -- "$run" || fail folder
exec 6<absent 7<copyup 8>log 9<closed
mount -a -c -T ./table 2>&8 || fail mount
if [ -s absent ]; then (cd -- "$root" && xargs -0 rm -rf -- <&6 2>&8) || fail pending; fi
if [ -s copyup ]; then
  (cd -- "$root" && xargs -0 sh -c 'for folder do
    cp -a -- "$folder" "$folder.galley-copy" && rm -rf -- "$folder" && mv -- "$folder.galley-copy" "$folder" || exit 255
  done' sh <&7 2>&8) || fail copyup
fi
if [ "$closing" = yes ]; then
  xargs -0 -n 1 mount -o remount,bind,ro -- <&9 2>&8 || printf 'open\\n' >&4
fi
if [ "$death" = yes ]; then set -- setpriv --pdeathsig KILL -- "$@"; fi
"$@" 5<&- 6<&- 7<&- 8>&- 9<&- </dev/null
code=$?
exec 1>&- 3>&-
printf 'exit %s\\n' "$code" >&4
while read -r ask <&5; do
  (cd -- "$root" && exec git --no-optional-locks -c core.fsmonitor=false check-ignore --stdin -z) <ask >answer 2>&8
  printf 'answered %s\\n' "$?" >&4
done
exit 0
`

/** The real user and group are mapped back, so that files are made by them and nothing sees a fake root. */
export const innerScript = `
user=$1 group=$2 cwd=$3 path=$4
shift 4
read -r pid rest </proc/self/stat
printf 'started %s\\n' "$pid" >&4
trap : TERM INT HUP
mount -t proc proc /proc 2>/dev/null
exec 2>/dev/null
cd -- "$cwd" || { printf 'failed cwd\\n' >&4; exit 125; }
unshare --user --map-user="$user" --map-group="$group" -- env PATH="$path" "$@" 4>&-
exit $?
`
