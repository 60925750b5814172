import { refusalCause } from "../../facts/refusal.ts";

export const controllerForbidden = refusalCause({
  name: "controller-forbidden",
  layer: "authorization",
  texts: /User "([^"]+)" cannot (\w+) resource "([^"]+)"(?: in API group "([^"]*)")?/,
  explain: ([, user, verb, resource]) => ({
    sentence: `the controller may not do its work: ${user} cannot ${verb} ${resource} (RBAC)`,
    fix: [
      `kubectl auth can-i ${verb} ${resource} --as=${user}`,
      "kubectl get clusterroles,clusterrolebindings | grep system:controller",
    ],
  }),
});
