/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (Pods and what makes them). */
import {
  type DaemonSet,
  type Deployment,
  type ReplicaSet,
  replicaSets,
  type StatefulSet,
} from "#/api/apps/v1.ts";
import type { CronJob, Job } from "#/api/batch/v1.ts";
import {
  type Container,
  type PersistentVolumeClaim,
  type Pod,
  pods,
  type ReplicationController,
} from "#/api/core/v1.ts";
import { compileLabelSelector, formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { podQOSClass } from "#/machinery/pods/qos.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { findNewReplicaSet } from "../../actions/replica-sets.ts";
import { messageOf } from "../../base/errors.ts";
import type { Metadata, Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { Describer } from "./describers.ts";
import { controllerOf, type Description, goList, labelLine, longTime } from "./description.ts";
import {
  describeContainers,
  describeResources,
  describeSpread,
  describeTemplate,
} from "./pod-parts.ts";
import { describeVolumes } from "./volumes.ts";

const metadataOf = (object: unknown): Metadata =>
  ((object as Unstructured).metadata ?? {}) as Metadata;

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

type Counts = Readonly<Record<"running" | "waiting" | "succeeded" | "failed", number>>;

/** The phases of the Pods that an object controls. */
async function countPods(
  context: Context,
  object: Unstructured,
  labelSelector: string,
): Promise<Counts> {
  const client = await context.cluster.client();
  const { namespace } = object.metadata ?? {};
  const all = await client.listAll(pods, { namespace, labelSelector });
  const own = all.filter((pod) => isControlledBy(pod as never, object as never));
  const count = (phase: string): number =>
    own.filter(({ status }) => status?.phase === phase).length;
  return {
    running: count("Running"),
    waiting: count("Pending"),
    succeeded: count("Succeeded"),
    failed: count("Failed"),
  };
}

const countText = ({ running, waiting, succeeded, failed }: Counts): string =>
  `${running} Running / ${waiting} Waiting / ${succeeded} Succeeded / ${failed} Failed`;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

function conditions(to: Description, all: readonly Condition[] = []): void {
  if (all.length === 0) return;
  to.write(0, "Conditions:\n  Type\tStatus\tReason\n");
  to.write(1, "----\t------\t------\n");
  for (const { type, status, reason = "" } of all) to.write(1, `${type} \t${status}\t${reason}\n`);
}

const describeReplicationController: Describer = async (to, { object, context }) => {
  const { spec, status } = object as unknown as ReplicationController;
  const metadata = metadataOf(object);
  const counts = await countPods(context, object, selectorFromLabels(spec?.selector).toString());
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "Selector", labelLine(spec?.selector));
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  to.field(0, "Replicas", `${status?.replicas ?? 0} current / ${spec?.replicas ?? 0} desired`);
  to.field(0, "Pods Status", countText(counts));
  describeTemplate(to, spec?.template);
  conditions(to, status?.conditions);
};

const describeReplicaSet: Describer = async (to, { object, context }) => {
  const { spec, status } = object as unknown as ReplicaSet;
  const metadata = metadataOf(object);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "Selector", formatLabelSelector(spec?.selector));
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  const controller = controllerOf(metadata);
  if (controller !== "") to.field(0, "Controlled By", controller);
  to.field(0, "Replicas", `${status?.replicas ?? 0} current / ${spec?.replicas ?? 0} desired`);
  try {
    const selector = compileLabelSelector(spec?.selector).toString();
    to.field(0, "Pods Status", countText(await countPods(context, object, selector)));
  } catch (error) {
    to.field(0, "Pods Status", `error in fetching pods: ${messageOf(error)}`);
  }
  describeTemplate(to, spec?.template);
  conditions(to, status?.conditions);
};

const describeDeployment: Describer = async (to, { object, context }) => {
  const deployment = object as unknown as Deployment;
  const { spec, status } = deployment;
  const metadata = metadataOf(object);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "CreationTimestamp", longTime(metadata.creationTimestamp));
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  to.field(0, "Selector", compileLabelSelector(spec?.selector).toString());
  const {
    updatedReplicas = 0,
    replicas = 0,
    availableReplicas = 0,
    unavailableReplicas = 0,
  } = status ?? {};
  to.field(
    0,
    "Replicas",
    `${spec?.replicas ?? 0} desired | ${updatedReplicas} updated | ${replicas} total | ${availableReplicas} available | ${unavailableReplicas} unavailable`,
  );
  to.field(0, "StrategyType", spec?.strategy?.type ?? "");
  to.field(0, "MinReadySeconds", spec?.minReadySeconds ?? 0);
  const rolling = spec?.strategy?.rollingUpdate;
  if (rolling) {
    to.field(
      0,
      "RollingUpdateStrategy",
      `${rolling.maxUnavailable ?? 0} max unavailable, ${rolling.maxSurge ?? 0} max surge`,
    );
  }
  describeTemplate(to, spec?.template);
  conditions(to, status?.conditions);
  await deploymentSets(to, deployment, context);
};

