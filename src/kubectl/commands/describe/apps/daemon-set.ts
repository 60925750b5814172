/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import type { DaemonSet } from "#/api/apps/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { labelLine } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { countPods, countText, metadataOf } from "../parts/workload-parts.ts";

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

export const daemonSet: KindDescriber = { describe: describeDaemonSet };
