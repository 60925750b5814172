/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ReplicationController } from "#/api/core/v1.ts";
import { selectorFromLabels } from "#/machinery/meta/labels.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { conditions, countPods, countText, metadataOf } from "../parts/workload-parts.ts";

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

export const replicationController: KindDescriber = { describe: describeReplicationController };
