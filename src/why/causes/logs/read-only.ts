import { logCause } from "../../facts/crash.ts";

export const logReadOnly = logCause({
  name: "read-only-filesystem",
  texts: /read-only file ?system|\bEROFS/i,
  meaning: "it writes to a read-only file system",
  fix: [
    "# mount an emptyDir where it writes, or set securityContext.readOnlyRootFilesystem to false",
  ],
});
