import { logCause } from "../../facts/crash.ts";

export const logInotify = logCause({
  name: "program-inotify-limit",
  texts:
    /file watchers reached|inotify.*(?:limit|too many|failed|ENOSPC|EMFILE)|(?:too many|limit).*inotify/i,
  meaning: "the node permits no more inotify watches",
  fix: ["# raise fs.inotify.max_user_watches and max_user_instances on the node (sysctl)"],
});
