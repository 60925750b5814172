import { logCause } from "../../facts/crash.ts";

export const logName = logCause({
  name: "program-cannot-resolve-name",
  layer: "network",
  texts:
    /no such host|name resolution|ENOTFOUND|EAI_AGAIN|could not resolve|bad address|name or service not known|unknown host|host not found|NXDOMAIN/i,
  meaning: "a name that it needs cannot be resolved: no such Service, or DNS does not answer",
  fix: ["kubectl get services"],
});
