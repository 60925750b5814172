/** Upstream: pkg/controller/nodeipam/ipam/range_allocator.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { controller } from "#/controller/controller.ts";
import { formatCidr, parseCidr } from "#/std/net/cidr.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { clusterRanges, freePart, serviceRanges } from "./plan-ranges.ts";

const taken = ({ spec }: Node) => (spec?.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);

/**
 * Gives each Node a range of the pod addresses. Used ranges are read from the Nodes themselves; one
 * worker, so that no range is given twice.
 */
export const nodeIpamController = controller<Node, ManagerOptions>({
  name: "node-ipam-controller",
  eventSource: "cidrAllocator",
  for: nodes,
  workers: 1,
  queue: "cidrallocator_node",
  predicate: (now) => now !== undefined && !now.spec?.podCIDRs?.length,
  async reconcile(node, { client, informers, options, recorder }) {
    const { flags } = options;
    if (!flags["allocate-node-cidrs"] || flags["cluster-cidr"] === "") return;
    if (node.metadata.deletionTimestamp || node.spec?.podCIDRs?.length) return;
    const used = informers.informer(nodes).store.list().flatMap(taken);
    const parts = clusterRanges(flags).map((range) =>
      freePart(range, [...used, ...serviceRanges(flags)]),
    );
    const podCIDRs = parts.flatMap((part) => (part ? [formatCidr(part)] : []));
    if (podCIDRs.length < parts.length) {
      const { name = "" } = node.metadata;
      const message = `Node ${name} status is now: CIDRNotAvailable`;
      recorder.event({ kind: "Node", name, uid: name }, "Normal", "CIDRNotAvailable", message);
      throw new Error(
        "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
      );
    }
    const patch = { spec: { podCIDR: podCIDRs[0], podCIDRs } };
    await client.patch(nodes, { name: node.metadata.name ?? "" }, patch, { type: "strategic" });
  },
});
