/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (computePodActions). */
import type { Pod } from "#/api/core/v1.ts";
import { containerHash } from "../state/container-hash.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { type AnyContainer, isHostNetwork } from "../state/pod-containers.ts";
import { isToStart, restartsAfterKill } from "../state/restart-policy.ts";
import {
  type ActionContext,
  type ContainerKill,
  type KillReason,
  killUnknown,
} from "./container-kill.ts";
import { computeInitActions } from "./init-actions.ts";

/** The actions from the observed state of a pod to the desired one. Containers are identified by name. */
export interface PodActions {
  /** Stop all containers and the sandbox. */
  readonly killPod: boolean;
  /** Create a sandbox, after killPod if there was one before. */
  readonly createSandbox: boolean;
  /** The sandbox to use if none is created; "" if there is none. */
  readonly sandboxId: string;
  /** Attempt number of the sandbox that is created or used. */
  readonly attempt: number;
  readonly kill: readonly ContainerKill[];
  /** Removed one after another, killed first if they run: all containers start again. */
  readonly reset: readonly ObservedContainer[];
  readonly startEphemeral: readonly string[];
  /** In this order; the first failure stops the rest, unless it is a sidecar's. */
  readonly startInit: readonly string[];
  readonly start: readonly string[];
  /** Running containers to keep, whose resources may have to be changed. */
  readonly keep: readonly string[];
}

/** The next actions for a pod that has to run. Pure. */
export function computePodActions(
  pod: Pod,
  observed: ObservedPod,
  context: ActionContext,
): PodActions {
  const sandbox = sandboxChange(pod, observed);
  const base: PodActions = { ...nothing, ...sandbox, killPod: sandbox.createSandbox };
  if (context.restartAll) return { ...base, reset: containersToReset(pod, observed) };
  if (sandbox.createSandbox) return actionsForNewSandbox(pod, observed, base);

  const startEphemeral = (pod.spec.ephemeralContainers ?? [])
    .filter(({ name }) => findObserved(observed, name) === undefined)
    .map(({ name }) => name);
  const init = computeInitActions(pod, observed, context);
  const begun = {
    ...base,
    startEphemeral,
    kill: init.kill,
    startInit: init.start,
    keep: init.keep,
  };
  if (init.failed) return { ...begun, killPod: true, startInit: [] };
  if (!init.done) return begun;
  return actionsForContainers(pod, observed, context, begun);
}

const nothing = {
  kill: [],
  reset: [],
  startEphemeral: [],
  startInit: [],
  start: [],
  keep: [],
} as const;

/** The newest container of a name, if there was one. */
export function findObserved(observed: ObservedPod, name: string): ObservedContainer | undefined {
  return observed.containers.find((container) => container.name === name);
}

interface SandboxChange {
  readonly createSandbox: boolean;
  readonly sandboxId: string;
  readonly attempt: number;
}

/** Whether a pod needs a new sandbox: it has none, more than one, or one that is dead or doesn't match the spec. */
export function sandboxChange(pod: Pod, { sandboxes, ips }: ObservedPod): SandboxChange {
  const [newest] = sandboxes;
  if (newest === undefined) return { createSandbox: true, sandboxId: "", attempt: 0 };
  const fits = newest.hostNetwork === isHostNetwork(pod);
  const ready = sandboxes.filter((sandbox) => sandbox.ready).length === 1 && newest.ready;
  const addressed = isHostNetwork(pod) || ips.length > 0;
  if (ready && fits && addressed) {
    return { createSandbox: false, sandboxId: newest.id, attempt: newest.attempt };
  }
  const sandboxId = ready && !fits ? "" : newest.id;
  return { createSandbox: true, sandboxId, attempt: newest.attempt + 1 };
}

function actionsForNewSandbox(pod: Pod, observed: ObservedPod, base: PodActions): PodActions {
  const { spec } = pod;
  const everRan = observed.containers.length > 0;
  const done = { ...base, createSandbox: false };
  if (spec.restartPolicy === "Never" && base.attempt !== 0 && everRan) return done;
  const start = spec.containers
    .filter((container) => !hasSucceededForGood(container, pod, observed))
    .map(({ name }) => name);
  const initialized = spec.containers.some(({ name }) => findObserved(observed, name));
  if (start.length === 0 && initialized) return done;
  const [firstInit] = spec.initContainers ?? [];
  return firstInit ? { ...base, startInit: [firstInit.name] } : { ...base, start };
}

function hasSucceededForGood(container: AnyContainer, pod: Pod, observed: ObservedPod): boolean {
  if ((container.restartPolicy ?? pod.spec.restartPolicy) !== "OnFailure") return false;
  const last = findObserved(observed, container.name);
  return last?.state === "exited" && last.exitCode === 0;
}

function actionsForContainers(
  pod: Pod,
  observed: ObservedPod,
  context: ActionContext,
  begun: PodActions,
): PodActions {
  const start: string[] = [];
  const kill: ContainerKill[] = [...begun.kill];
  const keep: string[] = [];
  for (const container of pod.spec.containers) {
    const found = findObserved(observed, container.name);
    if (found?.state !== "running") {
      if (!isToStart(container, pod, found)) continue;
      start.push(container.name);
      if (found?.state === "unknown") kill.push(killUnknown(found, "Container"));
      continue;
    }
    const end = reasonToEnd(container, found, pod, context);
    if (end === undefined) keep.push(container.name);
    else {
      kill.push(end.kill);
      if (end.restart) start.push(container.name);
    }
  }
  const over = keep.length === 0 && start.length === 0;
  return {
    ...begun,
    start,
    kill,
    keep: [...begun.keep, ...keep],
    killPod: over,
    startInit: over ? [] : begun.startInit,
  };
}

function reasonToEnd(
  container: AnyContainer,
  found: ObservedContainer,
  pod: Pod,
  context: ActionContext,
): { kill: ContainerKill; restart: boolean } | undefined {
  const { name } = container;
  const restart = restartsAfterKill(container, pod.spec);
  const end = (message: string, reason: KillReason, again: boolean) => ({
    kill: {
      container: found,
      message: again ? `${message}, will be restarted` : message,
      reason,
    },
    restart: again,
  });
  if (found.hash !== containerHash(container)) {
    return end(`Container ${name} definition changed`, "", true);
  }
  if (context.probe("Liveness", found) === "Failure") {
    return end(`Container ${name} failed liveness probe`, "LivenessProbe", restart);
  }
  if (context.probe("Startup", found) === "Failure") {
    return end(`Container ${name} failed startup probe`, "StartupProbe", restart);
  }
  if (context.resizeRestarts?.(container, found)) {
    const message = `Container ${name} resize requires restart`;
    return { kill: { container: found, message, reason: "" }, restart: true };
  }
  return undefined;
}

/** The containers that caused the restart come last, so that the cause stays visible until all are removed. */
function containersToReset(pod: Pod, observed: ObservedPod): readonly ObservedContainer[] {
  const named = (containers: readonly AnyContainer[]): ObservedContainer[] =>
    containers.flatMap(({ name }) => observed.containers.filter((one) => one.name === name));
  const inOrder = [...named(pod.spec.containers), ...named(pod.spec.initContainers ?? [])];
  const isSource = (one: ObservedContainer): boolean => one.state === "exited";
  return [...inOrder.filter((one) => !isSource(one)), ...inOrder.filter(isSource)];
}
