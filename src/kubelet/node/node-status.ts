import type { ContainerImage, Node, NodeStatus } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatResourceList, type ResourceList } from "#/machinery/values/resource-list.ts";
import type { Pressure } from "../state/pressure.ts";
import { providedIpAnnotation } from "./initial-node.ts";
import type { MachineFacts } from "./machine-facts.ts";
import { nodeAddresses } from "./node-addresses.ts";
import { nodeConditions } from "./node-conditions.ts";
import type { RuntimeStatus } from "./runtime-health.ts";

/** The input of a node's status. */
export interface NodeStatusInput {
  readonly facts: MachineFacts;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  readonly ips: readonly string[];
  readonly hostname: string;
  /** With --cloud-provider=external, existing addresses are kept. */
  readonly externalCloudProvider: boolean;
  /** Whether --node-ip is set. */
  readonly isIpGiven: boolean;
  /** `containerd://2.1.0`. */
  readonly runtimeVersion: string;
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  readonly images: readonly ContainerImage[];
  readonly runtime: RuntimeStatus | undefined;
  readonly declaredFeatures: readonly string[];
  readonly volumesInUse: readonly string[];
  readonly pressure: Pressure;
  readonly problems: readonly string[];
  readonly nowMs: number;
}

/**
 * The next status of a node, from its current one.
 *
 * Upstream: pkg/kubelet/kubelet_node_status.go, pkg/kubelet/nodestatus/setters.go.
 */
export function nodeStatus(
  previous: NodeStatus | undefined,
  input: NodeStatusInput,
): { status: NodeStatus; events: string[] } {
  const { facts, runtime, externalCloudProvider } = input;
  const { conditions, events } = nodeConditions({ ...input, previous: previous?.conditions ?? [] });
  // Without --node-ip, the addresses are the cloud's to find.
  const ownIps = externalCloudProvider && !input.isIpGiven ? [] : input.ips;
  const addresses = nodeAddresses(ownIps, input.hostname);
  const keepAddresses = externalCloudProvider && (previous?.addresses ?? []).length > 0;
  const capacity = amounts(previous?.capacity, input.capacity);
  const handlers = [...(runtime?.runtimeHandlers ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const status: NodeStatus = {
    ...previous,
    capacity,
    allocatable: {
      ...extended(capacity, previous?.allocatable),
      ...formatResourceList(input.allocatable),
    },
    conditions,
    addresses: keepAddresses ? (previous?.addresses ?? []) : addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: input.kubeletPort } },
    nodeInfo: nodeInfo(facts, input),
    images: [...input.images],
    ...(handlers.length > 0 && { runtimeHandlers: handlers.map(handlerOf) }),
    ...(runtime?.features && {
      features: { supplementalGroupsPolicy: runtime.features.supplementalGroupsPolicy },
    }),
    ...(input.declaredFeatures.length > 0 && { declaredFeatures: [...input.declaredFeatures] }),
  };
  if (input.volumesInUse.length > 0) status.volumesInUse = [...input.volumesInUse];
  else delete status.volumesInUse;
  return { status, events };
}

function nodeInfo(facts: MachineFacts, input: NodeStatusInput) {
  return {
    machineID: facts.machineID,
    systemUUID: facts.systemUUID,
    bootID: facts.bootID,
    kernelVersion: facts.kernelVersion,
    osImage: facts.osImage,
    containerRuntimeVersion: input.runtimeVersion,
    kubeletVersion: input.kubeletVersion,
    kubeProxyVersion: "",
    operatingSystem: "linux",
    architecture: facts.architecture,
    ...(facts.swapBytes > 0 && { swap: { capacity: facts.swapBytes } }),
  };
}

function handlerOf({ name, features }: RuntimeStatus["runtimeHandlers"][number]) {
  return {
    name,
    features: {
      recursiveReadOnlyMounts: features?.recursiveReadOnlyMounts ?? false,
      userNamespaces: features?.userNamespaces ?? false,
    },
  };
}

/** Amounts, with resources kept that other programs advertise. */
function amounts(
  previous: Readonly<Record<string, string>> | undefined,
  own: ResourceList,
): Record<string, string> {
  const kept = Object.entries(previous ?? {}).filter(
    ([name]) => !name.startsWith("hugepages-") || own.has(name),
  );
  return { ...Object.fromEntries(kept), ...formatResourceList(own) };
}

/** The allocatable amount of resources that other programs advertise: the previous one, or the capacity. */
function extended(
  capacity: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return {
    ...capacity,
    ...Object.fromEntries(
      Object.entries(previous ?? {}).filter(([name]) => name in capacity && name.includes("/")),
    ),
  };
}

/** Whether two statuses differ in more than the time of their heartbeats. */
export function statusChanged(before: NodeStatus | undefined, now: NodeStatus): boolean {
  const still = (status: NodeStatus | undefined) => ({
    ...status,
    conditions: status?.conditions?.map(({ lastHeartbeatTime, ...rest }) => rest),
  });
  return !deepEqual(still(before), still(now));
}

/** The strategic merge patch from one status to another. */
export function statusPatch(before: NodeStatus | undefined, now: NodeStatus): object {
  const status: Record<string, unknown> = {};
  const old = (before ?? {}) as Record<string, unknown>;
  for (const [field, value] of Object.entries(now)) {
    if (field === "conditions" || deepEqual(old[field], value)) continue;
    status[field] = value;
    if (field === "addresses") {
      status[field] = [...(value as object[]), { $patch: "replace" }];
    }
    if (field === "capacity" || field === "allocatable") {
      const gone = Object.keys((old[field] as object | undefined) ?? {}).filter(
        (name) => !(name in (value as object)),
      );
      status[field] = {
        ...(value as object),
        ...Object.fromEntries(gone.map((name) => [name, null])),
      };
    }
  }
  if (old["volumesInUse"] !== undefined && now.volumesInUse === undefined) {
    status["volumesInUse"] = null;
  }
  const heldConditions = before?.conditions ?? [];
  status["conditions"] = (now.conditions ?? []).filter(
    (condition) => !heldConditions.some((one) => deepEqual(one, condition)),
  );
  return { status };
}

/** Annotations that the kubelet sets, and removes. */
const ownAnnotations = [
  "volumes.kubernetes.io/controller-managed-attach-detach",
  providedIpAnnotation,
];

/** Labels that the kubelet updates on an existing node. */
const ownLabels = [
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
];

/** The changes to the metadata of an existing node that this kubelet needs; undefined if there are none. */
export function metadataPatch(desired: Node, held: Node): object | undefined {
  const labels = Object.fromEntries(
    ownLabels.flatMap((name) => {
      const value = desired.metadata.labels?.[name];
      return value !== undefined && value !== held.metadata.labels?.[name] ? [[name, value]] : [];
    }),
  );
  const annotations = Object.fromEntries(
    ownAnnotations.flatMap((name) => {
      const value = desired.metadata.annotations?.[name];
      return value === held.metadata.annotations?.[name] ? [] : [[name, value ?? null]];
    }),
  );
  const annotationDiffers = Object.keys(annotations).length > 0;
  if (Object.keys(labels).length === 0 && !annotationDiffers) return undefined;
  return {
    metadata: {
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(annotationDiffers && { annotations }),
    },
  };
}
