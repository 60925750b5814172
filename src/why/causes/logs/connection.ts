import { logCause } from "../../facts/crash.ts";

export const connectionTexts =
  /connection refused|ECONNREFUSED|no route to host|network is unreachable|i\/o timeout|ETIMEDOUT|connection timed out|can't connect|could not connect/i;

export const logConnection = logCause({
  name: "program-cannot-connect",
  texts: connectionTexts,
  meaning: "a server that it needs cannot be reached",
  fix: ["kubectl get services,endpointslices"],
});
