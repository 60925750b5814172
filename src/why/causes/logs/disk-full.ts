import { logCause } from "../../facts/crash.ts";

export const logDiskFull = logCause({
  name: "program-disk-full",
  layer: "volumes",
  texts: /no space left on device|ENOSPC|disk quota exceeded/i,
  meaning: "a volume or disk that it writes to is full",
});
