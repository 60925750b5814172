import type { ContainerState as CriContainerState } from "../cri/container-messages.ts";
import type { LinuxContainerResources } from "../cri/sandbox-messages.ts";

/** The runtime's state of one pod: the only source for what runs. */
export interface ObservedPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** IP addresses of the ready sandbox; empty for host network, and while there is none. */
  readonly ips: readonly string[];
  /** Newest first. */
  readonly sandboxes: readonly ObservedSandbox[];
  /** Newest first. */
  readonly containers: readonly ObservedContainer[];
}

export interface ObservedSandbox {
  readonly id: string;
  readonly attempt: number;
  readonly ready: boolean;
  readonly createdAtMs: number;
  readonly hostNetwork: boolean;
  readonly runtimeHandler: string;
  /** The first host id of its user namespace; undefined if it shares the host's. */
  readonly firstHostId?: number | undefined;
}

export interface ObservedContainer {
  /** The runtime's id, without `containerd://`. */
  readonly id: string;
  readonly name: string;
  readonly sandboxId: string;
  readonly state: "created" | "running" | "exited" | "unknown";
  /** How often a container of this name was started before. */
  readonly restartCount: number;
  readonly createdAtMs: number;
  /** 0 until then. */
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  readonly image: string;
  readonly imageRef: string;
  readonly imageId: string;
  /** Hash of the pod's container when this one was created; it differs when the spec has changed since. */
  readonly hash: string;
  readonly logPath: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The limits in force, by the runtime; undefined if it does not report them. */
  readonly resources?: LinuxContainerResources | undefined;
  readonly user?: ObservedUser | undefined;
  readonly mounts: readonly { readonly containerPath: string; readonly hostPath: string }[];
  readonly stopSignal?: string | undefined;
}

interface ObservedUser {
  readonly uid: number;
  readonly gid: number;
  readonly supplementalGroups: readonly number[];
}

/** The state of a container by its name in the CRI. */
export function observedState(state: CriContainerState | number): ObservedContainer["state"] {
  switch (state) {
    case "CONTAINER_CREATED":
      return "created";
    case "CONTAINER_RUNNING":
      return "running";
    case "CONTAINER_EXITED":
      return "exited";
    default:
      return "unknown";
  }
}
