import { logCause } from "../../facts/crash.ts";

export const logMemory = logCause({
  name: "program-out-of-memory",
  texts:
    /OutOfMemoryError|heap out of memory|cannot allocate memory|\bENOMEM|std::bad_alloc|MemoryError/i,
  meaning: "it runs out of memory",
  fix: ["# raise resources.limits.memory, or the limit that the program sets itself"],
});
