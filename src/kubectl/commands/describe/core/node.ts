/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { leases } from "#/api/coordination/v1.ts";
import { type Node, type Pod, pods } from "#/api/core/v1.ts";
import { resourceSlices } from "#/api/resource/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { podLimits, podRequests } from "#/machinery/pods/pod-resources.ts";
import { parseQuantity, type Quantity, zeroQuantity } from "#/machinery/values/quantity.ts";
import { addResources, type ResourceList } from "#/machinery/values/resource-list.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Context } from "../../../command/context.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, longTime } from "../parts/description.ts";

const describeNode: Describer = async (to, { object, context }) => {
  const node = object as unknown as Node;
  const { metadata, spec, status } = node;
  to.field(0, "Name", metadata?.name ?? "");
  to.field(0, "Roles", rolesOf(metadata?.labels ?? {}).join(",") || "<none>");
  to.labels("Labels", metadata?.labels);
  to.annotations("Annotations", metadata?.annotations);
  to.field(0, "CreationTimestamp", longTime(metadata?.creationTimestamp));
  to.taints("Taints", spec?.taints);
  to.field(0, "Unschedulable", spec?.unschedulable ?? false);
  await describeLease(to, metadata?.name ?? "", context);
  describeStatus(to, node);
  await describeSlices(to, metadata?.name ?? "", context);
  describeSystem(to, node);
  if (spec?.podCIDR) to.field(0, "PodCIDR", spec.podCIDR);
  if (spec?.podCIDRs?.length) to.field(0, "PodCIDRs", spec.podCIDRs.join(","));
  if (spec?.providerID) to.field(0, "ProviderID", spec.providerID);
  const client = await context.cluster.client();
  const fieldSelector = `spec.nodeName=${metadata?.name},status.phase!=Succeeded,status.phase!=Failed`;
  const held = await client.listAll(pods, { fieldSelector }).catch((error: unknown) => {
    if (isStatusError(error, "Forbidden")) return undefined;
    throw error;
  });
  if (held) describePods(to, held, status?.allocatable ?? status?.capacity ?? {});
  else to.field(0, "Pods", "not authorized");
};

function rolesOf(labels: Readonly<Record<string, string>>): string[] {
  const prefix = "node-role.kubernetes.io/";
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.slice(prefix.length);
    return key === "kubernetes.io/role" ? value : "";
  });
  return [...new Set(roles.filter((role) => role !== ""))].sort();
}

async function describeLease(to: Description, name: string, context: Context): Promise<void> {
  const client = await context.cluster.client();
  try {
    const { spec } = await client.get(leases, { namespace: "kube-node-lease", name });
    const time = (text: string | undefined): string => (text ? longTime(text) : "<unset>");
    to.write(0, "Lease:\n");
    to.field(1, "HolderIdentity", spec?.holderIdentity ?? "<unset>");
    to.field(1, "AcquireTime", time(spec?.acquireTime));
    to.field(1, "RenewTime", time(spec?.renewTime));
  } catch (error) {
    to.field(0, "Lease", `Failed to get lease: ${messageOf(error)}`);
  }
}

function describeStatus(to: Description, { status }: Node): void {
  if (status?.conditions?.length) {
    to.write(
      0,
      "Conditions:\n  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage\n",
    );
    to.write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
    for (const {
      type,
      status: value,
      lastHeartbeatTime,
      lastTransitionTime,
      reason = "",
      message = "",
    } of status.conditions) {
      const times = `${longTime(lastHeartbeatTime)} \t${longTime(lastTransitionTime)}`;
      to.write(1, `${type} \t${value} \t${times} \t${reason} \t${message}\n`);
    }
  }
  to.write(0, "Addresses:\n");
  for (const { type, address } of status?.addresses ?? []) to.field(1, type, address);
  resourceList(to, "Capacity", status?.capacity);
  resourceList(to, "Allocatable", status?.allocatable);
}

/** Limit of pools (count) in the list: more are only counted. */
const maxPools = 10;

