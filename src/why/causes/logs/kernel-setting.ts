import { logCause } from "../../facts/crash.ts";

export const logKernelSetting = logCause({
  name: "program-kernel-setting",
  layer: "node",
  texts:
    /\b(?:vm\.max_map_count|vm\.overcommit_memory|net\.core\.somaxconn|kernel\.(?:shmmax|shmall|sem|threads-max)|fs\.(?:file-max|nr_open|aio-max-nr))\b.*(?:too low|too small|at least|increase|must be|required)|max (?:file descriptors|number of threads) \[\d+\].* too low/i,
  meaning: "a setting of the node's kernel (sysctl) or a limit of its runtime is too low for it",
  fix: ["# set it on the node: sysctl -w NAME=VALUE, and in /etc/sysctl.d"],
});
