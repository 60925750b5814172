/** Upstream: pkg/kubelet/prober/prober_manager.go, pkg/kubelet/prober/prober.go. */
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from "#/api/core/v1.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { type Random, systemRandom } from "#/std/base/random.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { PodEvents } from "../state/pod-events.ts";
import type { ProbeChange, ProbeKind, ProbeResult, Probes } from "../state/pod-services.ts";
import { ProbeResults } from "./probe-results.ts";
import { ProbeWorker } from "./probe-worker.ts";
import type { ProbeOutcome, ProbeRunner, ProbeTarget } from "./run-probe.ts";

interface PodProbesOptions {
  readonly clock: Clock;
  readonly random?: Random;
  readonly statuses: {
    /** The newest status that the kubelet has computed for a pod. */
    get(podUID: string): PodStatus | undefined;
  };
  readonly runner: Pick<ProbeRunner, "run">;
  readonly events: PodEvents;
  /** Counts finished probes, for metrics. */
  observe?(kind: ProbeKind, target: ProbeTarget, result: ProbeResult, seconds: number): void;
  /** Removes the counts of a container's probe that has ended for good. */
  forget?(kind: ProbeKind, target: Pick<ProbeTarget, "pod" | "container">): void;
}

/** Limit of the tries of a probe that could not be run. */
const maxTries = 3;
const restartGraceMs = 10_000;

/** The probes of all containers of this node. */
export class PodProbes implements Probes {
  readonly #options: PodProbesOptions;
  readonly #startMs: number;
  readonly #results = new ProbeResults();
  readonly #workers = new Map<string, { podUID: string; kind: ProbeKind; worker: ProbeWorker }>();

  constructor(options: PodProbesOptions) {
    this.#options = options;
    this.#startMs = options.clock.now();
  }

