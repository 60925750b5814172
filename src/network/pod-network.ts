import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { linkNamesOf } from "#/std/cni/cni-results.ts";
import { loadModule } from "#/std/kernel/kernel-changes.ts";
import { acceptRoutes, routerLinks } from "#/std/kernel/router-links.ts";
import type { Logger } from "#/std/log/log.ts";
import { formatCidr, network, parseCidr } from "#/std/net/cidr.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import { cniConfig, cniFileName } from "./cni-config.ts";
import {
  addressFor,
  gatewayOf,
  isIpv6,
  type NetworkNode,
  tunnelAddress,
  tunnelLocal,
  tunnelMac,
} from "./network-node.ts";
import { PacketRules } from "./packet-rules.ts";
import {
  type ListedLink,
  type NetworkBackend,
  neighbourNetworks,
  type PodRoute,
  planRoutes,
} from "./plan-routes.ts";
import { PodLinks } from "./pod-links.ts";
import { ipv4Routes, ipv6Routes, type KernelRoute } from "./proc-routes.ts";
import { RouteTable, type TunnelEnd } from "./route-table.ts";

/** Size of a tunnel's headers (bytes): those of VXLAN, UDP and Ethernet, and of IPv4 or IPv6. */
const tunnelHeader = (local: string): number => (isIpv6(local) ? 70 : 50);

interface PodNetworkOptions {
  readonly cniDir: string;
  readonly cniDataDir?: string;
  readonly bridge: string;
  readonly clusterCidrs: readonly string[];
  /**
   * Networks of addresses that the proxy rewrites. A route to the bridge makes packets to them reach the proxy's rules;
   * no device has the addresses, so that programs of the node are not reached at them.
   */
  readonly balancerCidrs?: readonly string[];
  readonly backend: NetworkBackend;
  /** MTU of pods; 0 derives it from the link. */
  readonly mtu: number;
  readonly vxlan: { readonly id: number; readonly port: number };
  readonly masquerade: boolean;
  /** Whether packets with false addresses are dropped. */
  readonly antiSpoofing: boolean;
  /** The folders of results of CNI plugins. */
  readonly cniResults?: readonly string[];
  readonly run: RunProgram;
  /** Writes a value below /proc/sys. */
  setKernelValue(path: string, value: string): Promise<unknown>;
  /** Reads a value below /proc/sys. */
  getKernelValue(path: string): Promise<string>;
  /** Reads a file below /proc/net. */
  readProcNet(file: string): Promise<string>;
  readonly log: Logger;
}

/** The state after the last apply(). */
interface AppliedState {
  readonly desired: readonly Omit<KernelRoute, "device">[];
  /** The networks on the machine's links; routes depend on them. */
  readonly links: readonly KernelRoute[];
  readonly ipv6: boolean;
  /** The link with the node's address; undefined if there is none. */
  readonly uplink: ListedLink | undefined;
}

/**
 * The network of this node's pods: a bridge, routes to other nodes, and the CNI configuration of
 * containerd.
 */
export class PodNetwork {
  readonly #options: PodNetworkOptions;
  readonly #routes: RouteTable;
  readonly #rules: PacketRules;
  readonly #podLinks: PodLinks;
  readonly #device: string;
  readonly #clusterCidrs: readonly string[];
  readonly #balancers: readonly string[];
  /** The applied configuration of this node; it is applied again only if it differs. */
  #prepared = "";
  #applied: AppliedState | undefined;
  /** Paths of the kernel settings that were enabled. */
  #enabled: readonly string[] = [];
  #routeCount = 0;

  constructor(options: PodNetworkOptions) {
    this.#options = options;
    this.#device = `k8ts-vxlan${options.vxlan.id}`;
    this.#routes = new RouteTable(options.run, { device: this.#device, ...options.vxlan });
    const linkNames = async () => linkNamesOf(await options.readProcNet("dev"));
    this.#podLinks = new PodLinks(options.bridge, linkNames, options.cniResults);
    this.#rules = new PacketRules(options.run, options.log, () => this.#podLinks.list());
    this.#clusterCidrs = options.clusterCidrs.flatMap(canonical);
    this.#balancers = (options.balancerCidrs ?? []).flatMap(canonical);
  }