/** The devices of the node by driver and pool. */
async function describeSlices(to: Description, nodeName: string, context: Context): Promise<void> {
  const client = await context.cluster.client();
  const fieldSelector = `spec.nodeName=${nodeName}`;
  const slices = await client.listAll(resourceSlices, { fieldSelector }).catch(() => []);
  const pools = new Map<
    string,
    { driver: string; pool: string; slices: number; devices: number }
  >();
  for (const { spec } of slices) {
    const key = `${spec.driver}/${spec.pool.name}`;
    const found = pools.get(key) ?? {
      driver: spec.driver,
      pool: spec.pool.name,
      slices: 0,
      devices: 0,
    };
    found.slices++;
    found.devices += spec.devices?.length ?? 0;
    pools.set(key, found);
  }
  if (pools.size === 0) return;
  to.write(0, "Node-Local ResourceSlices:\n");
  to.write(1, "Driver\tPool\tSlices\tDevices\n");
  to.write(1, "------\t----\t------\t-------\n");
  const sorted = [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pool]) => pool);
  for (const { driver, pool, slices, devices } of sorted.slice(0, maxPools)) {
    to.write(1, `${driver}\t${pool}\t${slices}\t${devices}\n`);
  }
  if (sorted.length > maxPools) to.write(1, `...and ${sorted.length - maxPools} more pools\n`);
}

function describeSystem(to: Description, { status }: Node): void {
  const info = status?.nodeInfo;
  to.write(0, "System Info:\n");
  to.field(1, "Machine ID", info?.machineID ?? "");
  to.field(1, "System UUID", info?.systemUUID ?? "");
  to.field(1, "Boot ID", info?.bootID ?? "");
  to.field(1, "Kernel Version", info?.kernelVersion ?? "");
  to.field(1, "OS Image", info?.osImage ?? "");
  to.field(1, "Operating System", info?.operatingSystem ?? "");
  to.field(1, "Architecture", info?.architecture ?? "");
  to.field(1, "Container Runtime Version", info?.containerRuntimeVersion ?? "");
  to.field(1, "Kubelet Version", info?.kubeletVersion ?? "");
}

function resourceList(
  to: Description,
  title: string,
  list: Readonly<Record<string, string>> = {},
): void {
  const names = Object.keys(list).sort();
  if (names.length > 0) to.write(0, `${title}:\n`);
  for (const name of names) to.field(1, name, list[name]);
}

const standard = new Set(["cpu", "memory", "ephemeral-storage", "pods"]);

function describePods(
  to: Description,
  held: readonly Pod[],
  allocatable: Readonly<Record<string, string>>,
): void {
  to.field(0, "Non-terminated Pods", `(${held.length} in total)`);
  to.write(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n");
  to.write(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
  const share = (list: ResourceList, name: string): string => {
    const used = list.get(name) ?? zeroQuantity;
    return `${used.toString()} (${percent(name, used, allocatable[name])}%)`;
  };
  const requests: ResourceList = new Map();
  const limits: ResourceList = new Map();
  for (const pod of held) {
    const own = podRequests(pod, { useStatus: true });
    const ownLimits = podLimits(pod, { useStatus: true });
    const shares = ["cpu", "memory"].flatMap((name) => [share(own, name), share(ownLimits, name)]);
    const { namespace, name, creationTimestamp } = pod.metadata ?? {};
    to.write(1, `${namespace}\t${name}\t\t${shares.join("\t")}\t${to.since(creationTimestamp)}\n`);
    addResources(requests, podRequests(pod));
    addResources(limits, podLimits(pod));
  }
  to.write(
    0,
    "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n",
  );
  to.write(1, "Resource\tRequests\tLimits\n");
  to.write(1, "--------\t--------\t------\n");
  const others = Object.keys(allocatable).filter((name) => !standard.has(name));
  const huge = others.filter((name) => name.startsWith("hugepages-")).sort();
  for (const name of ["cpu", "memory", "ephemeral-storage", ...huge]) {
    to.write(1, `${name}\t${share(requests, name)}\t${share(limits, name)}\n`);
  }
  const text = (list: ResourceList, name: string): string =>
    (list.get(name) ?? zeroQuantity).toString();
  for (const name of others.filter((other) => !other.startsWith("hugepages-")).sort()) {
    to.write(1, `${name}\t${text(requests, name)}\t${text(limits, name)}\n`);
  }
}

function percent(name: string, used: Quantity, available: string | undefined): number {
  const all = parseQuantity(available ?? "0");
  if (all.isZero) return 0;
  if (name === "cpu") return Math.trunc((used.milliValue() / all.milliValue()) * 100);
  return Math.trunc((used.value() / all.value()) * 100);
}

export const node: KindDescriber = { describe: describeNode, events: "also by name" };
