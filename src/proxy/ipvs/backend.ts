import { KeyedLock } from "#/std/async/keyed-lock.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Cidr } from "#/std/net/cidr.ts";
import { isLoopback, parseNetIp } from "#/std/net/ip.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { type Backend, paced, type SyncRequest } from "../base/backend.ts";
import type { ProxyMetrics } from "../base/metrics.ts";
import { servingIps } from "../base/node-port-addresses.ts";
import type { RuleOptions } from "../base/rule-options.ts";
import type { InstalledAddresses } from "./installed-addresses.ts";
import { type InstalledServer, isWithin } from "./installed-servers.ts";
import { changeSet, createSets } from "./installed-sets.ts";
import { IpvsKernel } from "./ipvs-kernel.ts";
import { IpvsTables } from "./ipvs-tables.ts";
import { setNames } from "./names.ts";
import {
  idleRemovals,
  planServers,
  type ServerPlan,
  serversDiffer,
  serversInNeedOfCounts,
} from "./plan-servers.ts";
import { IpvsRuleset } from "./ruleset.ts";
import { type NodeAddresses, serviceFragment } from "./service-fragment.ts";

interface IpvsBackendOptions {
  readonly rules: RuleOptions;
  /** How the kernel chooses an endpoint. */
  readonly scheduler: string;
  /** Virtual servers with such addresses belong to other programs. */
  readonly excludeCidrs: readonly Cidr[];
  readonly run: RunProgram;
  readonly metrics: ProxyMetrics;
  readonly log: Logger;
}

/** The changes of one sync, in the order in which they are written. */
interface SyncPlan {
  readonly servers: ServerPlan;
  readonly addedAddresses: readonly string[];
  readonly sets: readonly string[];
  readonly removedAddresses: readonly string[];
}

/** Maintains the virtual servers of one family, and the addresses, sets and rules that they need. */
export class IpvsBackend implements Backend {
  readonly #options: IpvsBackendOptions;
  readonly #kernel: IpvsKernel;
  readonly #tables: IpvsTables;
  readonly #ruleset = new IpvsRuleset();
  /** Orders syncs and removals of idle servers. */
  readonly #lock = new KeyedLock();
  /** The kernel's servers after the last sync. */
  #installed = new Map<string, InstalledServer>();
  #node: NodeAddresses = { all: new Set(), nodePorts: [] };

  constructor(options: IpvsBackendOptions) {
    const { rules, run, log } = options;
    this.#options = options;
    this.#kernel = new IpvsKernel(rules.family, run, log);
    this.#tables = new IpvsTables(options);
  }

  async sync(request: SyncRequest): Promise<void> {
    await this.#lock.run("", () => this.#sync(request));
  }

