#!/bin/sh
# supervise.sh FOLDER NAME COMMAND...
#
# Keeps COMMAND running, whatever ends it: process id in FOLDER/run/NAME.pid, output in FOLDER/log/NAME.log. A process that is
# still there from an earlier supervisor is kept, not started again. Killing the supervisor does not end the process. A
# process that ends within ten seconds of its start is started again after a pause, longer each time, up to five seconds.
# FOLDER/run/NAME.ends has the number of such ends, and the last exit code. The process is protected from the kernel's
# out-of-memory killer, where that is permitted.
set -u
# What the supervisor writes is for root only; the process has the usual umask, whatever the user's is.
umask 077
folder=$1 name=$2
shift 2
run=$folder/run log=$folder/log/$name.log

exec 9>"$run/$name.lock"
tries=0
until flock -n 9; do
  # A child of a supervisor that was killed may hold its lock for a moment; one that is alive, or is being stopped, keeps it.
  { read -r other <"$run/$name.supervisor.pid"; } 2>/dev/null || exit 0
  ! kill -0 "$other" 2>/dev/null || exit 0
  tries=$((tries + 1))
  [ $tries -le 20 ] || exit 0
  sleep 0.1 9>&-
done
echo $$ >"$run/$name.supervisor.pid"
end() { rm -f "$run/$name.supervisor.pid"; exit 0; }
trap end TERM INT

# True if the recorded process is alive, and not another one with its id.
is_ours() {
  [ -s "$run/$name.pid" ] && read -r pid started <"$run/$name.pid" || return 1
  state=$(cut -d' ' -f3,22 "/proc/$pid/stat" 2>/dev/null) || return 1
  # A process that has ended is a zombie until its parent has waited for it.
  case $state in Z*) return 1 ;; esac
  [ "${state#* }" = "$started" ]
}

# record NAME VALUE...: writes over the file in place, in a fixed width. This needs no space on a full disk; a file that is
# emptied first may stay empty.
record() {
  file=$run/$1
  shift
  printf '%-12s%-20s\n' "$1" "${2:-}" 1<>"$file"
}

failures=0 ends=0
rm -f "$run/$name.ends"
# A cluster that was removed needs none of its programs.
while [ -d "$run" ]; do
  began=$(date +%s)
  if is_ours; then
    while is_ours; do sleep 1 9>&- & wait $!; done
  else
    # The process has its own session, and doesn't hold the supervisor's lock.
    # The program that ends the supervisor ends the process next: its id must be recorded by then.
    asked=
    trap 'asked=yes' TERM INT
    (umask 022 && exec setsid "$@") >>"$log" 2>&1 </dev/null 9>&- &
    pid=$!
    record "$name.pid" "$pid" "$(cut -d' ' -f22 "/proc/$pid/stat" 2>/dev/null)"
    trap end TERM INT
    [ -z "$asked" ] || end
    (echo -999 >"/proc/$pid/oom_score_adj") 2>/dev/null 9>&-
    wait "$pid"
    code=$?
    echo "supervise: $name ended with code $code" >>"$log"
    ends=$((ends + 1))
    record "$name.ends" "$ends" "$code"
  fi
  if [ $(($(date +%s) - began)) -ge 10 ]; then failures=0; continue; fi
  failures=$((failures + 1))
  case $failures in 1) pause=0.2 ;; 2) pause=1 ;; 3) pause=2 ;; *) pause=5 ;; esac
  sleep $pause 9>&- & wait $!
done
