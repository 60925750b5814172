import type { ProbeChange, ProbeKind, ProbeResult } from "../state/pod-services.ts";

/** The last results of all probes, by container. */
export class ProbeResults {
  readonly #results = new Map<string, ProbeResult>();
  readonly #listeners = new Set<(change: ProbeChange) => void>();

  get(kind: ProbeKind, containerID: string): ProbeResult | undefined {
    return this.#results.get(keyOf(kind, containerID));
  }

  /** Records a result, and tells of it if it is another one than before. */
  set(change: ProbeChange): void {
    const key = keyOf(change.kind, change.containerID);
    if (this.#results.get(key) === change.result) return;
    this.#results.set(key, change.result);
    for (const listener of this.#listeners) listener(change);
  }

  remove(kind: ProbeKind, containerID: string): void {
    this.#results.delete(keyOf(kind, containerID));
  }

  subscribe(listener: (change: ProbeChange) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

function keyOf(kind: ProbeKind, containerID: string): string {
  return `${kind} ${containerID}`;
}
