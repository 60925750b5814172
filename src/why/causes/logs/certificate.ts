import { logCause } from "../../facts/crash.ts";

export const logCertificate = logCause({
  name: "program-certificate",
  texts:
    /x509:|certificate (?:has expired|verify failed|is not yet valid)|self[- ]signed certificate|unable to get local issuer/i,
  meaning: "it does not accept a server's certificate",
});