  addPod(pod: Pod): void {
    const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar);
    for (const container of [...pod.spec.containers, ...sidecars]) {
      this.#add(pod, container, "Startup", container.startupProbe);
      this.#add(pod, container, "Readiness", container.readinessProbe);
      this.#add(pod, container, "Liveness", container.livenessProbe);
    }
  }

  stopLivenessAndStartup(pod: Pod): void {
    const main = new Set(pod.spec.containers.map(({ name }) => name));
    for (const [key, { podUID, kind, worker }] of [...this.#workers]) {
      const name = key.slice(key.lastIndexOf("/") + 1);
      if (podUID === pod.metadata.uid && kind !== "Readiness" && main.has(name)) worker.stop();
    }
  }

  removePod(podUID: string): void {
    for (const entry of [...this.#workers.values()]) {
      if (entry.podUID === podUID) entry.worker.stop();
    }
  }

  keepOnly(podUIDs: ReadonlySet<string>): void {
    for (const { podUID, worker } of [...this.#workers.values()]) {
      if (!podUIDs.has(podUID)) worker.stop();
    }
  }

  result(kind: ProbeKind, containerID: string): ProbeResult | undefined {
    return this.#results.get(kind, containerID);
  }

  subscribe(listener: (change: ProbeChange) => void): Disposable {
    return this.#results.subscribe(listener);
  }

  applyResults(pod: Pod, status: PodStatus): PodStatus {
    const containerStatuses = status.containerStatuses?.map((one) =>
      this.#applied(pod, one, containerNamed(pod.spec.containers, one.name)),
    );
    const initContainerStatuses = status.initContainerStatuses?.map((one) => {
      const container = containerNamed(pod.spec.initContainers, one.name);
      if (container !== undefined && isSidecar(container))
        return this.#applied(pod, one, container);
      const ready = one.state?.terminated?.exitCode === 0 ? true : one.ready;
      return { ...one, started: this.#isStarted(pod, one), ready };
    });
    return {
      ...status,
      ...(containerStatuses && { containerStatuses }),
      ...(initContainerStatuses && { initContainerStatuses }),
    };
  }

  #add(pod: Pod, container: Container, kind: ProbeKind, probe: Probe | undefined): void {
    const podUID = pod.metadata.uid ?? "";
    const key = keyOf(podUID, container.name, kind);
    if (probe === undefined || this.#workers.has(key)) return;
    const { clock, random = systemRandom } = this.#options;
    const periodMs = (probe.periodSeconds ?? 10) * 1000;
    const young = periodMs > clock.now() - this.#startMs;
    const subject = { kind, probe, pod, container, kubeletStartMs: this.#startMs };
    const worker = new ProbeWorker(subject, {
      clock,
      firstDelayMs: young ? random() * periodMs : 0,
      status: () => this.#options.statuses.get(podUID),
      run: (target) => this.#run(kind, probe, target),
      record: (containerID, result) => this.#results.set({ kind, result, podUID, containerID }),
      forget: (containerID) => this.#results.remove(kind, containerID),
      ended: () => {
        this.#workers.delete(key);
        this.#options.forget?.(kind, { pod, container });
      },
    });
    this.#workers.set(key, { podUID, kind, worker });
  }

  /** Probes, and records an Event for a failure; undefined if no probe could be run. */
  async #run(
    kind: ProbeKind,
    probe: Probe,
    target: ProbeTarget,
  ): Promise<ProbeOutcome | undefined> {
    const { clock, runner, observe } = this.#options;
    const warn = (reason: "Unhealthy" | "ProbeWarning", message: string) =>
      this.#warn(target, reason, message);
    const start = clock.monotonicMs();
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome = await runner.run(probe, target);
        const { result, output } = outcome;
        if (result === "warning") warn("ProbeWarning", `${kind} probe warning: ${output}`);
        if (result === "failure") warn("Unhealthy", `${kind} probe failed: ${output}`);
        const seconds = (clock.monotonicMs() - start) / 1000;
        // A worker that was stopped meanwhile has removed its counts.
        if (this.#worker(target.pod, target.container.name, kind))
          observe?.(kind, target, result === "failure" ? "Failure" : "Success", seconds);
        return outcome;
      } catch (error) {
        if (attempt < maxTries) continue;
        const reason = error instanceof Error ? error.message : String(error);
        const message = `${kind} probe errored and resulted in unknown state: ${reason}`;
        warn("Unhealthy", message);
        return undefined;
      }
    }
  }

  #warn({ pod, container }: ProbeTarget, reason: string, message: string): void {
    const { events } = this.#options;
    events.record(pod, { type: "Warning", reason, message, container: container.name });
  }

  #isStarted(pod: Pod, { state, containerID = "", started, name }: ContainerStatus): boolean {
    if (state?.running === undefined) return false;
    const result = this.#results.get("Startup", containerID);
    if (result !== undefined) return result === "Success";
    return started === true || this.#worker(pod, name, "Startup") === undefined;
  }

  #applied(pod: Pod, status: ContainerStatus, container: Container | undefined): ContainerStatus {
    const started = this.#isStarted(pod, status);
    if (!started) return { ...status, started };
    return { ...status, started, ready: this.#isReady(pod, status, container) };
  }

  #isReady(pod: Pod, status: ContainerStatus, container: Container | undefined): boolean {
    const { state, containerID = "", name } = status;
    if (state?.running === undefined) return false;
    const result = this.#results.get("Readiness", containerID);
    if (result === "Success") return true;
    const worker = this.#worker(pod, name, "Readiness");
    worker?.trigger();
    const startedMs = parseTime(state.running.startedAt ?? "");
    if (startedMs >= this.#startMs - restartGraceMs) return worker === undefined;
    if (container?.readinessProbe === undefined) return true;
    const wasReady = pod.status?.conditions?.some(
      ({ type, status }) => type === "Ready" && status === "True",
    );
    return wasReady === true && (worker === undefined || result === undefined);
  }

  #worker(pod: Pod, containerName: string, kind: ProbeKind): ProbeWorker | undefined {
    return this.#workers.get(keyOf(pod.metadata.uid ?? "", containerName, kind))?.worker;
  }
}

function keyOf(podUID: string, containerName: string, kind: ProbeKind): string {
  return `${podUID}/${kind}/${containerName}`;
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}

function containerNamed(containers: readonly Container[] | undefined, name: string) {
  return containers?.find((one) => one.name === name);
}
