import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Cidr, parseCidr } from "#/std/cidr.ts";
import type { Logger } from "#/std/log.ts";
import { ProgramError, type RunProgram } from "#/std/run-program.ts";
import { cniConfig, cniFileName } from "./cni-config.ts";
import {
  type MasqueradeOptions,
  masqueradeChain,
  masqueradeCommands,
  masqueradeRestore,
  masqueradeTable,
} from "./masquerade.ts";
import {
  addressFor,
  gatewayOf,
  isIpv6,
  type NetworkNode,
  tunnelAddress,
  tunnelMac,
} from "./network-node.ts";
import { type NetworkBackend, planRoutes } from "./plan-routes.ts";
import { RouteTable, type TunnelEnd } from "./route-table.ts";

/** What a tunnel adds to each packet. */
const tunnelHeader = 50;

export interface PodNetworkOptions {
  readonly cniDir: string;
  readonly cniDataDir?: string;
  readonly bridge: string;
  readonly clusterCidrs: readonly string[];
  readonly backend: NetworkBackend;
  /** 0 means: find out. */
  readonly mtu: number;
  readonly vxlan: { readonly id: number; readonly port: number };
  readonly masquerade: boolean;
  readonly run: RunProgram;
  /** Sets a value below /proc/sys. */
  setKernelValue(path: string, value: string): Promise<void>;
  readonly log: Logger;
}

/** The network of this node's pods: a bridge, ways to other nodes, and what containerd is told. */
export class PodNetwork {
  readonly #options: PodNetworkOptions;
  readonly #routes: RouteTable;
  readonly #device: string;
  /** What was set up for this node, so that it is done again only if it differs. */
  #prepared = "";

  constructor(options: PodNetworkOptions) {
    this.#options = options;
    this.#device = `k8ts-vxlan${options.vxlan.id}`;
    this.#routes = new RouteTable(options.run, { device: this.#device, ...options.vxlan });
  }

  /** Brings everything up to date; `self` is among the nodes. */
  async apply(self: NetworkNode, nodes: readonly NetworkNode[]): Promise<void> {
    const { backend, bridge, run, log } = this.#options;
    await this.#prepare(self);
    const links = JSON.parse(await run("ip", ["-j", "addr"])) as ListedLink[];
    const others = links.filter(({ ifname }) => ifname !== bridge && ifname !== this.#device);
    const linkNetworks = others.flatMap(networksOf);
    const routes = planRoutes(self.name, nodes, { backend, linkNetworks });
    await this.#routes.apply(routes, tunnelEnd(self));
    const header = routes.some(({ tunnel }) => tunnel !== undefined) ? tunnelHeader : 0;
    const mtu = this.#options.mtu || (linkMtu(others, self) ?? header) - header;
    const { cniDataDir: dataDir = "" } = this.#options;
    const config = cniConfig({ dataDir, bridge, podCidrs: self.podCidrs, mtu });
    const written = await this.#writeConfig(config);
    if (written) log.info("wrote the CNI configuration", { podCIDRs: self.podCidrs.join(",") });
  }

  /** Takes everything away. */
  async remove(): Promise<void> {
    const { run, cniDir, bridge } = this.#options;
    await rm(join(cniDir, cniFileName), { force: true });
    await this.#routes.apply([], undefined);
    // What isn't there needn't be removed.
    const quietly = (program: string, args: string[]): Promise<unknown> =>
      run(program, args).catch(() => undefined);
    await quietly("ip", ["link", "del", bridge]);
    for (const ip of ["ip", "ip6"]) await quietly("nft", ["delete", "table", ip, masqueradeTable]);
    for (const program of ["iptables", "ip6tables"]) {
      await quietly(program, ["-t", "nat", "-D", "POSTROUTING", "-j", masqueradeChain]);
      await quietly(program, ["-t", "nat", "-F", masqueradeChain]);
      await quietly(program, ["-t", "nat", "-X", masqueradeChain]);
    }
  }

  async #prepare(self: NetworkNode): Promise<void> {
    const key = self.podCidrs.join(",");
    if (this.#prepared === key) return;
    await this.#setKernel(self.podCidrs.some(isIpv6));
    await this.#ensureBridge(self.podCidrs);
    if (this.#options.masquerade) await this.#ensureMasquerade(self.podCidrs);
    this.#prepared = key;
  }

  /** Packets must be forwarded, and those within the bridge must see the proxy's rules, too. */
  async #setKernel(ipv6: boolean): Promise<void> {
    const { run, log } = this.#options;
    // Where it is part of the kernel there is nothing to load.
    await run("modprobe", ["br_netfilter"]).catch(() => undefined);
    const values = [
      "net/ipv4/ip_forward",
      ...(ipv6 ? ["net/ipv6/conf/all/forwarding", "net/bridge/bridge-nf-call-ip6tables"] : []),
      "net/bridge/bridge-nf-call-iptables",
    ];
    for (const path of values) {
      try {
        await this.#options.setKernelValue(path, "1");
      } catch (error) {
        log.error(error, "a kernel setting can't be changed", { path });
      }
    }
  }

  /** The CNI plugin would make the bridge with the first pod; what listens on it needs it before. */
  async #ensureBridge(podCidrs: readonly string[]): Promise<void> {
    const { run, bridge } = this.#options;
    const exists = await run("ip", ["link", "show", "dev", bridge]).then(
      () => true,
      () => false,
    );
    if (!exists) await run("ip", ["link", "add", bridge, "type", "bridge"]);
    await run("ip", ["link", "set", bridge, "up"]);
    for (const cidr of podCidrs) {
      const address = `${gatewayOf(cidr)}/${cidr.split("/")[1]}`;
      const flags = isIpv6(cidr) ? ["nodad"] : [];
      await run("ip", ["addr", "replace", address, "dev", bridge, ...flags]);
    }
  }

