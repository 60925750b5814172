import { type FSWatcher, mkdirSync, watch } from "node:fs";
import { cniResults } from "./pod-links.ts";
import type { FollowRoutes } from "./route-changes.ts";

/** Reports that results of CNI plugins have come, changed or gone. */
export function podChangesOf(folders: readonly string[] = cniResults): FollowRoutes {
  return (listener) => {
    const watchers = folders.map((folder) => watchFolder(folder, listener));
    return {
      [Symbol.dispose]() {
        for (const watcher of watchers) watcher.close();
      },
    };
  };
}

function watchFolder(folder: string, listener: () => void): FSWatcher {
  // The runtime creates the folder with its first Pod, with this mode.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const watcher = watch(folder, { persistent: false }, () => listener());
  // The folder is gone: the keeper's own checks go on.
  watcher.on("error", () => watcher.close());
  return watcher;
}
