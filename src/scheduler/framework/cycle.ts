import type { PodInfo } from "../cache/pod-info.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { FilterRun } from "./filter-run.ts";

/** One attempt to place one pod: its snapshot, and the state that plugins pass from one extension point to the next. */
export class Cycle {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Pods to activate at the end of this cycle, requested by plugins, by UID. */
  readonly podsToActivate = new Map<string, PodInfo>();
  /** The filters of the pod, after PreFilter; dry runs of preemption start from them. */
  filters: FilterRun | undefined;
  readonly #memory = new Map<string, unknown>();

  constructor(pod: PodInfo, snapshot: Snapshot) {
    this.pod = pod;
    this.snapshot = snapshot;
  }

  /** Stores a value for the plugin of this name. */
  remember(plugin: string, value: unknown): void {
    this.#memory.set(plugin, value);
  }

  /** The value that remember() stored. The plugin knows its type, since only the plugin writes under its name. */
  recall<T>(plugin: string): T | undefined {
    return this.#memory.get(plugin) as T | undefined;
  }
}