  async #ensureMasquerade(podCidrs: readonly string[]): Promise<void> {
    const { run, clusterCidrs } = this.#options;
    const options = { podCidrs, clusterCidrs: clusterCidrs.length > 0 ? clusterCidrs : podCidrs };
    try {
      await run("nft", ["-f", "-"], masqueradeCommands(options));
    } catch (error) {
      const isMissing = error instanceof ProgramError && error.exitCode === undefined;
      if (!isMissing) throw error;
      await this.#masqueradeByIptables(options);
    }
  }

  async #masqueradeByIptables(options: MasqueradeOptions): Promise<void> {
    const { run } = this.#options;
    for (const ip of ["ip", "ip6"] as const) {
      if (!options.podCidrs.some((cidr) => isIpv6(cidr) === (ip === "ip6"))) continue;
      const program = ip === "ip" ? "iptables" : "ip6tables";
      const restore = ["-w", "5", "--noflush"];
      await run(`${program}-restore`, restore, masqueradeRestore(ip, options));
      const jump = ["POSTROUTING", "-j", masqueradeChain];
      const nat = ["-w", "5", "-t", "nat"];
      await run(program, [...nat, "-C", ...jump]).catch(() =>
        run(program, [...nat, "-A", ...jump]),
      );
    }
  }

  /** Returns whether it was not there already. A runtime never sees half of a file. */
  async #writeConfig(text: string): Promise<boolean> {
    const { cniDir } = this.#options;
    const path = join(cniDir, cniFileName);
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) return false;
    await mkdir(cniDir, { recursive: true });
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
    return true;
  }
}

interface ListedLink {
  readonly ifname: string;
  readonly mtu: number;
  readonly addr_info: readonly { readonly local: string; readonly prefixlen: number }[];
}

function networksOf({ addr_info }: ListedLink): Cidr[] {
  return addr_info.flatMap(({ local, prefixlen }) => parseCidr(`${local}/${prefixlen}`) ?? []);
}

/** The largest packet of the link that has the node's address. */
function linkMtu(links: readonly ListedLink[], { ips }: NetworkNode): number | undefined {
  return links.find(({ addr_info }) => addr_info.some(({ local }) => ips.includes(local)))?.mtu;
}

/** This node's end of the tunnel, if it can have one. */
function tunnelEnd(self: NetworkNode): TunnelEnd | undefined {
  const cidr = self.podCidrs.find((text) => !isIpv6(text));
  const local = cidr === undefined ? undefined : addressFor(self, cidr);
  if (cidr === undefined || local === undefined) return undefined;
  return { local, address: tunnelAddress(cidr), mac: tunnelMac(local) };
}
