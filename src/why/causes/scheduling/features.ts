import { schedulingCause } from "../../facts/unschedulable.ts";

export const nodeFeatures = schedulingCause({
  name: "node-features",
  texts: /didn't match Pod's required features|node\(s\) had unknown conditions/,
  explain: () => ({
    sentence: "no node's kubelet supports a feature that the Pod uses",
    fix: ["kubectl get nodes -o wide"],
  }),
});
