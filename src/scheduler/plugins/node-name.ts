import { action, interest } from "../framework/cluster-event.ts";
import type { Plugin } from "../framework/plugin.ts";
import { rejectForGood } from "../framework/rejection.ts";

const mismatch = rejectForGood("NodeName", "node(s) didn't match the requested node name");

/**
 * Keeps a pod that names its node off every other one.
 *
 * Upstream: kubernetes/pkg/scheduler/framework/plugins/nodename.
 */
export const nodeName: Plugin = {
  name: "NodeName",
  requeueOn: [interest("Node", action.Add)],
  filter({ pod: { pod } }) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    return {
      nodeNames: new Set([wanted]),
      check: ({ name }) => (name === wanted ? undefined : mismatch),
    };
  },
};
