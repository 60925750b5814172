import type { Decoded } from "#/std/protobuf/protobuf.ts";
import type { StatusResponse } from "../cri/runtime-service.ts";

export type RuntimeStatus = Decoded<typeof StatusResponse>;

/** The last known state of the runtime. */
export interface RuntimeHealth {
  /** The last answer; undefined before the first. */
  readonly status: RuntimeStatus | undefined;
  /** When the runtime last reported that it is ready; 0 if never. */
  readonly lastReadyMs: number;
}

/** Limit of the time since the runtime was last ready (ms): after it the runtime counts as down. */
const downAfterMs = 30_000;

/**
 * Why the runtime can't run pods; undefined if it can.
 *
 * Upstream: pkg/kubelet/runtime.go, pkg/kubelet/kubelet.go.
 */
export function runtimeProblems({ status, lastReadyMs }: RuntimeHealth, nowMs: number): string[] {
  const problems: string[] = [];
  if (lastReadyMs === 0) {
    problems.push("container runtime status check may not have completed yet");
  } else if (lastReadyMs + downAfterMs <= nowMs) {
    problems.push("container runtime is down");
  }
  const runtime = condition(status, "RuntimeReady");
  if (status !== undefined && runtime?.status !== true) {
    problems.push(`container runtime not ready: ${describe(runtime)}`);
  }
  const network = condition(status, "NetworkReady");
  if (status === undefined) problems.push("network state unknown");
  else if (network?.status !== true) {
    problems.push(`container runtime network not ready: ${describe(network)}`);
  }
  return problems;
}

/** Whether the runtime reports that it can start containers. */
export function isRuntimeReady(status: RuntimeStatus): boolean {
  return condition(status, "RuntimeReady")?.status === true;
}

/** Why pods can't have a network, in upstream's words; undefined if they can. */
export function networkProblem({ status }: RuntimeHealth): string | undefined {
  const network = condition(status, "NetworkReady");
  if (network?.status === true) return undefined;
  if (!network) return "network state unknown";
  const { reason, message } = network;
  return `container runtime network not ready: NetworkReady=false reason:${reason} message:${message}`;
}

/** Whether the runtime's default handler supports recursive read-only mounts. */
export function supportsRecursiveReadOnly({ status }: RuntimeHealth): boolean {
  const handlers = status?.runtimeHandlers ?? [];
  return handlers.find(({ name }) => name === "")?.features?.recursiveReadOnlyMounts ?? false;
}

function condition(status: RuntimeStatus | undefined, type: string) {
  return status?.status?.conditions.find((one) => one.type === type);
}

function describe(found: ReturnType<typeof condition>): string {
  if (found === undefined) return "<nil>";
  return `${found.type}=${found.status} reason:${found.reason} message:${found.message}`;
}
