import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const networkNotReady = sandboxCause({
  name: "node-network-not-ready",
  layer: "network",
  texts:
    /network (?:plugin )?is not ready|cni config uninitialized|cni plugin not initialized|no networks found|NetworkPluginNotReady|NetworkReady=false/i,
  explain: (_match, { spec }) => ({
    sentence: `the Pod network of node ${spec.nodeName} is not ready: its runtime has no CNI configuration`,
    fix: [`kubectl describe node ${spec.nodeName}`, "k8ts logs pod-network"],
  }),
});