  async removed(): Promise<boolean> {
    return await this.#lock.run("", async () => {
      try {
        return (await this.#tables.removed()) || (await this.#differs());
      } catch {
        return true;
      }
    });
  }

  isConcerned(removal: string): boolean {
    return this.#tables.isConcerned(removal);
  }

  async removeIdle(): Promise<void> {
    await this.#lock.run("", async () => {
      const isEnding = ({ realServers }: InstalledServer): boolean =>
        [...realServers.values()].some(({ weight }) => weight === 0);
      const ending = [...this.#installed].filter(([, server]) => isEnding(server));
      if (ending.length === 0) return;
      await this.#refresh(ending.map(([key]) => key));
      const lines = idleRemovals(this.#planOptions());
      await this.#kernel.changeServers(lines);
      if (lines.length > 0) await this.#refresh(ending.map(([key]) => key));
    });
  }

  async #sync({ full, services }: SyncRequest): Promise<void> {
    const { rules } = this.#options;
    const addresses = full ? await this.#kernel.addresses() : undefined;
    if (addresses) {
      this.#ruleset.clear();
      this.#node = this.#nodeAddresses(addresses);
      if (!addresses.hasDevice) await this.#kernel.addDevice();
    }
    for await (const [key, ports] of paced(services)) {
      const fragment = ports.length > 0 ? serviceFragment(ports, rules, this.#node) : undefined;
      this.#ruleset.set(key, fragment);
    }
    const plan = addresses ? await this.#planAll(addresses) : await this.#planChanges();
    await this.#write(plan, full);
  }

  async #planAll({ bound }: InstalledAddresses): Promise<SyncPlan> {
    const { family } = this.#options.rules;
    this.#installed = await this.#kernel.servers();
    this.#ruleset.takeTouchedServers();
    this.#ruleset.takeSetChanges();
    const existing = await this.#kernel.sets();
    const changes = setNames.flatMap((set) => {
      const wanted = new Set(this.#ruleset.entries(set));
      const installed = existing[set] ?? new Set<string>();
      const [added, removed] = [wanted.difference(installed), installed.difference(wanted)];
      return changeSet({ set, added, removed }, family);
    });
    const wanted = new Set(this.#ruleset.entries("KUBE-IPVS-IPS"));
    return {
      servers: planServers(this.#allKeys(), this.#planOptions()),
      addedAddresses: [...wanted.difference(bound)],
      sets: [...createSets(family), ...changes],
      removedAddresses: [...bound.difference(wanted)],
    };
  }

  async #planChanges(): Promise<SyncPlan> {
    const keys = this.#ruleset.takeTouchedServers();
    await this.#refresh(serversInNeedOfCounts(keys, this.#planOptions()));
    const changes = this.#ruleset.takeSetChanges();
    const bound = changes.find(({ set }) => set === "KUBE-IPVS-IPS");
    return {
      servers: planServers(keys, this.#planOptions()),
      addedAddresses: bound?.added ?? [],
      sets: changes.flatMap((each) => changeSet(each, this.#options.rules.family)),
      removedAddresses: bound?.removed ?? [],
    };
  }

  /** Additions come first, in an order in which no packet meets an address without its server. */
  async #write(plan: SyncPlan, full: boolean): Promise<void> {
    await this.#kernel.changeServers(plan.servers.changes);
    await this.#kernel.addAddresses(plan.addedAddresses);
    await this.#kernel.changeSets(plan.sets);
    await this.#tables.write(this.#ruleset, full);
    await this.#kernel.removeAddresses(plan.removedAddresses);
    await this.#kernel.changeServers(plan.servers.removals);
    for (const [key, server] of plan.servers.after) {
      if (server) this.#installed.set(key, server);
      else this.#installed.delete(key);
    }
  }

  /** Lists the connections of some servers. */
  async #refresh(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const found = await this.#kernel.listedServers(this.#installed);
    for (const key of keys) {
      const server = found.get(key);
      if (server) this.#installed.set(key, server);
      else this.#installed.delete(key);
    }
  }

  /** Whether another program has changed servers, sets or addresses, or the node's addresses differ. */
  async #differs(): Promise<boolean> {
    const { bound, node } = await this.#kernel.addresses();
    const wanted = new Set(this.#ruleset.entries("KUBE-IPVS-IPS"));
    if (bound.symmetricDifference(wanted).size > 0) return true;
    if (node.symmetricDifference(this.#node.all).size > 0) return true;
    const sets = await this.#kernel.sets();
    const setDiffers = setNames.some((set) => {
      const entries = new Set(this.#ruleset.entries(set));
      return !sets[set] || sets[set].symmetricDifference(entries).size > 0;
    });
    if (setDiffers) return true;
    const installed = await this.#kernel.listedServers(this.#installed);
    const keys = this.#allKeys(installed);
    return serversDiffer(keys, { ...this.#planOptions(), installed });
  }

  /** The desired servers and the kernel's, without those of other programs. */
  #allKeys(installed: ReadonlyMap<string, InstalledServer> = this.#installed): Set<string> {
    const { excludeCidrs } = this.#options;
    const ours = [...installed].filter(([, { address }]) => !isWithin(excludeCidrs, address));
    return new Set([...this.#ruleset.serverKeys(), ...ours.map(([key]) => key)]);
  }

  #planOptions() {
    const { scheduler } = this.#options;
    return {
      scheduler,
      flag: scheduler === "mh" ? "mh-port" : "",
      wanted: (key: string) => this.#ruleset.server(key),
      installed: this.#installed,
    };
  }

  #nodeAddresses({ node }: InstalledAddresses): NodeAddresses {
    const { family, nodePorts } = this.#options.rules;
    const serving = servingIps(family, nodePorts, [...node]).filter((text) => {
      const ip = parseNetIp(text);
      return ip !== undefined && !isLoopback(ip);
    });
    return { all: node, nodePorts: serving };
  }
}
