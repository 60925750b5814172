import { logCause } from "../../facts/crash.ts";

export const logPortInUse = logCause({
  name: "port-in-use",
  texts: /address already in use|EADDRINUSE/i,
  meaning:
    "the port that it listens on is in use already, by another container of the Pod or on the host's network",
});
