/** Upstream: pkg/controller/ttl/ttl_controller.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { type Controller, controller } from "#/controller/controller.ts";
import type { ManagerOptions } from "../base/manager-options.ts";

const name = "ttl-controller";
const annotation = "node.alpha.kubernetes.io/ttl";

/**
 * TTL by the number of nodes. The ranges overlap, so that a small change of the number does not
 * change the TTL repeatedly.
 */
const steps = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Infinity, seconds: 300 },
];

/** Annotates nodes with the TTL of their cached objects: longer in larger clusters. */
export const ttlController: Controller<ManagerOptions> = {
  name,
  run(context) {
    let step = 0;
    return controller<Node, ManagerOptions>({
      name,
      for: nodes,
      queue: "ttlcontroller",
      async reconcile(node, { client, informers }) {
        step = nextStep(step, informers.informer(nodes).store.size);
        const desired = `${steps[step]?.seconds ?? 0}`;
        if (node.metadata.annotations?.[annotation] === desired) return;
        const patch = { metadata: { annotations: { [annotation]: desired } } };
        await client.patch(nodes, refOf(node), patch, { type: "strategic" });
      },
    }).run(context);
  },
};

/** The step for a number of nodes, starting from another step. */
export function nextStep(from: number, count: number): number {
  let step = from;
  while (count > (steps[step]?.max ?? Infinity)) step++;
  while (count < (steps[step]?.min ?? 0)) step--;
  return step;
}
