import type { Protocol } from "#/api/core/v1.ts";
import type { VirtualServer } from "./fragment.ts";
import type { InstalledRealServer, InstalledServer, Scheduling } from "./installed-servers.ts";

/** Commands for virtual servers, as input of `ipvsadm -R`. */
export interface ServerPlan {
  /** Additions and changes, and removals of real servers. */
  readonly changes: readonly string[];
  /** Removals of virtual servers. */
  readonly removals: readonly string[];
  /** The servers after both, by serverKey; undefined for removed ones. */
  readonly after: ReadonlyMap<string, InstalledServer | undefined>;
}

interface PlanOptions extends Scheduling {
  /** The desired server of a key, if there is one. */
  wanted(key: string): VirtualServer | undefined;
  readonly installed: ReadonlyMap<string, InstalledServer>;
}

/** Compares the servers of these keys with the kernel's. */
export function planServers(keys: Iterable<string>, options: PlanOptions): ServerPlan {
  const changes: string[] = [];
  const removals: string[] = [];
  const after = new Map<string, InstalledServer | undefined>();
  for (const key of keys) {
    const wanted = options.wanted(key);
    const installed = options.installed.get(key);
    if (!wanted) {
      if (installed) removals.push(`-D ${addressOf(installed)}`);
      after.set(key, undefined);
      continue;
    }
    const { scheduler, flag } = options;
    const settings = `${addressOf(wanted)} ${settingsOf({ ...wanted, scheduler, flag })}`;
    if (!installed) changes.push(`-A ${settings}`);
    else if (settings !== `${addressOf(installed)} ${settingsOf(installed)}`) {
      changes.push(`-E ${settings}`);
    }
    const realServers = planRealServers(wanted, installed?.realServers ?? new Map(), changes);
    const { protocol, address, persistenceSeconds } = wanted;
    after.set(key, { protocol, address, persistenceSeconds, scheduler, flag, realServers });
  }
  return { changes, removals, after };
}

/**
 * Connections of TCP continue after the removal of their real server, which gets no new ones. UDP and
 * SCTP have no end that the kernel could see.
 */
function isGraceful(protocol: Protocol): boolean {
  return protocol === "TCP";
}

function planRealServers(
  wanted: VirtualServer,
  installed: ReadonlyMap<string, InstalledRealServer>,
  changes: string[],
): Map<string, InstalledRealServer> {
  const after = new Map<string, InstalledRealServer>();
  for (const real of wanted.realServers) {
    const before = installed.get(real);
    if (!before) changes.push(`-a ${addressOf(wanted)} -r ${real} -m -w 1`);
    else if (before.weight !== 1) changes.push(`-e ${addressOf(wanted)} -r ${real} -m -w 1`);
    after.set(real, { weight: 1, connections: before?.connections ?? 0 });
  }
  for (const [real, { weight, connections }] of installed) {
    if (after.has(real)) continue;
    if (!isGraceful(wanted.protocol) || connections === 0) {
      changes.push(`-d ${addressOf(wanted)} -r ${real}`);
      continue;
    }
    if (weight !== 0) changes.push(`-e ${addressOf(wanted)} -r ${real} -m -w 0`);
    after.set(real, { weight: 0, connections });
  }
  return after;
}

/** The servers that lose real servers, for which the number of connections decides when. */
export function serversInNeedOfCounts(keys: Iterable<string>, options: PlanOptions): string[] {
  return [...keys].filter((key) => {
    const wanted = options.wanted(key);
    if (!wanted || !isGraceful(wanted.protocol)) return false;
    const kept = new Set(wanted.realServers);
    return [...(options.installed.get(key)?.realServers.keys() ?? [])].some(
      (each) => !kept.has(each),
    );
  });
}

/** Whether the kernel has other servers than the desired ones, apart from those about to be removed. */
export function serversDiffer(keys: Iterable<string>, options: PlanOptions): boolean {
  return [...keys].some((key) => {
    const wanted = options.wanted(key);
    const installed = options.installed.get(key);
    if (!wanted || !installed) return wanted !== installed;
    const { scheduler, flag } = options;
    if (settingsOf({ ...wanted, scheduler, flag }) !== settingsOf(installed)) return true;
    const serving = [...installed.realServers].filter(([, { weight }]) => weight !== 0);
    const desired = new Set(wanted.realServers);
    return serving.length !== desired.size || serving.some(([real]) => !desired.has(real));
  });
}

/** The removal of real servers whose last connection has ended. */
export function idleRemovals(options: PlanOptions): string[] {
  return [...options.installed].flatMap(([key, installed]) => {
    const desired = new Set(options.wanted(key)?.realServers);
    return [...installed.realServers].flatMap(([real, { weight, connections }]) =>
      weight === 0 && connections === 0 && !desired.has(real)
        ? [`-d ${addressOf(installed)} -r ${real}`]
        : [],
    );
  });
}

const protocolFlags = { TCP: "-t", UDP: "-u", SCTP: "--sctp-service" } as const;

/** A virtual server's address as arguments. */
export function addressOf({ protocol, address }: Pick<VirtualServer, "protocol" | "address">) {
  return `${protocolFlags[protocol]} ${address}`;
}

function settingsOf(server: Scheduling & Pick<VirtualServer, "persistenceSeconds">): string {
  const { scheduler, flag, persistenceSeconds } = server;
  const persistence = persistenceSeconds === 0 ? "" : ` -p ${persistenceSeconds}`;
  return `-s ${scheduler}${persistence}${flag === "" ? "" : ` -b ${flag}`}`;
}
