import type { Machine } from "../machine/preflight.ts";

/** What is read of a machine; what can't be read is undefined. */
export interface MachineFacts {
  readonly machine: Machine;
  readonly proxyMode: string;
  readonly ipv6: boolean;
  /** Debian packages that are missing, and whether they can be installed. */
  readonly missingPackages: readonly string[];
  readonly hasApt: boolean;
  readonly disk: DiskFacts;
  readonly availableMemoryMiB: number | undefined;
  /** Whether a swap device is in use. */
  readonly hasSwap: boolean;
  /** Limits of inotify per user. */
  readonly inotifyInstances: number | undefined;
  readonly inotifyWatches: number | undefined;
  readonly pidMax: number | undefined;
  /** The servers of the resolv.conf that Pods get, and those that answered. */
  readonly dnsServers: readonly string[];
  readonly answeringDnsServers: readonly string[];
  readonly address: string | undefined;
  /** Whether some program keeps the clock right; undefined if that is unknown. */
  readonly isClockKept: boolean | undefined;
  readonly now: number;
  /** When the newest file of this program was made: the clock can't be before it. */
  readonly madeAt: number;
  /** Rules that a closed firewall needs. */
  readonly firewallHints: readonly string[];
  readonly ports: readonly PortFact[];
  readonly risks: readonly string[];
}

interface DiskFacts {
  /** The folder, or the nearest one above that is there. */
  readonly folder: string;
  readonly freeMiB: number;
  readonly usedPercent: number;
  readonly usedInodesPercent: number;
  readonly fileSystem: string;
}

interface PortFact {
  readonly port: number;
  readonly purpose: string;
  /** Why it can't be used; undefined if it can, or the cluster itself uses it. */
  readonly problem: string | undefined;
}
