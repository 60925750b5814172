/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { StatefulSet } from "#/api/apps/v1.ts";
import type { PersistentVolumeClaim } from "#/api/core/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, goList, longTime } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { countPods, countText, metadataOf } from "../parts/workload-parts.ts";

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

export const statefulSet: KindDescriber = { describe: describeStatefulSet };
