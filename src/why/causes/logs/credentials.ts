import { logCause } from "../../facts/crash.ts";

export const logCredentials = logCause({
  name: "program-credentials-refused",
  texts:
    /authentication failed|access denied for user|invalid (?:password|credentials|token)|401 unauthorized|login failed/i,
  meaning: "a server refuses its credentials",
});
