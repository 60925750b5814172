import { logCause } from "../../facts/crash.ts";

export const logThreads = logCause({
  name: "program-thread-limit",
  texts:
    /resource temporarily unavailable|pthread_create|can't start new thread|unable to create (?:new )?(?:native )?thread|cannot fork|fork: retry|newosproc/i,
  meaning: "it may start no more processes or threads",
  fix: ["# see the kubelet's podPidsLimit, and what starts so many"],
});
