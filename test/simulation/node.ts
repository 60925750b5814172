import { type Lease, leases } from "#/api/coordination/v1.ts";
import { type Node, nodes, type Pod, pods } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { RunningInformer } from "#/client/informers/informer.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { formatMicroTime, formatTime } from "#/machinery/time/time.ts";
import type { Clock, Timer } from "#/std/time/clock.ts";
import type { Dice } from "./dice.ts";
import { PodRun } from "./pod-run.ts";
import { nameOf } from "./pods.ts";
import type { Trace } from "./trace.ts";

export interface NodeOptions {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly trace: Trace;
}

/** Interval of a kubelet's heartbeats (ms). */
const heartbeatMs = 10_000;
const allocatable = { cpu: "4", memory: "8Gi", pods: "20" };

/** A node with a simulated kubelet: it reports the states of containers, with realistic delays. */
export class SimulatedNode {
  readonly options: NodeOptions;
  readonly #runs = new Map<string, PodRun>();
  #stop: AbortController | undefined;
  #heartbeat: Timer | undefined;

  constructor(options: NodeOptions) {
    this.options = options;
  }

  get isUp(): boolean {
    return this.#stop !== undefined;
  }

  get name(): string {
    return this.options.name;
  }

  start(): void {
    if (this.#stop) return;
    const { client, clock, name, dice } = this.options;
    const stop = new AbortController();
    this.#stop = stop;
    const selected = { fieldSelector: `spec.nodeName=${name}` };
    const informer = new RunningInformer(client, pods, selected, { clock, random: dice.random });
    informer.subscribe({
      added: (pod) => this.#sync(pod),
      updated: (old, pod) => {
        if (old.metadata.uid !== pod.metadata.uid) this.#forget(old);
        this.#sync(pod);
      },
      deleted: (pod) => this.#forget(pod),
    });
    void informer.run(stop.signal);
    const beat = () => void this.#beat().catch(() => undefined);
    this.#heartbeat = clock.every(heartbeatMs, beat);
    beat();
  }

  /** Switches the machine off: nothing is reported any more, and its containers are lost. */
  stop(): void {
    this.#stop?.abort();
    this.#stop = undefined;
    this.#heartbeat?.cancel();
    for (const run of this.#runs.values()) run.cancel();
    this.#runs.clear();
  }

  /** Kills a container of a Pod. */
  crash(uid: string): void {
    this.#runs.get(uid)?.crash();
  }

  #sync(pod: Pod): void {
    const uid = pod.metadata.uid ?? "";
    let run = this.#runs.get(uid);
    if (!run) {
      run = new PodRun(pod, this.options);
      this.#runs.set(uid, run);
    }
    run.sync(pod);
  }

  #forget({ metadata }: Pod): void {
    this.#runs.get(metadata.uid ?? "")?.cancel();
    this.#runs.delete(metadata.uid ?? "");
  }

  async #beat(): Promise<void> {
    const { client, name, clock, trace } = this.options;
    const node = await this.#ensureNode();
    if (!hasCondition(node.status?.conditions, "Ready")) {
      trace.add(nameOf(node), "reports that it is Ready");
      const time = formatTime(clock.now());
      const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "" };
      const conditions = [{ ...ready, lastHeartbeatTime: time, lastTransitionTime: time }];
      await client.patchStatus(
        nodes,
        { name },
        { status: { allocatable, capacity: allocatable, conditions } },
      );
    }
    const ref = { namespace: "kube-node-lease", name };
    const renewTime = formatMicroTime(clock.now());
    const spec: Lease["spec"] = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
    try {
      await client.patch(leases, ref, { spec }, { type: "merge" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await client.create(leases, { metadata: ref, spec });
    }
  }

  async #ensureNode(): Promise<Node> {
    const { client, name } = this.options;
    try {
      return await client.get(nodes, { name });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const labels = { "kubernetes.io/hostname": name };
      return client.create(nodes, { metadata: { name, labels }, spec: {} });
    }
  }
}
