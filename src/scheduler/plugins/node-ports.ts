import type { Pod } from "#/api/core/v1.ts";
import { hostPortsOf, portsConflict } from "../cache/host-ports.ts";
import { action, interest } from "../framework/cluster-event.ts";
import { reject } from "../framework/rejection.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const name = "NodePorts";
const taken = reject(name, "node(s) didn't have free ports for the requested pod ports");

/**
 * Rejects nodes where a host port of the pod is in use.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodeports.
 */
export const nodePorts: PluginDeclaration = {
  name,
  make: () => ({
    requeueOn: [
      interest<Pod, Pod>("AssignedPod", action.Delete, (pod, gone) => {
        if (!gone?.spec.nodeName && !gone?.status?.nominatedNodeName) return false;
        return portsConflict(hostPortsOf(pod), hostPortsOf(gone));
      }),
      interest("Node", action.Add),
    ],
    filter({ pod: { hostPorts } }) {
      if (hostPorts.length === 0) return undefined;
      return { check: ({ ports }) => (portsConflict(hostPorts, ports) ? taken : undefined) };
    },
  }),
};
