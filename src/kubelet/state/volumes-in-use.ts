/** Upstream: pkg/kubelet/volumemanager/volume_manager.go (GetVolumesInUse, MarkVolumesAsReportedInUse). */
import { orAborted } from "#/std/async/aborted.ts";
import { Listeners } from "./listeners.ts";

/**
 * The attachable volumes that Pods of this node use, by their names in the Node's `volumesInUse`. A controller detaches
 * only volumes that are not listed there: a volume is added and reported before it is mounted, and removed after
 * its last mount is gone.
 */
export class VolumesInUse {
  readonly #byPod = new Map<string, Set<string>>();
  #reported: ReadonlySet<string> = new Set();
  readonly #added = new Listeners();
  readonly #reports = new Listeners();

  /** The listener is called when a volume is added that is not reported yet. */
  subscribe(listener: () => void): Disposable {
    return this.#added.add(listener);
  }

  /** All names, sorted. */
  names(): readonly string[] {
    return [...new Set([...this.#byPod.values()].flatMap((names) => [...names]))].sort();
  }

  add(podUID: string, name: string): void {
    const names = this.#byPod.get(podUID) ?? new Set();
    this.#byPod.set(podUID, names.add(name));
    if (!this.#reported.has(name)) this.#added.notify();
  }

  /** Removes all volumes of a Pod. */
  remove(podUID: string): void {
    this.#byPod.delete(podUID);
  }

  /** Records the names that the Node lists in the API. */
  setReported(names: readonly string[]): void {
    this.#reported = new Set(names);
    this.#reports.notify();
  }

  /** Resolves when the Node lists the volume; rejects with the signal's reason when that aborts first. */
  async untilReported(name: string, signal: AbortSignal): Promise<void> {
    while (!this.#reported.has(name)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      using _listener = this.#reports.add(resolve);
      await orAborted(promise, signal);
    }
  }
}
