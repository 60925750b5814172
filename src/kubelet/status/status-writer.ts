/** Upstream: pkg/kubelet/status/status_manager.go. */
import { type Pod, type PodStatus, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { compareVersions } from "#/client/resource-version.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { createStrategicMergePatch } from "#/machinery/patch/create-strategic-merge-patch.ts";
import type { JsonObject } from "#/machinery/patch/values/json-value.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { PodSteps } from "../state/pod-steps.ts";
import type { PodTable } from "../state/pod-table.ts";
import { isStaticPod } from "../state/static-pods.ts";
import { isTerminalPhase, mergeStatus, settleStatus, terminatedStatus } from "./settle-status.ts";

const log = logger("kubelet");

/** Delay before a write that failed is tried again (ms). */
const retryMs = 10_000;

interface StatusWriterOptions {
  /** Undefined without an API server: statuses are kept, not written. */
  readonly client: Client | undefined;
  readonly clock: Clock;
  /** A pod whose containers may still run is not reported as ended yet. */
  readonly table: Pick<PodTable, "mayRun" | "apiPod">;
  readonly steps?: PodSteps;
}

interface Entry {
  pod: Pod;
  status: PodStatus;
  /** Version of the status: increases with each change. */
  version: number;
  /** The version that the server has; 0 for none. */
  writtenVersion: number;
  /** The pod needs nothing more of this node: its deletion can be completed. */
  finished: boolean;
  writing: boolean;
  /** The pod of the response to the last write; the watch may be behind it. */
  last?: Pod;
  retry?: Timer | undefined;
}

/** The newest status of each pod, written to the API server in order, each version at most once. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  get(podUID: string): PodStatus | undefined {
    return this.#entries.get(podUID)?.status;
  }

  /** Sets a new status; if it differs, it is written soon. */
  set(pod: Pod, status: PodStatus): void {
    this.#take(pod, status, {});
  }

  /** Marks that the pod has ended and nothing is left of it here. */
  terminate(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    const status = this.get(uid) ?? pod.status ?? {};
    const ended = terminatedStatus(pod, status, isStaticPod(pod));
    this.#take(pod, ended, { finished: true, force: true });
  }

  /** Writes again, because the server's status is not the one that was written, or mayRun() has changed. */
  rewrite(podUID: string): void {
    const entry = this.#entries.get(podUID);
    if (!entry) return;
    entry.version++;
    void this.#write(podUID, entry);
  }

  /** Handles a changed pod of the server: if its status is no longer the one that was written, it is written again. */
  reconcile(podUID: string): void {
    const entry = this.#entries.get(podUID);
    const target = this.#options.table.apiPod(podUID);
    if (!entry?.last || !target || newer(target, entry.last) === entry.last) return;
    if (target.metadata.resourceVersion !== entry.last.metadata.resourceVersion) {
      this.rewrite(podUID);
    }
  }

  /** Drops a pod that no longer exists. */
  forget(podUID: string): void {
    this.#entries.get(podUID)?.retry?.cancel();
    this.#entries.delete(podUID);
  }

  keepOnly(podUIDs: ReadonlySet<string>): void {
    for (const uid of [...this.#entries.keys()]) if (!podUIDs.has(uid)) this.forget(uid);
  }

  #take(pod: Pod, status: PodStatus, how: { finished?: boolean; force?: boolean }): void {
    const uid = pod.metadata.uid ?? "";
    const { clock, table } = this.#options;
    const entry = this.#entries.get(uid);
    const old = entry?.status ?? table.apiPod(uid)?.status ?? pod.status ?? {};
    const settled = settleStatus(status, old, clock.now());
    if (entry && !how.force && deepEqual(entry.status, settled)) {
      entry.pod = pod;
      return;
    }
    const next: Entry = entry ?? {
      pod,
      status,
      version: 0,
      writtenVersion: 0,
      finished: false,
      writing: false,
    };
    next.pod = pod;
    next.status = settled;
    next.version++;
    next.finished ||= how.finished ?? false;
    this.#entries.set(uid, next);
    void this.#write(uid, next);
  }

  async #write(uid: string, entry: Entry): Promise<void> {
    if (entry.writing || !this.#options.client) return;
    entry.writing = true;
    entry.retry?.cancel();
    entry.retry = undefined;
    try {
      while (entry.writtenVersion < entry.version && this.#entries.get(uid) === entry) {
        const { version } = entry;
        await this.#writeOnce(this.#options.client, uid, entry);
        entry.writtenVersion = version;
      }
    } catch (error) {
      log.error(error, "Failed to update status for pod", { podUID: uid });
      const again = (): void => void this.#write(uid, entry);
      entry.retry = this.#options.clock.setTimer(retryMs, again, { keepAlive: false });
    } finally {
      entry.writing = false;
    }
  }

  async #writeOnce(client: Client, uid: string, entry: Entry): Promise<void> {
    const target = this.#options.table.apiPod(uid);
    // A pod that the server no longer has needs no status; a static one may get its mirror later.
    if (!target) return;
    const { name = "", namespace } = entry.pod.metadata;
    const targetUID = target.metadata.uid ?? "";
    try {
      let pod = newer(target, entry.last);
      pod = await this.#patch(client, pod, entry);
      entry.last = pod;
      if (!this.#isToDelete(pod, entry)) return;
      await client.delete(
        pods,
        { name, namespace },
        {
          gracePeriodSeconds: 0,
          preconditions: { uid: targetUID },
        },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #patch(client: Client, pod: Pod, { pod: known, status }: Entry): Promise<Pod> {
    const { clock, table } = this.#options;
    const uid = known.metadata.uid ?? "";
    const merged = mergeStatus(pod, status, table.mayRun(uid), clock.now());
    const original = { status: pod.status ?? {} } as unknown as JsonObject;
    const modified = { status: merged } as unknown as JsonObject;
    const patch = createStrategicMergePatch(schemaOf(pods), { original, modified });
    if (Object.keys(patch).length === 0) return pod;
    const { name = "", namespace } = pod.metadata;
    const body = { metadata: { uid: pod.metadata.uid }, ...patch };
    const { steps } = this.#options;
    const fromMs = steps?.now() ?? 0;
    const written = await client.patchStatus(pods, { name, namespace }, body, {
      type: "strategic",
    });
    steps?.written(known, pod.status, merged, fromMs);
    return written;
  }

  #isToDelete(pod: Pod, { finished, pod: known }: Entry): boolean {
    if (!finished || isStaticPod(known)) return false;
    return pod.metadata.deletionTimestamp !== undefined && isTerminalPhase(pod.status?.phase);
  }
}

/** The one that the server wrote later. */
function newer(a: Pod, b: Pod | undefined): Pod {
  if (!b || a.metadata.uid !== b.metadata.uid) return a;
  const [first = "", second = ""] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  return compareVersions(first, second) < 0 ? b : a;
}
