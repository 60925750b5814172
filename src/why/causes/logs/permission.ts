import { logCause } from "../../facts/crash.ts";

export const logPermission = logCause({
  name: "program-lacks-permission",
  texts: /permission denied|\bEACCES|operation not permitted|\bEPERM/i,
  meaning: "it lacks a permission, for a file, a port below 1024 or a capability",
  fix: ["# see securityContext: runAsUser, fsGroup, capabilities"],
});