async function deploymentSets(
  to: Description,
  deployment: Deployment,
  context: Context,
): Promise<void> {
  const client = await context.cluster.client();
  const labelSelector = compileLabelSelector(deployment.spec?.selector).toString();
  const { namespace } = deployment.metadata ?? {};
  const all = await client.listAll(replicaSets, { namespace, labelSelector });
  const own = all.filter((set) => isControlledBy(set as never, deployment as never));
  if (own.length === 0) return;
  const current = findNewReplicaSet(deployment, own);
  const text = (sets: readonly ReplicaSet[]): string =>
    sets
      .map(
        ({ metadata, spec, status }) =>
          `${metadata?.name} (${status?.replicas ?? 0}/${spec?.replicas ?? 0} replicas created)`,
      )
      .join(", ") || "<none>";
  to.field(0, "OldReplicaSets", text(own.filter((set) => set !== current)));
  to.field(0, "NewReplicaSet", text(current ? [current] : []));
}

const describeDaemonSet: Describer = async (to, { object, context }) => {
  const { spec, status } = object as unknown as DaemonSet;
  const metadata = metadataOf(object);
  const selector = compileLabelSelector(spec?.selector).toString();
  const counts = await countPods(context, object, selector);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "Selector", selector);
  to.field(0, "Node-Selector", labelLine(spec?.template?.spec?.nodeSelector));
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  to.write(0, `Desired Number of Nodes Scheduled: ${status?.desiredNumberScheduled ?? 0}\n`);
  to.write(0, `Current Number of Nodes Scheduled: ${status?.currentNumberScheduled ?? 0}\n`);
  to.write(
    0,
    `Number of Nodes Scheduled with Up-to-date Pods: ${status?.updatedNumberScheduled ?? 0}\n`,
  );
  to.write(0, `Number of Nodes Scheduled with Available Pods: ${status?.numberAvailable ?? 0}\n`);
  to.write(0, `Number of Nodes Misscheduled: ${status?.numberMisscheduled ?? 0}\n`);
  to.field(0, "Pods Status", countText(counts));
  describeTemplate(to, spec?.template);
};

const describeStatefulSet: Describer = async (to, { object, context }) => {
  const { spec, status } = object as unknown as StatefulSet;
  const metadata = metadataOf(object);
  const selector = compileLabelSelector(spec?.selector).toString();
  const counts = await countPods(context, object, selector);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "CreationTimestamp", longTime(metadata.creationTimestamp));
  to.field(0, "Selector", selector);
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  if (spec?.serviceName) to.field(0, "Service Name", spec.serviceName);
  if (spec?.podManagementPolicy) to.field(0, "Pod Management Policy", spec.podManagementPolicy);
  to.field(0, "Replicas", `${spec?.replicas ?? 0} desired | ${status?.replicas ?? 0} total`);
  to.field(0, "Update Strategy", spec?.updateStrategy?.type ?? "");
  const { partition, maxUnavailable } = spec?.updateStrategy?.rollingUpdate ?? {};
  if (partition !== undefined) to.field(1, "Partition", partition);
  if (partition !== undefined && maxUnavailable !== undefined)
    to.field(1, "MaxUnavailable", maxUnavailable);
  const retention = spec?.persistentVolumeClaimRetentionPolicy;
  if (retention) {
    to.write(0, "Persistent Volume Claim Retention Policy:\n");
    to.field(1, "WhenDeleted", retention.whenDeleted ?? "");
    to.field(1, "WhenScaled", retention.whenScaled ?? "");
  }
  to.field(0, "Pods Status", countText(counts));
  describeTemplate(to, spec?.template);
  claimTemplates(to, spec?.volumeClaimTemplates);
};

function claimTemplates(to: Description, templates: readonly PersistentVolumeClaim[] = []): void {
  if (templates.length === 0) {
    to.field(0, "Volume Claims", "<none>");
    return;
  }
  to.write(0, "Volume Claims:\n");
  for (const { metadata, spec } of templates) {
    to.field(1, "Name", metadata?.name ?? "");
    to.field(1, "StorageClass", spec?.storageClassName ?? "");
    to.labels("Labels", metadata?.labels, "  ");
    to.labels("Annotations", metadata?.annotations, "  ");
    to.field(1, "Capacity", spec?.resources?.requests?.["storage"] ?? "<default>");
    to.field(1, "Access Modes", goList(spec?.accessModes));
  }
}

