import { type Pod, type PodCondition, pods } from "#/api/core/v1.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { logger } from "#/std/log/log.ts";
import { type PodInfo, podKey } from "../cache/pod-info.ts";
import type { PluginContext } from "../framework/context.ts";
import { patchPodStatus } from "../framework/pod-status.ts";
import type { Candidate } from "./pick-candidate.ts";

const log = logger("scheduler");

/** Evicts victims in the background. The preemptor waits until their deletion has started. */
export class Evictor {
  readonly #context: PluginContext;
  readonly #plugin: string;
  /** UIDs of preemptors whose victims are being evicted, with the last victim once its eviction has started. */
  readonly #running = new Map<string, Pod | undefined>();

  constructor(context: PluginContext, plugin: string) {
    this.#context = context;
    this.#plugin = plugin;
  }

  /** True if the pod has to wait: its last victim isn't being deleted yet. */
  isRunningFor(uid: string): boolean {
    if (!this.#running.has(uid)) return false;
    const last = this.#running.get(uid);
    if (last === undefined) return true;
    const { namespace, name = "" } = last.metadata;
    const now = this.#context.lister(pods).get(namespace, name);
    return now !== undefined && now.metadata.deletionTimestamp === undefined;
  }

  /** Starts the evictions; never rejects. */
  evict(preemptor: PodInfo, { nodeName, victims }: Candidate): void {
    const alive = victims.pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (alive.length === 0) return;
    this.#running.set(preemptor.uid, undefined);
    this.#evictAll(preemptor, nodeName, alive)
      .then((again) => {
        this.#running.delete(preemptor.uid);
        if (again) this.#context.activate([preemptor]);
      })
      .catch((error: unknown) => {
        this.#running.delete(preemptor.uid);
        log.error(error, "failed to preempt", { pod: podKey(preemptor.pod), node: nodeName });
        this.#context.activate([preemptor]);
      });
  }

  /** Resolves with true if the preemptor must be activated explicitly, as no deletion will be observed. */
  async #evictAll(preemptor: PodInfo, nodeName: string, victims: readonly Pod[]): Promise<boolean> {
    await this.#clearNominations(preemptor, nodeName);
    const last = victims.at(-1);
    const others = victims.slice(0, -1);
    await Promise.all(others.map((victim) => this.#evictOne(preemptor, nodeName, victim)));
    if (last === undefined) return false;
    this.#running.set(preemptor.uid, last);
    return this.#evictOne(preemptor, nodeName, last);
  }

  /** Pods of lower priority lose their nomination for this node. */
  async #clearNominations(preemptor: PodInfo, nodeName: string): Promise<void> {
    const lower = this.#context.nominatedOn(nodeName).filter(({ priority, pod }) => {
      return priority < preemptor.priority && pod.status?.nominatedNodeName;
    });
    await Promise.all(
      lower.map(({ pod }) => patchPodStatus(this.#context, pod, { nominatedNodeName: null })),
    );
  }

  /** Resolves with true if the victim was rejected before it was bound. */
  async #evictOne(preemptor: PodInfo, nodeName: string, victim: Pod): Promise<boolean> {
    const { client } = this.#context;
    const message = `Preempted by pod ${preemptor.uid} on node ${nodeName}`;
    const inMemory = this.#context.cancelBinding(
      victim.metadata.uid ?? "",
      this.#plugin,
      `preempted by ${this.#plugin}`,
    );
    if (!inMemory) {
      try {
        const condition = this.#disruption(preemptor, victim);
        await patchPodStatus(this.#context, victim, { condition });
        const { namespace, name = "" } = victim.metadata;
        await client.delete(pods, { namespace, name });
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    }
    this.#context.record({
      regarding: victim,
      onBehalfOf: preemptor.pod,
      type: "Normal",
      reason: "Preempted",
      action: "Preempting",
      note: inMemory ? `${message} (in kube-scheduler memory).` : message,
    });
    return inMemory;
  }

  #disruption({ pod }: PodInfo, victim: Pod): Omit<PodCondition, "lastTransitionTime"> {
    const scheduler = pod.spec.schedulerName ?? "";
    const { generation } = victim.metadata;
    return {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${scheduler}: preempting to accommodate a higher priority pod`,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
  }
}
