/** Upstream: pkg/controller/nodeipam/ipam/range_allocator.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { type Controller, type ControllerContext, controller } from "#/controller/controller.ts";
import { type Cidr, formatCidr, parseCidr } from "#/std/net/cidr.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import {
  type ClusterRange,
  clusterRanges,
  freePart,
  serviceRanges,
  type TakenRanges,
} from "./plan-ranges.ts";

const name = "node-ipam-controller";

/**
 * Gives each Node a range of the pod addresses. Used ranges are read from the Nodes themselves; one
 * worker, so that no range is given twice.
 */
export const nodeIpamController: Controller<ManagerOptions> = {
  name,
  eventSource: "cidrAllocator",
  run(context) {
    /** The position after the last part given, for each range. */
    const positions: number[] = [];
    return controller<Node, ManagerOptions>({
      name,
      for: nodes,
      workers: 1,
      queue: "cidrallocator_node",
      predicate: (now) => now !== undefined && !now.spec?.podCIDRs?.length,
      reconcile: (node, own) => reconcile(node, own, positions),
    }).run(context);
  },
};

async function reconcile(
  node: Node,
  { client, informers, options, recorder }: ControllerContext<ManagerOptions>,
  positions: number[],
): Promise<void> {
  const { flags } = options;
  if (!flags["allocate-node-cidrs"] || flags["cluster-cidr"] === "") return;
  if (node.metadata.deletionTimestamp || node.spec?.podCIDRs?.length) return;
  const services = serviceRanges(flags);
  const parts = clusterRanges(flags).map((range, at) => {
    const { has, others } = takenRanges(range, informers);
    return freePart(range, { has, others: [...others, ...services] }, positions[at]);
  });
  const found = parts.flatMap((part) => part ?? []);
  if (found.length < parts.length) {
    const { name: nodeName = "" } = node.metadata;
    const message = `Node ${nodeName} status is now: CIDRNotAvailable`;
    const about = { kind: "Node", name: nodeName, uid: nodeName };
    recorder.event(about, "Normal", "CIDRNotAvailable", message);
    throw new Error(
      "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
    );
  }
  const podCIDRs = found.map(({ part }) => formatCidr(part));
  const patch = { spec: { podCIDR: podCIDRs[0], podCIDRs } };
  await client.patch(nodes, { name: node.metadata.name ?? "" }, patch, { type: "strategic" });
  for (const [at, { index }] of found.entries()) positions[at] = index + 1;
}

/** The ranges of all Nodes, by indexes of the store. */
function takenRanges({ cidr, nodePrefixLength }: ClusterRange, informers: Informers): TakenRanges {
  const { family } = cidr.ip;
  const { store } = informers.informer(nodes, { indexes: { range, rangeSize } });
  const sizes = store
    .indexValues("rangeSize")
    .filter((size) => size.startsWith(`${family}/`) && size !== `${family}/${nodePrefixLength}`);
  return {
    has: (text) => store.countByIndex("range", text) > 0,
    others: sizes
      .flatMap((size) => store.byIndex("rangeSize", size))
      .flatMap(rangesOf)
      .filter(({ ip }) => ip.family === family),
  };
}

const rangesOf = ({ spec }: Node): Cidr[] =>
  (spec?.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);
const range = (node: Node): string[] => rangesOf(node).map(formatCidr);
/** Family and size of each range: "4/24". */
const rangeSize = (node: Node): string[] => [
  ...new Set(rangesOf(node).map(({ ip, prefixLength }) => `${ip.family}/${prefixLength}`)),
];
