/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { ReplicaSet } from "#/api/apps/v1.ts";
import { compileLabelSelector, formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { controllerOf } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { conditions, countPods, countText, metadataOf } from "../parts/workload-parts.ts";

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

export const replicaSet: KindDescriber = { describe: describeReplicaSet };
