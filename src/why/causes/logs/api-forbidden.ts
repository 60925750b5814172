import { logCause } from "../../facts/crash.ts";

export const logApiForbidden = logCause({
  name: "program-lacks-api-permission",
  layer: "authorization",
  texts: /is forbidden: User "|cannot (?:get|list|watch|create|update|patch|delete) resource/i,
  meaning: "its service account may not do what it asks of the API (RBAC)",
  fix: ["kubectl auth can-i --list --as=system:serviceaccount:NAMESPACE:NAME"],
});
