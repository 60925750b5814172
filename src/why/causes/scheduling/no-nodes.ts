import { schedulingCause } from "../../facts/unschedulable.ts";

export const noNodes = schedulingCause({
  name: "no-nodes",
  texts: /no nodes available to schedule pods/,
  explain: () => ({
    sentence: "the cluster has no node that could run it",
    fix: ["kubectl get nodes", "k8ts status"],
  }),
});
