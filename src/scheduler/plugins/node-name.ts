import { action, interest } from "../framework/cluster-event.ts";
import { rejectForGood } from "../framework/rejection.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const name = "NodeName";
const mismatch = rejectForGood(name, "node(s) didn't match the requested node name");

/**
 * Rejects all nodes but the one that the pod names.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodename.
 */
export const nodeName: PluginDeclaration = {
  name,
  make: () => ({
    requeueOn: [interest("Node", action.Add)],
    filter({ pod: { pod } }) {
      const wanted = pod.spec.nodeName;
      if (!wanted) return undefined;
      return {
        nodeNames: new Set([wanted]),
        check: ({ name }) => (name === wanted ? undefined : mismatch),
      };
    },
  }),
};
