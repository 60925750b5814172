import { type Node, nodes } from "#/api/core/v1.ts";
import { cause } from "../../base/cause.ts";

/** Taints that keep all Pods away until a program removes them. */
const waits: ReadonlyMap<string, string> = new Map([
  [
    "node.cloudprovider.kubernetes.io/uninitialized",
    "the cloud controller manager has not initialized it",
  ],
  ["node.cloudprovider.kubernetes.io/shutdown", "the cloud has shut it down"],
  ["node.kubernetes.io/out-of-service", "it is marked as out of service"],
]);

export const nodeUninitialized = cause<Node>({
  name: "node-uninitialized",
  layer: "node",
  of: [nodes],
  find({ spec }) {
    const taint = (spec?.taints ?? []).find(({ key }) => waits.has(key));
    if (!taint) return undefined;
    return {
      sentence: `${waits.get(taint.key)} (taint ${taint.key}), so it takes no Pods`,
      since: taint.timeAdded,
      fix: ["# start the cloud controller manager"],
    };
  },
});
