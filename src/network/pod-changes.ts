import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { cniResults } from "./pod-links.ts";
import type { FollowRoutes } from "./route-changes.ts";

/** Reports that results of CNI plugins have come, changed or gone. */
export function podChangesOf(folder: string = cniResults): FollowRoutes {
  return (listener) => {
    // The runtime creates the folder with its first Pod, with this mode.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watcher: FSWatcher = watch(folder, { persistent: false }, () => listener());
    // The folder is gone: the keeper's own checks go on.
    watcher.on("error", () => watcher.close());
    return { [Symbol.dispose]: () => watcher.close() };
  };
}
