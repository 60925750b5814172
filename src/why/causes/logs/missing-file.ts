import { logCause } from "../../facts/crash.ts";

export const logMissingFile = logCause({
  name: "program-misses-file",
  texts:
    /no such file or directory|\bENOENT|file not found|cannot find module|can't open|cannot open|ModuleNotFoundError|ClassNotFoundException/i,
  meaning: "a file that it needs is not there: in the image, or in a volume",
});
