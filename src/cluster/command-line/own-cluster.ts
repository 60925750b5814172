import { isDenied, NeedsRoot } from "../base/needs-root.ts";
import { ownCommand } from "../base/own-command.ts";
import { type LockHolder, lockCluster } from "../machine/cluster-lock.ts";

/** Locks a cluster for a command that changes it; waits for another command that has the lock. */
export const ownCluster = (cluster: string, command: string): Promise<AsyncDisposable> =>
  take(cluster, command, {
    onWait: (holder) => print(`waiting for ${holderText(holder)}`),
  });

/** Locks a cluster for a command that stops it; ends another command that has the lock. */
export const seizeCluster = (cluster: string, command: string): Promise<AsyncDisposable> =>
  take(cluster, command, {
    onWait(holder) {
      if (holder.command === command) return print(`waiting for ${holderText(holder)}`);
      print(`ending ${holderText(holder)}`);
      process.kill(holder.pid, "SIGTERM");
    },
  });

const take: typeof lockCluster = async (cluster, command, options) => {
  // Files without a mode of their own, and those of programs that are started, don't depend on the user's umask.
  process.umask(0o022);
  try {
    return await lockCluster(cluster, command, options);
  } catch (error) {
    if (isDenied(error)) throw new NeedsRoot(ownCommand(command));
    throw error;
  }
};

const holderText = ({ pid, command }: LockHolder): string =>
  `k8ts ${command} (process ${pid}), which is at work on this cluster`;

const print = (text: string): void => void process.stderr.write(`k8ts: ${text}\n`);
