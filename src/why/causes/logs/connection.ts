import { logCause } from "../../facts/crash.ts";

export const logConnection = logCause({
  name: "program-cannot-connect",
  layer: "network",
  texts:
    /connection refused|ECONNREFUSED|no route to host|network is unreachable|i\/o timeout|ETIMEDOUT|connection timed out|can't connect|could not connect/i,
  meaning: "a server that it needs cannot be reached",
  fix: ["kubectl get services,endpointslices"],
});
