import { logCause } from "../../facts/crash.ts";
import { unresolvedService } from "../../facts/services/needed-service.ts";

export const nameTexts =
  /no such host|name resolution|\bENOTFOUND|EAI_AGAIN|could not resolve|bad address|name or service not known|unknown host|host not found|NXDOMAIN/i;

export const logName = logCause({
  name: "program-cannot-resolve-name",
  texts: nameTexts,
  meaning: "a name that it needs cannot be resolved: no such Service, or DNS does not answer",
  because: unresolvedService,
  fix: ["kubectl get services"],
});
