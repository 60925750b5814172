import { logCause } from "../../facts/crash.ts";

export const logCredentials = logCause({
  name: "program-credentials-refused",
  texts:
    /authentication failed|access denied for user|invalid (?:password|credentials|token)|unauthorized\b|unauthenticated|login failed|must be logged in|provide credentials|(?:token|credentials?)(?: has| is| have)? expired|expired ?token|invalid_grant/i,
  meaning: "a server refuses its credentials, or they have expired",
});
