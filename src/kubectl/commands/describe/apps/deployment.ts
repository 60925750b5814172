/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go. */
import { type Deployment, type ReplicaSet, replicaSets } from "#/api/apps/v1.ts";
import { compileLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { findNewReplicaSet } from "../../../actions/replica-sets.ts";
import type { Context } from "../../../command/context.ts";
import type { Describer, KindDescriber } from "../parts/describer.ts";
import { type Description, longTime } from "../parts/description.ts";
import { describeTemplate } from "../parts/pod-parts.ts";
import { conditions, metadataOf } from "../parts/workload-parts.ts";

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

export const deployment: KindDescriber = { describe: describeDeployment };
