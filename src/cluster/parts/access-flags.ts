import { accessFile, type ClusterPaths } from "../base/paths.ts";
import type { ClusterSettings } from "../base/settings.ts";
import type { Flags } from "./part.ts";

/** The flags by which a component of the server reaches the API, and serves its own endpoints on this machine only. */
export function accessFlags(paths: ClusterPaths, who: string): Flags {
  const file = accessFile(paths, who);
  return {
    kubeconfig: file,
    "authentication-kubeconfig": file,
    "authorization-kubeconfig": file,
    "bind-address": "127.0.0.1",
  };
}

/**
 * Times (s) of leader elections among servers: a leader that is gone is replaced within seconds. A renewal costs a write, and
 * a leader must survive the election of a new leader of etcd, which takes up to three seconds.
 */
export const leaderSeconds = { lease: 5, renew: 4, retry: 1 } as const;

/** On one server there is nothing to elect; on etcd there may be others, also upstream's. */
export const leaderFlags = ({ etcd }: Pick<ClusterSettings, "etcd">): Flags =>
  etcd
    ? {
        "leader-elect": true,
        "leader-elect-lease-duration": `${leaderSeconds.lease}s`,
        "leader-elect-renew-deadline": `${leaderSeconds.renew}s`,
        "leader-elect-retry-period": `${leaderSeconds.retry}s`,
      }
    : { "leader-elect": false };

/** The same for the configuration file of a component. */
export const leaderElection = ({ etcd }: Pick<ClusterSettings, "etcd">): object =>
  etcd
    ? {
        leaderElect: true,
        leaseDuration: `${leaderSeconds.lease}s`,
        renewDeadline: `${leaderSeconds.renew}s`,
        retryPeriod: `${leaderSeconds.retry}s`,
      }
    : { leaderElect: false };
