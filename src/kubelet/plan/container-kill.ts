import type { ObservedContainer } from "../state/observed-pod.ts";
import type { AnyContainer } from "../state/pod-containers.ts";
import type { ProbeKind, ProbeResult } from "../state/pod-services.ts";

export interface ContainerKill {
  readonly container: ObservedContainer;
  readonly message: string;
  readonly reason: KillReason;
}

/** Why a container is killed, as far as its grace period depends on it. */
export type KillReason =
  | ""
  | "Unknown"
  | "StartupProbe"
  | "LivenessProbe"
  | "FailedPostStartHook"
  | "RestartAllContainers";

/** The input of the actions besides the pod and its observed state. */
export interface ActionContext {
  probe(kind: ProbeKind, container: ObservedContainer): ProbeResult | undefined;
  /** True while all containers of the pod are being restarted. */
  readonly restartAll?: boolean;
  /** Whether a change of its resources requires a restart of a running container. */
  resizeRestarts?(container: AnyContainer, observed: ObservedContainer): boolean;
}

/** A container in an unknown state is killed before it is replaced. */
export function killUnknown(container: ObservedContainer, what: string): ContainerKill {
  const message = `${what} is in "unknown" state, try killing it before restart`;
  return { container, message, reason: "Unknown" };
}
