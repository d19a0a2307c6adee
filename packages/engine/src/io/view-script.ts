/**
 * The two sh texts that run a view. Paths and the command come as arguments and files, never as text.
 *
 *     node ── setpriv --pdeathsig KILL ── unshare --user --map-root-user --mount --pid --fork --kill-child
 *       └ sh OUTER                                              (pid 1 of the outer namespace: mounts, lists afterwards)
 *           └ unshare --mount-proc --pid --fork ── sh INNER      (pid 1 of the inner one: takes the command's children with it)
 *               └ unshare --user --map-user=UID --map-group=GID ── COMMAND       (the real user, without any capability)
 *
 * Descriptors: 1 output of the command, 3 its working directory at the end, 4 what the scripts tell, 5 what OUTER is asked.
 * Told: `outer PID` (as the host counts), `started`, `open`, `exit N`, `failed STEP`, `answered N`.
 *
 * Asked: `end MARK` (writes the mark behind the command's output: `unshare` keeps the pipe open, so its end tells nothing),
 * `ignored`.
 *
 * The folder `io` is a mount of its own: a mount with a file open for writing cannot be made read-only.
 *
 * When OUTER says `exit`, the inner pid namespace is gone: the kernel reaps all of it before `unshare --fork` returns, so
 * nothing writes to the upper folders any more. When node dies, the kernel kills `unshare`, then OUTER, and with it all
 * the rest; the mounts go with the last process.
 *
 * Each program started costs about a millisecond, so there are as few as the kernel lets us: `mount -a` makes all mounts but the
 * read-only remounts, which it skips.
 */
export const outerScript = `
run=$1 root=$2 closing=$3
shift 3
trap : TERM INT HUP
read -r pid rest </proc/self/stat
printf 'outer %s\\n' "$pid" >&4
fail() { printf 'failed %s\\n' "$1" >&4; exit 125; }
cd -- "$run" || fail folder
exec 6<absent 7<copyup
mount -a -c -T ./table 2>io/log || fail mount
if [ -s absent ]; then (cd -- "$root" && xargs -0 rm -rf -- <&6) 2>io/log || fail pending; fi
if [ -s copyup ]; then
  (cd -- "$root" && xargs -0 sh -c 'for folder do
    cp -a -- "$folder" "$folder.galley-copy" && rm -rf -- "$folder" && mv -- "$folder.galley-copy" "$folder" || exit 255
  done' sh <&7) 2>io/log || fail copyup
fi
while [ "$closing" -gt 0 ]; do
  mount -o remount,bind,ro -- "$1" 2>io/log || printf 'open\\n' >&4
  shift
  closing=$((closing - 1))
done
"$@" 5<&- 6<&- 7<&- </dev/null
code=$?
printf 'exit %s\\n' "$code" >&4
while read -r ask mark <&5; do
  if [ "$ask" = end ]; then printf %s "$mark"; continue; fi
  (cd -- "$root" && exec git --no-optional-locks -c core.fsmonitor=false check-ignore --no-index --stdin -z) <io/ask >io/answer 2>/dev/null
  printf 'answered %s\\n' "$?" >&4
done
exit 0
`

/** The real user and group are mapped back, so that files are made by them and nothing sees a fake root. */
export const innerScript = `
user=$1 group=$2 cwd=$3 path=$4
shift 4
trap : TERM INT HUP
printf 'started\\n' >&4
exec 2>/dev/null
cd -- "$cwd" || { printf 'failed cwd\\n' >&4; exit 125; }
unshare=$(command -v unshare)
PATH=$path
export PATH
"$unshare" --user --map-user="$user" --map-group="$group" -- "$@" 4>&-
exit $?
`
