import { type FSWatcher, mkdirSync, statSync, watch } from "node:fs";
import { cniResultFolders } from "./cni-results.ts";

/** Reports that Pods may have come or gone. */
export type FollowPods = (listener: () => void) => Disposable;

/** Reports that results of CNI plugins have come, changed or gone. */
export function resultChangesOf(folders: readonly string[] = cniResultFolders): FollowPods {
  return (listener) => {
    const watchers = folders.map((folder) => watchFolder(folder, listener));
    return {
      [Symbol.dispose]() {
        for (const watcher of watchers) watcher[Symbol.dispose]();
      },
    };
  };
}

/** Watches a folder, also after it was removed: the last cluster that leaves a machine removes it, if it is empty. */
function watchFolder(folder: string, listener: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  const open = (): void => {
    // The runtime creates the folder with its first Pod, with this mode.
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const watched = statSync(folder).ino;
    watcher = watch(folder, { persistent: false }, (event) => {
      if (event === "rename" && inodeOf(folder) !== watched) reopen();
      listener();
    });
    // The keeper's own checks go on.
    watcher.on("error", () => watcher?.close());
  };
  const reopen = (): void => {
    watcher?.close();
    open();
  };
  open();
  return { [Symbol.dispose]: () => watcher?.close() };
}

const inodeOf = (folder: string): number | undefined =>
  statSync(folder, { throwIfNoEntry: false })?.ino;
