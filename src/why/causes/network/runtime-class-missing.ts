import { sandboxCause } from "../../facts/sandbox-failure.ts";

export const runtimeClassMissing = sandboxCause({
  name: "runtime-class-missing",
  layer: "node",
  texts:
    /runtimeclass(?:es)?(?:\.node\.k8s\.io)? "([^"]+)" not found|RuntimeClass "?([\w.-]+)"? (?:is )?not found/i,
  explain: ([, one, two]) => ({
    sentence: `its RuntimeClass "${one ?? two}" does not exist`,
    fix: ["kubectl get runtimeclasses"],
  }),
});
