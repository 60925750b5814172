import { crashCause } from "../../facts/crash.ts";

export const containerStatusUnknown = crashCause({
  name: "container-lost",
  layer: "node",
  applies: ({ reason }) => reason === "ContainerStatusUnknown",
  explain: ({ container }, { spec }) => ({
    sentence: `node ${spec.nodeName} has lost ${container.label}: it was gone when the kubelet looked for it (node restarted, or its container was removed from outside)`,
    fix: [`kubectl describe node ${spec.nodeName}`],
  }),
});
