import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from "#/api/core/v1.ts";
import { ageMs } from "../base/text.ts";

/** A container of a Pod with its status. */
export interface ContainerFacts {
  readonly name: string;
  readonly role: "init" | "sidecar" | "container";
  /** As a sentence names it: `init container "migrate" (2 of 3)`, or `container "web"`. */
  readonly label: string;
  readonly spec: Container;
  readonly status: ContainerStatus | undefined;
}

/** The containers of a Pod in the order in which they start. */
export function containersOf({ spec, status }: Pod): readonly ContainerFacts[] {
  const init = spec.initContainers ?? [];
  const main = spec.containers ?? [];
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const facts = (role: ContainerFacts["role"], container: Container, label: string) => ({
    name: container.name,
    role,
    label,
    spec: container,
    status: statuses.find(({ name }) => name === container.name),
  });
  return [
    ...init.map((container, index) => {
      const role = container.restartPolicy === "Always" ? "sidecar" : "init";
      const place = init.length > 1 ? ` (${index + 1} of ${init.length})` : "";
      const noun = role === "sidecar" ? "sidecar" : "init container";
      return facts(role, container, `${noun} "${container.name}"${place}`);
    }),
    ...main.map((container) => facts("container", container, `container "${container.name}"`)),
  ];
}

/** Waiting reasons of a normal start. */
const normalWaits = new Set(["ContainerCreating", "PodInitializing"]);

/** The reason why a container waits, beyond a normal start. */
export function waitingReason({ status }: ContainerFacts): string | undefined {
  const reason = status?.state?.waiting?.reason;
  return reason === undefined || normalWaits.has(reason) ? undefined : reason;
}

/** The first container that waits for one of these reasons. */
export function findWaiting(pod: Pod, reasons: readonly string[]): ContainerFacts | undefined {
  return containersOf(pod).find((one) => reasons.includes(waitingReason(one) ?? ""));
}

export const waitingMessage = ({ status }: ContainerFacts): string =>
  status?.state?.waiting?.message ?? "";

/** How a container ended: now, or before it was started again. */
export const endOf = ({ status }: ContainerFacts): ContainerStateTerminated | undefined =>
  status?.state?.terminated ?? status?.lastState?.terminated;

/** Limits (ms) of the age of an end, and of the time since the restart, of a container that goes on crashing. */
const recentEndMs = 10 * 60_000;
const freshStartMs = 60_000;
/** Number of restarts from which a container counts as crashing even while it runs. */
const manyRestarts = 3;

/**
 * Whether a container is held up by its own ends: it waits to be started again, has failed for good, or runs only
 * since it ended the last time, a moment ago or for the third time.
 */
export function isCrashing(container: ContainerFacts, pod: Pod, nowMs: number): boolean {
  const { status, role } = container;
  if (waitingReason(container) === "CrashLoopBackOff") return true;
  const ended = status?.state?.terminated;
  if (ended !== undefined) {
    return ended.exitCode !== 0 || (role !== "init" && pod.spec.restartPolicy === "Always");
  }
  const { running } = status?.state ?? {};
  const last = status?.lastState?.terminated;
  if (!running || !last || ageMs(last.finishedAt, nowMs) > recentEndMs) return false;
  return (
    (status?.restartCount ?? 0) >= manyRestarts || ageMs(running.startedAt, nowMs) < freshStartMs
  );
}

/** Whether a Pod needs no explanation: it serves, or has done its work. */
export const isWell = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined && (hasSucceeded(pod) || isReady(pod));

export const isReady = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: value }) => type === "Ready" && value === "True",
  );

export const isScheduled = ({ spec }: Pod): boolean =>
  spec.nodeName !== undefined && spec.nodeName !== "";

/** Whether all containers of a Pod have done their work. */
export const hasSucceeded = ({ status }: Pod): boolean => status?.phase === "Succeeded";

/** Whether a Pod has ended for good. */
export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";
