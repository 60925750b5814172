/** Upstream: pkg/controller/ttl/ttl_controller.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { type Controller, controller } from "#/controller/controller.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { nextStep, steps } from "./ttl-steps.ts";

const name = "ttl-controller";

const annotation = "node.alpha.kubernetes.io/ttl";

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