  /** Brings everything up to date; `self` is among the nodes, of which the oldest is the first. */
  async apply(self: NetworkNode, nodes: readonly NetworkNode[]): Promise<void> {
    const { backend, bridge, run, log } = this.#options;
    const links = JSON.parse(await run("ip", ["-j", "addr"])) as ListedLink[];
    const others = links.filter(({ ifname }) => ifname !== bridge && ifname !== this.#device);
    const linkNetworks = neighbourNetworks(others, self);
    const clusterNetworks = this.#clusterCidrs.flatMap((text) => parseCidr(text) ?? []);
    const routes = planRoutes(self, nodes, { backend, linkNetworks, clusterNetworks });
    const uplink = findUplink(others, self);
    const mtu = uplink?.mtu ?? 0;
    // Routes first, as they are the most urgent. An error of one step does not stop the others.
    const [routed] = await Promise.allSettled([
      this.#routes.apply(routes, tunnelEnd(self, mtu), this.#balancerCidrs(self)),
    ]);
    const hasTunnel = routes.some(({ tunnel }) => tunnel !== undefined);
    const rules = await this.#prepare(self, hasTunnel ? nodes : []);
    const header = hasTunnel ? tunnelHeader(tunnelLocal(self) ?? "") : 0;
    const podMtu = this.#options.mtu || Math.max(0, mtu - header);
    const { cniDataDir: dataDir = "" } = this.#options;
    const config = cniConfig({ dataDir, bridge, podCidrs: self.podCidrs, mtu: podMtu });
    const written = await this.#writeConfig(config);
    if (written) log.info("wrote the CNI configuration", { podCIDRs: self.podCidrs.join(",") });
    this.#applied = { ...(await this.#observe(self, routes)), uplink };
    if (routed.status === "rejected") throw routed.reason;
    if (rules.status === "rejected") throw rules.reason;
  }

  /** Whether the kernel's routes and settings are unchanged; cheap. */
  async isIntact(): Promise<boolean> {
    if (!this.#applied) return true;
    const values = await Promise.all(this.#enabled.map((path) => this.#kernelValue(path)));
    if (values.some((value) => value !== "1")) return false;
    const { desired, links, ipv6 } = this.#applied;
    const routes = await this.#kernelRoutes(ipv6);
    return (
      desired.every(({ destination, via }) =>
        routes.some((route) => route.destination === destination && route.via === via),
      ) && isDeepStrictEqual(this.#linksOf(routes), links)
    );
  }

  /** Whether a line of `ip -o monitor` says that the link with the node's address has another MTU. */
  isUplinkChanged(line: string): boolean {
    const [, name, mtu] = /^(?:\[LINK\])?\d+: ([^:@\s]+)[^:]*: .* mtu (\d+) /.exec(line) ?? [];
    const uplink = this.#applied?.uplink;
    return uplink !== undefined && name === uplink.ifname && Number(mtu) !== uplink.mtu;
  }

  /** Number of routes in the last check. */
  get routeCount(): number {
    return this.#routeCount;
  }

  /** Allows new Pods their own addresses and no others, and forgets Pods that are gone; cheap without changes. */
  bindPods(): Promise<void> {
    return this.#rules.bindPods();
  }

  /** Makes the next apply() check everything, since another program may have changed it. */
  distrust(): void {
    this.#prepared = "";
  }

  /** Whether a reported removal of packet rules may affect ours. */
  isConcerned(removal: string): boolean {
    return this.#rules.isConcerned(removal);
  }

  /** Whether the kernel reports all such removals. */
  areRulesReported(): Promise<boolean> {
    return this.#rules.areReported();
  }

  /** Removes everything. */
  async remove(): Promise<void> {
    const { run, cniDir, bridge } = this.#options;
    await rm(join(cniDir, cniFileName), { force: true });
    await this.#routes.apply([], undefined, []);
    // The link may not exist.
    await run("ip", ["link", "del", bridge]).catch(() => undefined);
    await this.#rules.remove(this.#clusterCidrs);
  }

  /**
   * Applies the part that does not depend on other nodes, but for those of the tunnel. Packet rules may follow later:
   * pods start without them.
   */
  async #prepare(
    self: NetworkNode,
    tunnelNodes: readonly NetworkNode[],
  ): Promise<PromiseSettledResult<void>> {
    const { bridge, masquerade, antiSpoofing, vxlan } = this.#options;
    const { podCidrs } = self;
    const local = tunnelLocal(self);
    const nodes = tunnelNodes.flatMap((node) => (local && addressFor(node, local)) ?? []).sort();
    const tunnel = nodes.length > 0 ? { port: vxlan.port, nodes: [...new Set(nodes)] } : undefined;
    const key = JSON.stringify([podCidrs, tunnel]);
    if (this.#prepared === key) return { status: "fulfilled", value: undefined };
    await this.#setKernel(podCidrs.some(isIpv6));
    await this.#ensureBridge(podCidrs);
    const balancerCidrs = this.#balancerCidrs(self);
    await this.#routes.ensureLinked(balancerCidrs, bridge);
    const clusterCidrs = this.#clusterCidrs.length > 0 ? this.#clusterCidrs : podCidrs;
    const ensured = this.#rules.ensure({
      bridge,
      masquerade,
      antiSpoofing,
      podCidrs,
      clusterCidrs,
      balancerCidrs,
      tunnel,
    });
    const [result] = await Promise.allSettled([ensured]);
    if (result.status === "fulfilled") this.#prepared = key;
    return result;
  }

  async #observe(
    self: NetworkNode,
    routes: readonly PodRoute[],
  ): Promise<Omit<AppliedState, "uplink">> {
    const ipv6 = self.podCidrs.some(isIpv6);
    const linked = [...self.podCidrs, ...this.#balancerCidrs(self)];
    const own = linked.map((destination) => ({ destination, via: undefined }));
    const links = this.#linksOf(await this.#kernelRoutes(ipv6));
    return { desired: [...own, ...routes], links, ipv6 };
  }

  /** Those of the families that the node's Pods have. */
  #balancerCidrs({ podCidrs }: NetworkNode): readonly string[] {
    return this.#balancers.filter((cidr) => podCidrs.some((own) => isIpv6(own) === isIpv6(cidr)));
  }

  #linksOf(routes: readonly KernelRoute[]): KernelRoute[] {
    const ours = [this.#options.bridge, this.#device];
    return routes.filter(({ via, device, destination }) => {
      const isLocal = destination.startsWith("fe80:") || destination.startsWith("ff");
      return via === undefined && !ours.includes(device) && device !== "lo" && !isLocal;
    });
  }

  async #kernelRoutes(ipv6: boolean): Promise<KernelRoute[]> {
    const { readProcNet } = this.#options;
    const found = ipv4Routes(await readProcNet("route"));
    if (ipv6) found.push(...ipv6Routes(await readProcNet("ipv6_route")));
    this.#routeCount = found.length;
    return found;
  }