const describeJob: Describer = (to, { object }) => {
  const { spec, status } = object as unknown as Job;
  const metadata = metadataOf(object);
  to.field(0, "Name", metadata.name ?? "");
  to.field(0, "Namespace", metadata.namespace ?? "");
  to.field(0, "Selector", compileLabelSelector(spec?.selector).toString());
  to.labels("Labels", metadata.labels);
  to.annotations("Annotations", metadata.annotations);
  const controller = controllerOf(metadata);
  if (controller !== "") to.field(0, "Controlled By", controller);
  if (spec?.parallelism !== undefined) to.field(0, "Parallelism", spec.parallelism);
  to.field(0, "Completions", spec?.completions ?? "<unset>");
  if (spec?.completionMode !== undefined) to.field(0, "Completion Mode", spec.completionMode);
  if (spec?.suspend !== undefined) to.field(0, "Suspend", spec.suspend);
  if (spec?.backoffLimit !== undefined) to.field(0, "Backoff Limit", spec.backoffLimit);
  if (spec?.ttlSecondsAfterFinished !== undefined) {
    to.field(0, "TTL Seconds After Finished", spec.ttlSecondsAfterFinished);
  }
  const { startTime, completionTime, ready } = status ?? {};
  if (startTime) to.field(0, "Start Time", longTime(startTime));
  if (completionTime) to.field(0, "Completed At", longTime(completionTime));
  if (startTime && completionTime) {
    to.field(0, "Duration", humanDuration(parseTime(completionTime) - parseTime(startTime)));
  }
  if (spec?.activeDeadlineSeconds !== undefined) {
    to.field(0, "Active Deadline Seconds", `${spec.activeDeadlineSeconds}s`);
  }
  const { active = 0, succeeded = 0, failed = 0 } = status ?? {};
  const readyText = ready === undefined ? "" : ` (${ready} Ready)`;
  to.field(
    0,
    "Pods Statuses",
    `${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`,
  );
  if (spec?.completionMode === "Indexed") {
    to.field(0, "Completed Indexes", status?.completedIndexes || "<none>");
  }
  describeTemplate(to, spec?.template);
};

const describeCronJob: Describer = (to, { object }) => {
  const { spec, status } = object as unknown as CronJob;
  to.head(object.metadata);
  to.field(0, "Schedule", spec?.schedule ?? "");
  to.field(0, "Concurrency Policy", spec?.concurrencyPolicy ?? "");
  to.field(0, "Suspend", spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False");
  to.field(0, "Time Zone", spec?.timeZone ?? "<unset>");
  to.field(0, "Successful Job History Limit", spec?.successfulJobsHistoryLimit ?? "<unset>");
  to.field(0, "Failed Job History Limit", spec?.failedJobsHistoryLimit ?? "<unset>");
  const deadline = spec?.startingDeadlineSeconds;
  to.field(0, "Starting Deadline Seconds", deadline === undefined ? "<unset>" : `${deadline}s`);
  const template = spec?.jobTemplate?.spec;
  to.field(
    0,
    "Selector",
    template?.selector ? compileLabelSelector(template.selector).toString() : "<unset>",
  );
  to.field(0, "Parallelism", template?.parallelism ?? "<unset>");
  to.field(0, "Completions", template?.completions ?? "<unset>");
  if (template?.activeDeadlineSeconds !== undefined) {
    to.field(0, "Active Deadline Seconds", `${template.activeDeadlineSeconds}s`);
  }
  describeTemplate(to, template?.template);
  const last = status?.lastScheduleTime;
  to.field(0, "Last Schedule Time", last ? longTime(last) : "<unset>");
  to.field(0, "Active Jobs", (status?.active ?? []).map(({ name }) => name).join(", ") || "<none>");
};

export const describers: Readonly<Record<string, Describer>> = {
  "/Pod": describePod,
  "/ReplicationController": describeReplicationController,
  "apps/ReplicaSet": describeReplicaSet,
  "apps/Deployment": describeDeployment,
  "apps/StatefulSet": describeStatefulSet,
  "apps/DaemonSet": describeDaemonSet,
  "batch/Job": describeJob,
  "batch/CronJob": describeCronJob,
};
