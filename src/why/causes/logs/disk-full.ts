import { logCause } from "../../facts/crash.ts";

export const logDiskFull = logCause({
  name: "program-disk-full",
  texts: /no space left on device|\bENOSPC|disk quota exceeded/i,
  meaning: "a volume or disk that it writes to is full",
});
