import { refusalCause } from "../../facts/refusal.ts";

export const ownerForbidden = refusalCause({
  name: "owner-reference-forbidden",
  layer: "authorization",
  texts: /cannot set (?:an ownerRef|blockOwnerDeletion)/,
  explain: () => ({
    sentence:
      "the controller may not set itself as owner of what it creates: it lacks the permission for finalizers of the owner (RBAC)",
    fix: ["kubectl get clusterroles | grep system:controller"],
  }),
});
