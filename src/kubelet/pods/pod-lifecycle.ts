/** Upstream: pkg/kubelet/kubelet.go (SyncPod, SyncTerminatingPod, SyncTerminatedPod). */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Pod, PodStatus } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { settleAll } from "#/std/async/settle-all.ts";
import { exponentialBackoff } from "#/std/time/backoff.ts";
import { computePodActions, type PodActions } from "../plan/pod-actions.ts";
import type { WorkerState } from "../plan/worker-state.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { isHostNetwork } from "../state/pod-containers.ts";
import type { Eviction, PodServices } from "../state/pod-services.ts";
import { StartError } from "../state/start-error.ts";
import { isStaticPod } from "../state/static-pods.ts";
import type { StartFailure } from "../status/container-statuses.ts";
import { computePodStatus } from "../status/pod-status.ts";
import { isTerminalPhase } from "../status/settle-status.ts";
import type { StatusWriter } from "../status/status-writer.ts";
import { VolumeSetUpError } from "../volumes/volume-plugin.ts";
import { type PodWork, RetryLater, type SyncOutcome } from "./pod-worker.ts";
import type { RuntimeContext } from "./runtime-context.ts";
import type { RuntimeWatch } from "./runtime-watch.ts";
import { stopPod } from "./stop-pod.ts";
import { syncPod } from "./sync-pod.ts";

/** Back-off of failed mounts, as upstream's for each volume. A volume may be ready earlier; the pod is then woken. */
const mountBackoff = exponentialBackoff({ baseMs: 500, maxMs: 122_000 });

/** Delay before another try (ms): a missing network may soon be there. */
const networkRetryMs = 1_000;

interface PodLifecycleOptions extends PodServices {
  readonly context: RuntimeContext;
  readonly watch: RuntimeWatch;
  readonly statuses: StatusWriter;
  /** Type of the runtime in container ids: `containerd`. */
  readonly runtimeName: string;
  /** Why pods cannot have a network; undefined if they can. */
  networkProblem(): string | undefined;
  recursiveReadOnly(): boolean;
  /** Creates or corrects the mirror of a static pod in the API. */
  ensureMirror(pod: Pod): Promise<void>;
  readonly resize?: PodResize;
}

/** In-place changes of resources. */
export interface PodResize {
  /** Whether a change of its resources requires a restart of a running container. */
  restarts(pod: Pod, container: string, observed: ObservedContainer): boolean;
  /** Updates the resources of running containers and the pod's cgroup. Returns whether the status is another one now. */
  apply(pod: Pod, observed: ObservedPod, actions: PodActions): Promise<boolean>;
  conditions(pod: Pod): NonNullable<PodStatus["conditions"]>;
  forget(podUID: string): void;
}

/** The work on a pod in each state of its worker. */
export class PodLifecycle implements PodWork {
  readonly #options: PodLifecycleOptions;
  /** Why the last tries to start containers failed, by pod and container. */
  readonly #failures = new Map<string, Map<string, StartFailure>>();
  /** Pods for which the runtime was called before, for their state or to create containers. */
  readonly #seen = new Set<string>();
  /** How often in a row volumes could not be mounted, by pod. */
  readonly #mountFailures = new Map<string, number>();

  constructor(options: PodLifecycleOptions) {
    this.#options = options;
  }

