import { logCause } from "../../facts/crash.ts";

export const logOpenFiles = logCause({
  name: "program-open-files",
  texts: /too many open files|\bEMFILE|\bENFILE/i,
  meaning: "it has as many files and connections open as it may",
  fix: [
    "# raise the limit of the runtime (LimitNOFILE of its service), or look for what it does not close",
  ],
});
