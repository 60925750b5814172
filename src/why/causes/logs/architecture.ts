import { logCause } from "../../facts/crash.ts";

export const logArchitecture = logCause({
  name: "program-for-another-processor",
  texts: /exec format error/i,
  meaning:
    "its program is built for another processor architecture than the node's, or is a script without #!",
  fix: ["kubectl get nodes -L kubernetes.io/arch"],
});
