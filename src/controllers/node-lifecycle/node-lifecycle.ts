/** Upstream: pkg/controller/nodelifecycle. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { type Controller, controller } from "#/controller/controller.ts";
import { formatTime } from "#/machinery/time/time.ts";
import type { ManagerOptions } from "../base/manager-options.ts";
import { planConditionTaints } from "./condition-taints.ts";
import { nodeMonitor } from "./node-monitor.ts";

/** Taints nodes by their conditions, which keeps new Pods off. */
const conditionTainter = controller<Node, ManagerOptions>({
  name: "node-lifecycle-controller",
  eventSource: "node-controller",
  for: nodes,
  workers: 8,
  async reconcile(node, { client, clock }) {
    const taints = planConditionTaints(node, formatTime(clock.now()));
    if (taints) await client.update(nodes, { ...node, spec: { ...node.spec, taints } });
  },
});

/** Monitors nodes, and taints unhealthy ones. */
export const nodeLifecycleController: Controller<ManagerOptions> = {
  name: "node-lifecycle-controller",
  eventSource: "node-controller",
  async run(context) {
    await Promise.all([conditionTainter.run(context), nodeMonitor().run(context)]);
  },
};
