import type { PodInfo } from "../cache/pod-info.ts";
import type { Snapshot } from "../cache/snapshot.ts";
import type { FilterRun } from "./filter-run.ts";

/** One attempt to place one pod: what it sees, and what plugins remember from one extension point to the next. */
export class Cycle {
  readonly pod: PodInfo;
  readonly snapshot: Snapshot;
  /** Pods that a plugin wants tried again at the end of this cycle, by UID. */
  readonly podsToActivate = new Map<string, PodInfo>();
  /** How the pod looks at nodes, once PreFilter has been through; what dry runs of preemption start from. */
  filters: FilterRun | undefined;
  readonly #memory = new Map<string, unknown>();

  constructor(pod: PodInfo, snapshot: Snapshot) {
    this.pod = pod;
    this.snapshot = snapshot;
  }

  /** Keeps something for the plugin of this name. */
  remember(plugin: string, value: unknown): void {
    this.#memory.set(plugin, value);
  }

  /** What remember() kept. The plugin knows the type, since nobody else writes under its name. */
  recall<T>(plugin: string): T | undefined {
    return this.#memory.get(plugin) as T | undefined;
  }
}
