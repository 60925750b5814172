/** Upstream: staging/src/k8s.io/cloud-provider/controllers/route/route_controller.go. */
import type { Node, NodeAddress } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { addressAt, type Cidr, cidrContains, cidrSize, parseCidr } from "#/std/net/cidr.ts";
import type { Route } from "../../base/provider.ts";

/** The difference between the routes of the cloud and those that nodes need. */
export interface RoutePlan {
  readonly remove: readonly Route[];
  readonly create: readonly { readonly node: Node; readonly route: Route }[];
  /** Nodes whose condition is set, with whether a route was already there for each of their networks. */
  readonly nodes: readonly Node[];
  /** Whether routes are replaced: then all removals precede all creations. */
  readonly isOrdered: boolean;
}

export function planRoutes(
  nodes: readonly Node[],
  routes: readonly Route[],
  clusterCidrs: readonly Cidr[],
): RoutePlan {
  const needed = nodes.filter(({ spec }) => (spec?.podCIDRs ?? []).length > 0);
  const byNode = Map.groupBy(routes, ({ targetNode }) => targetNode);
  const create: RoutePlan["create"][number][] = [];
  const kept = new Set<string>();
  for (const node of needed) {
    const { name = "" } = node.metadata;
    for (const cidr of node.spec?.podCIDRs ?? []) {
      if (hasRoute(byNode.get(name) ?? [], cidr, node)) kept.add(`${name} ${cidr}`);
      else create.push({ node, route: routeTo(node, cidr) });
    }
  }
  const remove = routes.filter(
    (route) =>
      isInCluster(route, clusterCidrs) &&
      (route.isBlackhole || !kept.has(`${route.targetNode} ${route.destinationCidr}`)),
  );
  const known = nodes.filter(
    (node) => needed.includes(node) || byNode.has(node.metadata.name ?? ""),
  );
  return { remove, create, nodes: known, isOrdered: hasAddresses(routes[0]) };
}

function hasRoute(routes: readonly Route[], cidr: string, { status }: Node): boolean {
  const found = routes.find(({ destinationCidr }) => destinationCidr === cidr);
  if (!found) return false;
  return !hasAddresses(found) || areSame(status?.addresses ?? [], found.targetNodeAddresses ?? []);
}

/** Whether the cloud's routes depend on the addresses of nodes. */
const hasAddresses = (route: Route | undefined): boolean =>
  route?.targetNodeAddresses !== undefined;

function areSame(a: readonly NodeAddress[], b: readonly NodeAddress[]): boolean {
  return a.length === b.length && a.every((one) => b.some((other) => deepEqual(one, other)));
}

const routeTo = ({ metadata, status }: Node, destinationCidr: string): Route => ({
  name: "",
  targetNode: metadata.name ?? "",
  targetNodeAddresses: status?.addresses ?? [],
  destinationCidr,
  isBlackhole: false,
});

/** Whether a route is one of ours: its first or last address is in a network of the cluster. */
function isInCluster({ destinationCidr }: Route, clusterCidrs: readonly Cidr[]): boolean {
  const cidr = parseCidr(destinationCidr);
  if (!cidr) return false;
  const last = addressAt(cidr, cidrSize(cidr) - 1n);
  return clusterCidrs.some((wide) => cidrContains(wide, cidr.ip) || cidrContains(wide, last));
}
