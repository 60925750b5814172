import type { RunProgram } from "#/std/process/run-program.ts";
import { isIpv6 } from "./network-node.ts";
import type { PodRoute } from "./plan-routes.ts";

/** The protocol number that marks our routes in the kernel. */
const routeProtocol = "107";

/** Configuration of the tunnel. */
interface TunnelOptions {
  readonly device: string;
  readonly id: number;
  readonly port: number;
}

/** This node's end of the tunnel. */
export interface TunnelEnd {
  readonly local: string;
  /** One for each family of the node's Pods. */
  readonly addresses: readonly string[];
  readonly mac: string;
  /** MTU of the link minus the tunnel's header; 0 leaves the device's default. */
  readonly mtu: number;
}

interface ListedRoute {
  readonly dst: string;
  readonly gateway?: string;
  readonly dev?: string;
}

/** The kernel's routes to the pods of other nodes, and the tunnel of some of them. */
export class RouteTable {
  readonly #run: RunProgram;
  readonly #tunnel: TunnelOptions;

  constructor(run: RunProgram, tunnel: TunnelOptions) {
    this.#run = run;
    this.#tunnel = tunnel;
  }

  /**
   * Makes our routes in the kernel equal to these, and to those to linked networks, which are added elsewhere. An error of
   * one does not stop the others.
   */
  async apply(
    routes: readonly PodRoute[],
    end: TunnelEnd | undefined,
    linked: readonly string[],
  ): Promise<void> {
    const tunnelled = routes.filter(({ tunnel }) => tunnel !== undefined);
    if (tunnelled.length > 0 && end) await this.#openTunnel(tunnelled, end);
    const failures: unknown[] = [];
    for (const family of ["-4", "-6"]) {
      const found = await this.#list(family);
      for (const route of routes) {
        if (isIpv6(route.destination) !== (family === "-6")) continue;
        if (found.some((listed) => this.#same(listed, route))) continue;
        await this.#add(family, route).catch((error: unknown) => failures.push(error));
      }
      const desired = new Set([...linked, ...routes.map(({ destination }) => destination)]);
      for (const { dst } of found) {
        if (desired.has(dst)) continue;
        await this.#run("ip", [family, "route", "del", dst, "proto", routeProtocol]);
      }
    }
    if (tunnelled.length === 0) await this.#closeTunnel();
    if (failures.length > 0) throw failures[0];
  }

  /** Adds routes to networks that are at a link. */
  async ensureLinked(cidrs: readonly string[], device: string): Promise<void> {
    for (const cidr of cidrs) {
      const family = isIpv6(cidr) ? "-6" : "-4";
      const route = [cidr, "dev", device, "proto", routeProtocol];
      await this.#run("ip", [family, "route", "replace", ...route]);
    }
  }

  async #list(family: string): Promise<ListedRoute[]> {
    const text = await this.#run("ip", [family, "-j", "route", "show", "proto", routeProtocol]);
    return text.trim() === "" ? [] : (JSON.parse(text) as ListedRoute[]);
  }

  #same({ dst, gateway, dev }: ListedRoute, { destination, via, tunnel }: PodRoute): boolean {
    const tunnelMatches = (dev === this.#tunnel.device) === (tunnel !== undefined);
    return dst === destination && gateway === via && tunnelMatches;
  }

  async #add(family: string, { destination, via, tunnel }: PodRoute): Promise<void> {
    const where = tunnel ? ["dev", this.#tunnel.device, "onlink"] : [];
    const route = [destination, "via", via, ...where, "proto", routeProtocol];
    await this.#run("ip", [family, "route", "replace", ...route]);
  }

  /** Creates the tunnel, and sets the addresses of the other nodes. */
  async #openTunnel(routes: readonly PodRoute[], end: TunnelEnd): Promise<void> {
    const { device, id, port } = this.#tunnel;
    const lines: string[] = [];
    if (!(await this.#hasTunnel(end))) {
      const link = `id ${id} dstport ${port} local ${end.local} nolearning`;
      await this.#closeTunnel();
      lines.push(`link add ${device} address ${end.mac} type vxlan ${link}`);
    }
    // Packets too large for the tunnel are refused, so that their senders learn the MTU.
    if (end.mtu > 0) lines.push(`link set ${device} mtu ${end.mtu}`);
    for (const address of end.addresses) {
      const [length, flags] = isIpv6(address) ? [128, " nodad"] : [32, ""];
      lines.push(`addr replace ${address}/${length} dev ${device}${flags}`);
    }
    lines.push(`link set ${device} up`);
    for (const { via, tunnel } of routes) {
      lines.push(`neigh replace ${via} lladdr ${tunnel?.mac} dev ${device} nud permanent`);
    }
    await this.#run("ip", ["-batch", "-"], `${lines.join("\n")}\n`);
    const known = await this.#forwarding();
    const forwarding = routes.flatMap(({ tunnel }) => {
      if (!tunnel || known.get(tunnel.mac) === tunnel.remote) return [];
      return [`fdb replace ${tunnel.mac} dev ${device} dst ${tunnel.remote} self permanent`];
    });
    const desired = new Set(routes.map(({ tunnel }) => tunnel?.mac));
    for (const [mac, remote] of known) {
      if (!desired.has(mac)) forwarding.push(`fdb del ${mac} dev ${device} dst ${remote} self`);
    }
    if (forwarding.length === 0) return;
    await this.#run("bridge", ["-batch", "-"], `${forwarding.join("\n")}\n`);
  }

  /** Whether the tunnel exists with this end. */
  async #hasTunnel({ local, mac }: TunnelEnd): Promise<boolean> {
    const args = ["-j", "-d", "link", "show", "dev", this.#tunnel.device];
    const text = await this.#run("ip", args).catch(() => "[]");
    const [link] = JSON.parse(text) as TunnelLink[];
    const data = link?.linkinfo?.info_data;
    return link?.address === mac && (data?.local ?? data?.local6) === local;
  }

  /** Nodes by hardware address. */
  async #forwarding(): Promise<Map<string, string>> {
    const text = await this.#run("bridge", ["-j", "fdb", "show", "dev", this.#tunnel.device]);
    const entries = JSON.parse(text || "[]") as { mac: string; dst?: string }[];
    return new Map(entries.flatMap(({ mac, dst }) => (dst ? [[mac, dst] as const] : [])));
  }

  async #closeTunnel(): Promise<void> {
    // The tunnel may not exist.
    await this.#run("ip", ["link", "del", this.#tunnel.device]).catch(() => undefined);
  }
}

interface TunnelLink {
  readonly address?: string;
  readonly linkinfo?: {
    readonly info_data?: { readonly local?: string; readonly local6?: string };
  };
}
