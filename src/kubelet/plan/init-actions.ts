/** Upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (computeInitContainerActions). */
import type { Pod } from "#/api/core/v1.ts";
import { containerHash } from "../state/container-hash.ts";
import type { ObservedContainer, ObservedPod } from "../state/observed-pod.ts";
import { type AnyContainer, isSidecar } from "../state/pod-containers.ts";
import { isToStart, restartsAfterKill } from "../state/restart-policy.ts";
import {
  type ActionContext,
  type ContainerKill,
  type KillReason,
  killUnknown,
} from "./container-kill.ts";

export interface InitActions {
  /** All init containers are done, so ordinary ones may start. */
  readonly done: boolean;
  /** An init container has failed for good, and with it the pod. */
  readonly failed: boolean;
  readonly start: readonly string[];
  readonly kill: readonly ContainerKill[];
  readonly keep: readonly string[];
}

/**
 * Init containers run one after another; a sidecar counts as done once it runs and its startup probe succeeded. They
 * are checked from last to first, because containers that ended long ago may have been removed: the last existing
 * one shows the progress of the pod.
 */
export function computeInitActions(
  pod: Pod,
  observed: ObservedPod,
  context: ActionContext,
): InitActions {
  const containers = pod.spec.initContainers ?? [];
  if (containers.length === 0) return { done: true, failed: false, start: [], kill: [], keep: [] };
  const active = activeContainers(observed);
  let done = pod.spec.containers.some(({ name }) => active.has(name));
  let reached = done;
  const start = new Set<string>();
  const kill: ContainerKill[] = [];
  const keep: string[] = [];
  for (const [index, container] of [...containers.entries()].reverse()) {
    const found = active.get(container.name);
    if (found === undefined) {
      if (reached && isSidecar(container)) start.add(container.name);
      continue;
    }
    if (reached && !isSidecar(container)) continue;
    const step = isSidecar(container)
      ? sidecarStep(container, found, context)
      : initStep(container, found, pod);
    if (step.failed) return { done: false, failed: true, start: [], kill: [], keep: [] };
    if (step.kill) kill.push(step.kill);
    if (step.start) start.add(container.name);
    if (step.keep) keep.push(container.name);
    if (step.done) {
      const next = containers[index + 1];
      if (next === undefined) done = true;
      else if (!reached) start.add(next.name);
    }
    reached = true;
  }
  const [first] = containers;
  if (!reached && first) start.add(first.name);
  const inOrder = containers.map(({ name }) => name).filter((name) => start.has(name));
  return { done, failed: false, start: inOrder, kill, keep };
}

/** The actions for one init container. */
interface Step {
  readonly done?: boolean;
  readonly failed?: boolean;
  readonly start?: boolean;
  readonly kill?: ContainerKill;
  readonly keep?: boolean;
}

function sidecarStep(
  container: AnyContainer,
  found: ObservedContainer,
  context: ActionContext,
): Step {
  if (found.state === "unknown") return { start: true, kill: killUnknown(found, "Init container") };
  if (found.state !== "running") return { start: true };
  const replace = (message: string, reason: KillReason): Step => ({
    start: true,
    kill: { container: found, message: `Init container ${container.name} ${message}`, reason },
  });
  if (container.startupProbe) {
    const result = context.probe("Startup", found);
    if (result === "Failure") return replace("failed startup probe", "StartupProbe");
    if (result !== "Success") return { keep: true };
  }
  if (found.hash !== containerHash(container)) {
    return { done: true, ...replace("definition changed", "") };
  }
  if (container.livenessProbe && context.probe("Liveness", found) === "Failure") {
    return { done: true, ...replace("failed liveness probe", "LivenessProbe") };
  }
  if (context.resizeRestarts?.(container, found)) {
    return { done: true, ...replace("resize requires restart", "") };
  }
  return { done: true, keep: true };
}

function initStep(container: AnyContainer, found: ObservedContainer, pod: Pod): Step {
  switch (found.state) {
    case "created":
      return { start: true };
    case "running":
      return { keep: true };
    case "exited":
      if (found.exitCode === 0 && found.reason !== "OOMKilled") return { done: true };
      return isToStart(container, pod, found) ? { start: true } : { failed: true };
    case "unknown":
      if (!restartsAfterKill(container, pod.spec)) return { failed: true };
      return { start: true, kill: killUnknown(found, "Init container") };
  }
}

/** The newest container of each name in the current sandbox, if that is ready. */
function activeContainers({ sandboxes, containers }: ObservedPod): Map<string, ObservedContainer> {
  const [newest] = sandboxes;
  const active = new Map<string, ObservedContainer>();
  for (const container of containers) {
    if (!newest?.ready || container.sandboxId !== newest.id) continue;
    if (!active.has(container.name)) active.set(container.name, container);
  }
  return active;
}
