import { logCause } from "../../facts/crash.ts";
import { neededService } from "../../facts/services/needed-service.ts";

export const connectionTexts =
  /connection refused|ECONNREFUSED|no route to host|network is unreachable|i\/o timeout|ETIMEDOUT|connection timed out|can't connect|could not connect/i;

export const logConnection = logCause({
  name: "program-cannot-connect",
  texts: connectionTexts,
  meaning: "a server that it needs cannot be reached",
  because: neededService,
  fix: ["kubectl get services,endpointslices"],
});