  async sync(pod: Pod, signal: AbortSignal): Promise<SyncOutcome> {
    const { statuses, resize } = this.#options;
    const uid = pod.metadata.uid ?? "";
    const { steps } = this.#options.context;
    const { observed, status } = await steps.runOnce(pod, "accept", async () => {
      const found = await this.#observe(uid);
      return { observed: found, status: this.#report(pod, found, {}) };
    });
    if (isTerminalPhase(status.phase)) return { ended: true };
    await steps.runOnce(pod, "volumes", () => this.#prepare(pod, observed, signal));
    if (signal.aborted) return { ended: false, afterMs: 0 };
    const actions = this.#actions(pod, observed, statuses.get(uid) ?? status);
    const resized = (await resize?.apply(pod, observed, actions)) ?? false;
    await this.#execute(pod, observed, actions, signal);
    return { ended: false, ...(resized ? { afterMs: 0 } : this.#nextLook(pod, actions)) };
  }

  async stop(
    pod: Pod,
    { graceSeconds, eviction }: WorkerState & { kind: "terminating" },
    signal: AbortSignal,
  ): Promise<void> {
    const { watch, context, probes } = this.#options;
    const uid = pod.metadata.uid ?? "";
    const observed = await watch.refresh(uid);
    this.#report(pod, observed, { eviction });
    probes.stopLivenessAndStartup(pod);
    try {
      const stopAll = () => stopPod(context, { pod, observed, graceSeconds, signal });
      await context.steps.run(pod, "stop", stopAll);
    } catch (error) {
      if (signal.aborted) return;
      const message = `error killing pod: ${(error as Error).message}`;
      context.events.record(pod, { type: "Warning", reason: "FailedKillPod", message });
      throw error;
    }
    probes.removePod(uid);
    const stopped = await watch.refresh(uid);
    const running = stopped.containers.filter(({ state }) => state === "running");
    if (running.length > 0) {
      const ids = running.map(({ id }) => `${this.#options.runtimeName}://${id}`);
      throw new Error(
        `detected running containers after a successful KillPod, CRI violation: [${ids.join(" ")}]`,
      );
    }
    // Addresses stay in the status, although a stopped sandbox has none.
    this.#report(pod, { ...stopped, ips: observed.ips }, { terminal: true, eviction });
  }

  async settle(pod: Pod, _signal: AbortSignal): Promise<void> {
    const { volumes, cgroups, statuses, resize, context } = this.#options;
    const uid = pod.metadata.uid ?? "";
    await volumes.unmount(uid);
    await cgroups.remove(uid);
    context.userNamespaces.release(uid);
    context.steps.forget(uid);
    this.#failures.delete(uid);
    this.#mountFailures.delete(uid);
    this.#seen.delete(uid);
    resize?.forget(uid);
    statuses.terminate(pod);
  }

  async #prepare(pod: Pod, observed: ObservedPod, signal: AbortSignal): Promise<void> {
    const { probes, context, networkProblem, ensureMirror } = this.#options;
    const problem = networkProblem();
    if (problem !== undefined && !isHostNetwork(pod)) {
      const message = `network is not ready: ${problem}`;
      context.events.record(pod, { type: "Warning", reason: "NetworkNotReady", message });
      throw new RetryLater(message, networkRetryMs);
    }
    await makeDirectories(context, pod);
    await settleAll([
      this.#ensureCgroup(pod, observed).then(() => ensureMirror(pod)),
      this.#mountVolumes(pod, signal),
    ]);
    probes.addPod(pod);
  }

  async #ensureCgroup(pod: Pod, observed: ObservedPod): Promise<void> {
    const { cgroups, context, resize } = this.#options;
    // While containers run, their resources and the pod's change together: see PodResize.apply.
    if (resize && observed.containers.some(({ state }) => state === "running")) return;
    await cgroups.ensure(pod).catch((error) => {
      const message = `unable to ensure pod container exists: ${(error as Error).message}`;
      context.events.record(pod, { type: "Warning", reason: "FailedCreatePodContainer", message });
      throw error;
    });
  }

  async #mountVolumes(pod: Pod, signal: AbortSignal): Promise<void> {
    const { volumes, context } = this.#options;
    const uid = pod.metadata.uid ?? "";
    await volumes.mount(pod, signal).catch((error) => {
      if (signal.aborted) throw error;
      const message = (error as Error).message;
      context.events.record(pod, { type: "Warning", reason: "FailedMount", message });
      const failures = (this.#mountFailures.get(uid) ?? 0) + 1;
      this.#mountFailures.set(uid, failures);
      const waited = error instanceof VolumeSetUpError ? error.retryAfterMs : undefined;
      throw new RetryLater(message, waited ?? mountBackoff(failures), { cause: error });
    });
    this.#mountFailures.delete(uid);
  }

  /** A new pod needs no request to the runtime: its earlier containers would be known. */
  async #observe(uid: string): Promise<ObservedPod> {
    const { watch } = this.#options;
    if (this.#seen.has(uid) || watch.get(uid)) return watch.refresh(uid);
    this.#seen.add(uid);
    return { uid, name: "", namespace: "", ips: [], sandboxes: [], containers: [] };
  }

  #actions(pod: Pod, observed: ObservedPod, status: PodStatus): PodActions {
    const { probes, runtimeName, resize } = this.#options;
    return computePodActions(pod, observed, {
      probe: (kind, { id }) => probes.result(kind, `${runtimeName}://${id}`),
      restartAll: hasCondition(status.conditions, "AllContainersRestarting"),
      resizeRestarts: (container, found) => resize?.restarts(pod, container.name, found) ?? false,
    });
  }

  async #execute(
    pod: Pod,
    observed: ObservedPod,
    actions: PodActions,
    signal: AbortSignal,
  ): Promise<void> {
    const { context, watch, statuses } = this.#options;
    const uid = pod.metadata.uid ?? "";
    const podIPs = (statuses.get(uid)?.podIPs ?? []).map(({ ip }) => ip);
    try {
      await syncPod(context, {
        pod,
        observed,
        actions,
        podIPs,
        started: (name, failure) => this.#started(uid, name, failure),
        sandboxReady: (status) => void this.#report(pod, watch.withSandbox(observed, status), {}),
        signal,
      });
    } catch (error) {
      if (signal.aborted) return;
      this.#report(pod, await watch.refresh(uid), {});
      const afterMs = error instanceof StartError ? error.retryAfterMs : undefined;
      if (afterMs === undefined) throw error;
      throw new RetryLater((error as Error).message, afterMs, { cause: error });
    }
  }

