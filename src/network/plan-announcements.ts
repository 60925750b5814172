import { createHash } from "node:crypto";
import type { Node, Service } from "#/api/core/v1.ts";
import { type Cidr, cidrContains, parseCidr } from "#/std/net/cidr.ts";
import { parseIp } from "#/std/net/ip.ts";
import { compareText } from "#/std/text/compare-text.ts";
import type { BalancerObjects } from "./follow-balancers.ts";
import { nodesOf } from "./plan-balancer-routes.ts";
import type { ListedLink } from "./plan-routes.ts";

/** An address that a node answers for, to its neighbours on a link. */
export interface Announcement {
  readonly address: string;
  readonly device: string;
}

interface AnnouncingNode {
  readonly name: string;
  /** Its links, without those of the Pod network. */
  readonly links: readonly ListedLink[];
  readonly pools: readonly Cidr[];
}

const excludedLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

/**
 * The addresses that a node announces. Each has one node, which all nodes compute alike: of those that are ready, and
 * have Pods of the Service if its connections stay on the node that they arrive at, the one with the highest hash. So a
 * node that comes or goes moves only its own addresses.
 */
export function planAnnouncements(
  { services, slices, nodes }: BalancerObjects,
  self: AnnouncingNode,
): Announcement[] {
  const available = nodes.filter(isAvailable).map(({ metadata }) => metadata.name ?? "");
  return services.filter(isBalanced).flatMap((service) => {
    const withPods = isLocal(service) ? new Set(nodesOf(service, slices)) : undefined;
    const candidates = available.filter((name) => withPods?.has(name) ?? true);
    return (service.status?.loadBalancer?.ingress ?? [])
      .flatMap(({ ip }) => ip ?? [])
      .filter((address) => isInPool(address, self.pools))
      .filter((address) => chosenNode(address, candidates) === self.name)
      .flatMap((address) => {
        const device = deviceFor(address, self.links);
        return device === undefined ? [] : [{ address, device }];
      });
  });
}

const isBalanced = ({ spec, metadata }: Service): boolean =>
  spec?.type === "LoadBalancer" && metadata.deletionTimestamp === undefined;

const isLocal = ({ spec }: Service): boolean => spec?.externalTrafficPolicy === "Local";

function isAvailable({ metadata, status }: Node): boolean {
  if (metadata.labels?.[excludedLabel] !== undefined) return false;
  return (
    status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false
  );
}

function chosenNode(address: string, candidates: readonly string[]): string | undefined {
  const hash = (name: string) => createHash("sha256").update(`${name}#${address}`).digest("hex");
  return candidates.toSorted((a, b) => compareText(hash(b), hash(a)))[0];
}

function isInPool(address: string, pools: readonly Cidr[]): boolean {
  const ip = parseIp(address);
  return ip !== undefined && pools.some((pool) => cidrContains(pool, ip));
}

/** The link whose network has the address; undefined if its neighbours reach it by a router, which needs a route. */
function deviceFor(address: string, links: readonly ListedLink[]): string | undefined {
  const ip = parseIp(address);
  const found = links.find(({ addr_info }) =>
    addr_info.some(({ local, prefixlen }) => {
      const cidr = parseCidr(`${local}/${prefixlen}`);
      return ip !== undefined && cidr !== undefined && cidrContains(cidr, ip);
    }),
  );
  return found?.ifname;
}