  /**
   * Enables forwarding, and netfilter rules for packets within the bridge, which the proxy needs.
   */
  async #setKernel(ipv6: boolean): Promise<void> {
    const { run, log } = this.#options;
    await loadModule("br_netfilter", run);
    if (ipv6) await this.#keepRouters();
    const values = [
      "net/ipv4/ip_forward",
      ...(ipv6 ? ["net/ipv6/conf/all/forwarding", "net/bridge/bridge-nf-call-ip6tables"] : []),
      "net/bridge/bridge-nf-call-iptables",
    ];
    const enabled: string[] = [];
    for (const path of values) {
      try {
        await this.#options.setKernelValue(path, "1");
        enabled.push(path);
      } catch (error) {
        log.error(error, "failed to change kernel setting", { path });
      }
    }
    this.#enabled = enabled;
  }

  /** The machine keeps the routes that it has from routers. */
  async #keepRouters(): Promise<void> {
    const { run, setKernelValue } = this.#options;
    for (const path of (await routerLinks(run)).map(acceptRoutes)) {
      if ((await this.#kernelValue(path)) === "1") await setKernelValue(path, "2");
    }
  }

  /** Empty if it can't be read any more: the module of bridges may be gone. */
  async #kernelValue(path: string): Promise<string> {
    return (await this.#options.getKernelValue(path).catch(() => "")).trim();
  }

  /**
   * The CNI plugin would create the bridge with the first pod; servers that listen on it need it
   * before.
   */
  async #ensureBridge(podCidrs: readonly string[]): Promise<void> {
    const { run, bridge } = this.#options;
    const shown = await run("ip", ["-j", "link", "show", "dev", bridge]).catch(() => "");
    const exists = shown !== "";
    const [found] = exists ? (JSON.parse(shown) as readonly { readonly address?: string }[]) : [];
    const address = found?.address ?? tunnelMac(gatewayOf(podCidrs[0] ?? ""));
    if (!exists) await run("ip", ["link", "add", bridge, "address", address, "type", "bridge"]);
    // An address that was set stays. Otherwise it changes with the Pods, which lose their gateway for seconds.
    await run("ip", ["link", "set", bridge, "address", address, "up"]);
    // Links of running Pods outlive a bridge that another program has deleted.
    if (!exists) await this.#attachPods();
    for (const cidr of podCidrs) {
      const gateway = `${gatewayOf(cidr)}/${cidr.split("/")[1]}`;
      const flags = isIpv6(cidr) ? ["nodad"] : [];
      await run("ip", ["addr", "replace", gateway, "dev", bridge, ...flags]);
    }
  }

  /** Attaches the Pods' links as the CNI plugin does: a Pod may reach itself by a Service. */
  async #attachPods(): Promise<void> {
    const { run, bridge, log } = this.#options;
    for (const { name } of await this.#podLinks.list()) {
      try {
        await run("ip", ["link", "set", name, "master", bridge, "up"]);
        await run("ip", ["link", "set", name, "type", "bridge_slave", "hairpin", "on"]);
      } catch (error) {
        // The Pod may just have ended.
        log.error(error, "failed to attach the link of a Pod", { link: name });
      }
    }
  }

  /**
   * Returns whether the file has changed. Written atomically, so that a runtime never reads half of
   * it.
   */
  async #writeConfig(text: string): Promise<boolean> {
    const { cniDir } = this.#options;
    const path = join(cniDir, cniFileName);
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) return false;
    await mkdir(cniDir, { recursive: true, mode: 0o755 });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
    return true;
  }
}

/** The network as the kernel prints it. */
function canonical(text: string): string[] {
  const cidr = parseCidr(text);
  return cidr ? [formatCidr(network(cidr))] : [];
}

/** The link with the node's address. */
function findUplink(links: readonly ListedLink[], { ips }: NetworkNode): ListedLink | undefined {
  return links.find(({ addr_info }) => addr_info.some(({ local }) => ips.includes(local)));
}

/** This node's end of the tunnel; undefined if it has no address. */
function tunnelEnd(self: NetworkNode, mtu: number): TunnelEnd | undefined {
  const local = tunnelLocal(self);
  if (local === undefined) return undefined;
  const fitting = Math.max(0, mtu - tunnelHeader(local));
  const addresses = self.podCidrs.map(tunnelAddress);
  return { local, addresses, mac: tunnelMac(local), mtu: fitting };
}
