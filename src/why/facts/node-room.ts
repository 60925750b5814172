import { type Node, nodes, type Pod, type PodSpec, pods } from "#/api/core/v1.ts";
import { podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import type { View } from "../base/view.ts";
import { candidateNodes, openNodes } from "./candidate-nodes.ts";
import { hasEnded } from "./containers.ts";

/** How much of a resource a node has. */
interface NodeRoom {
  readonly node: string;
  readonly allocatable: Quantity;
  readonly free: Quantity;
}

/** What a Pod requests of a resource; zero if nothing. */
export const requestOf = (pod: Pod, resource: string): Quantity =>
  resource === "pods" ? parseQuantity("1") : (podRequests(pod).get(resource) ?? zeroQuantity);

/** The room of all nodes for a resource, the roomiest first; undefined if not all can be read. */
export function nodeRooms(resource: string, view: View): readonly NodeRoom[] | undefined {
  const all = view.list(nodes);
  const running = view.list(pods);
  if (!all || !running || !view.isWhole(nodes) || !view.isWhole(pods)) return undefined;
  return all.map((node) => roomOf(node, running, resource)).sort((a, b) => b.free.compare(a.free));
}

/** As nodeRooms(), of the nodes only that take Pods of a specification, or else of those that it asks for. */
export function openRooms(
  resource: string,
  spec: PodSpec,
  view: View,
): readonly NodeRoom[] | undefined {
  const rooms = nodeRooms(resource, view);
  const candidates = candidateNodes(spec, view) ?? [];
  const open = openNodes(candidates, spec);
  const chosen = open.length > 0 ? open : candidates;
  const allowed = new Set(chosen.map(({ metadata }) => metadata.name));
  return allowed.size === 0 ? rooms : rooms?.filter(({ node }) => allowed.has(node));
}

function roomOf({ metadata, status }: Node, all: readonly Pod[], resource: string): NodeRoom {
  const { name = "" } = metadata;
  const allocatable = parseQuantity(status?.allocatable?.[resource] ?? "0");
  const used = all
    .filter((pod) => pod.spec.nodeName === name && !hasEnded(pod))
    .reduce((sum, pod) => sum.add(requestOf(pod, resource)), zeroQuantity);
  return { node: name, allocatable, free: allocatable.sub(used) };
}

/** Binary units, the largest first. */
const units = [
  ["Ti", 2 ** 40],
  ["Gi", 2 ** 30],
  ["Mi", 2 ** 20],
  ["Ki", 2 ** 10],
] as const;

/** An amount as people write it: `1.5Gi`, `250m`. */
export function amountText(quantity: Quantity, resource: string): string {
  if (!/memory|storage|hugepages/.test(resource)) return quantity.toString();
  const bytes = quantity.toNumber();
  const unit = units.find(([, size]) => Math.abs(bytes) >= size);
  return unit ? `${Math.floor((bytes / unit[1]) * 10) / 10}${unit[0]}` : String(bytes);
}
