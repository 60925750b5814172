/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { Container, Pod } from "#/api/core/v1.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import type { Metadata } from "../../../base/unstructured.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { controllerOf, type Description, longTime } from "../parts/description.ts";
import { describeContainers, describeResources, describeSpread } from "../parts/pod-parts.ts";
import { describeVolumes } from "../parts/volumes.ts";
import { metadataOf } from "../parts/workload-parts.ts";

const describePod: Describer = (to, { object }) => {
  const pod = object as unknown as Pod;
  const { spec, status } = pod;
  const metadata = metadataOf(pod);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  if (spec?.priority !== undefined) to.field(0, "Priority", spec.priority);
  if (spec?.priorityClassName) to.field(0, "Priority Class Name", spec.priorityClassName);
  if (spec?.runtimeClassName) to.field(0, "Runtime Class Name", spec.runtimeClassName);
  if (spec?.serviceAccountName) to.field(0, "Service Account", spec.serviceAccountName);
  to.field(0, "Node", spec?.nodeName ? `${spec.nodeName}/${status?.hostIP ?? ""}` : "<none>");
  if (status?.startTime) to.field(0, "Start Time", longTime(status.startTime));
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  podStatus(to, pod, metadata);
  to.field(0, "IP", status?.podIP ?? "");
  const ips = status?.podIPs ?? [];
  if (ips.length === 0) to.field(0, "IPs", "<none>");
  else to.write(0, "IPs:\n");
  for (const { ip } of ips) to.field(1, "IP", ip);
  const controller = controllerOf(metadata);
  if (controller !== "") to.field(0, "Controlled By", controller);
  if (status?.nominatedNodeName) to.field(0, "NominatedNodeName", status.nominatedNodeName);
  if (spec?.resources) {
    to.write(0, "Resources:\n");
    describeResources(to, spec.resources, 1);
  }
  podContainers(to, pod);
  podRest(to, pod);
};

function podStatus(to: Description, { spec, status }: Pod, metadata: Metadata): void {
  const isDone = status?.phase === "Failed" || status?.phase === "Succeeded";
  if (metadata.deletionTimestamp !== undefined && !isDone) {
    to.field(0, "Status", `Terminating (lasts ${to.since(metadata.deletionTimestamp)})`);
    to.field(
      0,
      "Termination Grace Period",
      `${String(metadata["deletionGracePeriodSeconds"] ?? 0)}s`,
    );
  } else to.field(0, "Status", status?.phase ?? "");
  if (status?.reason) to.field(0, "Reason", status.reason);
  if (status?.message) to.field(0, "Message", status.message);
  const seccomp = spec?.securityContext?.seccompProfile;
  if (!seccomp) return;
  to.field(0, "SeccompProfile", seccomp.type);
  if (seccomp.type === "Localhost") to.field(0, "LocalhostProfile", seccomp.localhostProfile ?? "");
}

function podContainers(to: Description, pod: Pod): void {
  const { spec, status } = pod;
  const { initContainers = [], containers = [], ephemeralContainers = [] } = spec ?? {};
  if (initContainers.length > 0) {
    const statuses = status?.initContainerStatuses;
    describeContainers(to, { label: "Init Containers", containers: initContainers, statuses, pod });
  }
  describeContainers(to, {
    label: "Containers",
    containers,
    statuses: status?.containerStatuses,
    pod,
  });
  if (ephemeralContainers.length === 0) return;
  const statuses = status?.ephemeralContainerStatuses;
  const list = ephemeralContainers as unknown as Container[];
  describeContainers(to, { label: "Ephemeral Containers", containers: list, statuses, pod });
}

function podRest(to: Description, pod: Pod): void {
  const { spec, status } = pod;
  const conditions = status?.conditions ?? [];
  const gates = spec?.readinessGates ?? [];
  if (gates.length > 0) to.write(0, "Readiness Gates:\n  Type\tStatus\n");
  for (const { conditionType } of gates) {
    const found = conditions.find(({ type }) => type === conditionType)?.status ?? "<none>";
    to.write(1, `${conditionType} \t${found} \n`);
  }
  if (conditions.length > 0) to.write(0, "Conditions:\n  Type\tStatus\n");
  for (const { type, status: value } of conditions) to.write(1, `${type} \t${value} \n`);
  describeVolumes(to, spec?.volumes);
  to.field(0, "QoS Class", podQOSClass(pod));
  to.labels("Node-Selectors", spec?.nodeSelector);
  to.tolerations("Tolerations", spec?.tolerations);
  describeSpread(to, spec?.topologySpreadConstraints);
  if (!spec?.schedulingGroup) return;
  to.write(0, "SchedulingGroup:\n");
  to.field(1, "PodGroupName", spec.schedulingGroup.podGroupName ?? "");
}

export const pod: KindDescriber = { describe: describePod, events: "of any kind" };
