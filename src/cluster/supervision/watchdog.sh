#!/bin/sh
# watchdog.sh FIFO COMMAND...
#
# Runs COMMAND in place of this process, and beside it a process that kills it when it hangs. COMMAND writes a byte to the
# file descriptor K8TS_HEARTBEAT_FD every few seconds. It is killed when none arrives twice in a row for
# K8TS_HEARTBEAT_SECONDS (30): twice, because a machine that wakes up has missed one. Its supervisor then starts it again.
# Before its first heartbeat it has ten minutes, for the installation of packages. When it ends, so does the process beside it.
set -u
fifo=$1
shift
rm -f "$fifo"
mkfifo -m 600 "$fifo" 2>/dev/null || exec "$@"
exec 3<>"$fifo"
program=$$
(
  exec 4<"$fifo" 3>&- </dev/null
  rm -f "$fifo"
  limit=300 misses=0
  while :; do
    beat=$(timeout "$limit" head -c 1 <&4)
    code=$?
    if [ -n "$beat" ]; then
      limit=${K8TS_HEARTBEAT_SECONDS:-30} misses=0
      continue
    fi
    # The program has ended, or one that is needed here can't run.
    case $code in 0 | 125 | 126 | 127) exit 0 ;; esac
    misses=$((misses + 1))
    [ $misses -ge 2 ] || continue
    echo "watchdog: process $program has sent no heartbeat for $((2 * limit)) s: it is killed"
    kill -KILL $program
    exit 0
  done
) &
export K8TS_HEARTBEAT_FD=3
exec "$@"