  #started(uid: string, name: string, failure: StartError | undefined): void {
    const failures = this.#failures.get(uid) ?? new Map<string, StartFailure>();
    this.#failures.set(uid, failures);
    if (failure) failures.set(name, failure);
    else failures.delete(name);
  }

  /**
   * The delay until the next sync: 0 after a change, so that it is reported; else until the deadline, if that is next.
   */
  #nextLook(pod: Pod, actions: PodActions): { afterMs?: number } {
    const acted =
      actions.killPod ||
      actions.createSandbox ||
      [actions.kill, actions.reset, actions.start, actions.startInit, actions.startEphemeral].some(
        ({ length }) => length > 0,
      );
    if (acted) return { afterMs: 0 };
    const leftMs = this.#deadlineLeftMs(pod);
    return leftMs === undefined ? {} : { afterMs: Math.min(leftMs, 60_000) };
  }

  #deadlineLeftMs(pod: Pod): number | undefined {
    const { statuses, context } = this.#options;
    const { activeDeadlineSeconds } = pod.spec;
    const start = statuses.get(pod.metadata.uid ?? "")?.startTime ?? pod.status?.startTime;
    if (activeDeadlineSeconds === undefined || start === undefined) return undefined;
    return Math.max(0, parseTime(start) + activeDeadlineSeconds * 1000 - context.clock.now());
  }

  /** Computes the pod's status and passes it to the writer. */
  #report(
    pod: Pod,
    observed: ObservedPod,
    how: { terminal?: boolean; eviction?: Eviction | undefined },
  ): PodStatus {
    const { statuses, probes, node, runtimeName, resize, context } = this.#options;
    const uid = pod.metadata.uid ?? "";
    context.steps.observed(pod, observed.containers);
    const old = statuses.get(uid) ?? pod.status ?? {};
    const { eviction } = how;
    const late = this.#deadlineLeftMs(pod) === 0 ? deadlineExceeded : undefined;
    const failed = eviction ? { reason: eviction.reason, message: eviction.message } : late;
    const status = computePodStatus({
      pod,
      observed,
      old: eviction?.condition ? withCondition(old, eviction.condition) : old,
      terminal: how.terminal ?? false,
      isStatic: isStaticPod(pod),
      hostIPs: node.hostIPs(),
      runtimeName,
      recursiveReadOnly: this.#options.recursiveReadOnly(),
      failureOf: (name) => this.#failures.get(uid)?.get(name),
      applyProbes: (made) => probes.applyResults(pod, made),
      resizeConditions: resize?.conditions(pod) ?? [],
      failed,
    });
    statuses.set(pod, status);
    return status;
  }
}

const deadlineExceeded = {
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
};

function withCondition(
  status: PodStatus,
  condition: NonNullable<Eviction["condition"]>,
): PodStatus {
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { ...status, conditions: [...others, condition] };
}

async function makeDirectories({ directories, events }: RuntimeContext, pod: Pod): Promise<void> {
  const directory = directories.pod(pod.metadata.uid ?? "");
  try {
    const make = (name: string) => mkdir(join(directory, name), { recursive: true, mode: 0o750 });
    await settleAll(["volumes", "plugins"].map(make));
  } catch (error) {
    const message = `error making pod data directories: ${(error as Error).message}`;
    events.record(pod, { type: "Warning", reason: "FailedMakePodDataDirectories", message });
    throw error;
  }
}
