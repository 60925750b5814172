import { Listeners } from "../state/listeners.ts";
import type { ProbeChange, ProbeKind, ProbeResult } from "../state/pod-services.ts";

/** The last results of all probes, by container. */
export class ProbeResults {
  readonly #results = new Map<string, ProbeResult>();
  readonly #changes = new Listeners<[change: ProbeChange]>();

  get(kind: ProbeKind, containerID: string): ProbeResult | undefined {
    return this.#results.get(keyOf(kind, containerID));
  }

  /** Records a result, and notifies listeners if it differs from the previous one. */
  set(change: ProbeChange): void {
    const key = keyOf(change.kind, change.containerID);
    if (this.#results.get(key) === change.result) return;
    this.#results.set(key, change.result);
    this.#changes.notify(change);
  }

  remove(kind: ProbeKind, containerID: string): void {
    this.#results.delete(keyOf(kind, containerID));
  }

  subscribe(listener: (change: ProbeChange) => void): Disposable {
    return this.#changes.add(listener);
  }
}

function keyOf(kind: ProbeKind, containerID: string): string {
  return `${kind} ${containerID}`;
}
