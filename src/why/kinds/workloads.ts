import {
  type DaemonSet,
  type Deployment,
  daemonSets,
  deployments,
  type ReplicaSet,
  replicaSets,
  type StatefulSet,
  statefulSets,
} from "#/api/apps/v1.ts";
import { type Pod, type ReplicationController, replicationControllers } from "#/api/core/v1.ts";
import { formatLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isControlledBy } from "#/machinery/meta/owner-references.ts";
import { kindRules, type Unfinished } from "../base/kind-rules.ts";
import type { View } from "../base/view.ts";
import { ownedPods, podsBelow } from "../facts/owned-pods.ts";

const controllers = (sentence: string): Unfinished => ({ layer: "controllers", sentence });

const all = (number: number): string =>
  number === 1 ? "its only replica is" : `all ${number} replicas are`;

export const deploymentRules = kindRules<Deployment>({
  resource: deployments,
  below(deployment, view) {
    const { namespace, uid = "" } = deployment.metadata;
    const labelSelector = formatLabelSelector(deployment.spec.selector);
    const own = (view.list(replicaSets, { namespace, labelSelector }) ?? [])
      .filter((set) => isControlledBy(set, { metadata: { uid } }))
      .sort((a, b) => revision(b) - revision(a));
    const wanted = deployment.spec.replicas ?? 1;
    const sets = own
      .filter(
        ({ spec, status }, index) =>
          (spec?.replicas ?? 0) > 0 || (status?.replicas ?? 0) > 0 || (index === 0 && wanted > 0),
      )
      .map((object) => ({ resource: replicaSets, object }));
    // Before the old Pods have ended, no new ones are made.
    return deployment.spec.strategy?.type === "Recreate"
      ? [...podsBelow(endingPods(own, view)), ...sets]
      : sets;
  },
  unfinished({ spec, status = {}, metadata }) {
    const wanted = spec.replicas ?? 1;
    const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
    if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0))
      return controllers("its controller has not taken up the latest change yet");
    if (spec.paused) return undefined;
    if (updatedReplicas < wanted)
      return controllers(`${updatedReplicas} of ${wanted} replicas are updated`);
    if (availableReplicas < wanted)
      return controllers(
        `${availableReplicas} of ${wanted} replicas are available${readyText(status.readyReplicas, spec.minReadySeconds)}`,
      );
    return replicas > wanted
      ? controllers(`${replicas - wanted} old replicas are being ended`)
      : undefined;
  },
  healthy: ({ spec }) =>
    spec.replicas === 0 ? "it is scaled to 0" : `${all(spec.replicas ?? 1)} available`,
});

/** The Pods of ReplicaSets that are being deleted. */
const endingPods = (sets: readonly ReplicaSet[], view: View): readonly Pod[] =>
  sets
    .flatMap((set) => ownedPods(set, set.spec?.selector, view))
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);

/** What ready replicas wait for before they count as available. */
const readyText = (ready = 0, minReadySeconds = 0): string =>
  minReadySeconds > 0
    ? `; ${ready} are ready, and count after minReadySeconds of ${minReadySeconds} s`
    : "";

const revision = ({ metadata }: ReplicaSet): number =>
  Number(metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);

export const replicaSetRules = kindRules<ReplicaSet>({
  resource: replicaSets,
  below: (set, view) => podsBelow(ownedPods(set, set.spec?.selector, view)),
  unfinished({ spec, status }) {
    const wanted = spec?.replicas ?? 1;
    const ready = status?.readyReplicas ?? 0;
    if (ready < wanted) return controllers(`${ready} of ${wanted} replicas are ready`);
    return (status?.replicas ?? 0) > wanted
      ? controllers("surplus replicas are being ended")
      : undefined;
  },
  healthy: ({ spec }) =>
    spec?.replicas === 0 ? "it is scaled to 0" : `${all(spec?.replicas ?? 1)} ready`,
});

export const replicationControllerRules = kindRules<ReplicationController>({
  resource: replicationControllers,
  below: (controller, view) =>
    podsBelow(ownedPods(controller, { matchLabels: controller.spec?.selector ?? {} }, view)),
  unfinished({ spec, status }) {
    const wanted = spec?.replicas ?? 1;
    const ready = status?.readyReplicas ?? 0;
    return ready < wanted ? controllers(`${ready} of ${wanted} replicas are ready`) : undefined;
  },
  healthy: ({ spec }) =>
    spec?.replicas === 0 ? "it is scaled to 0" : `${all(spec?.replicas ?? 1)} ready`,
});

export const statefulSetRules = kindRules<StatefulSet>({
  resource: statefulSets,
  below: (set, view) => podsBelow(ownedPods(set, set.spec?.selector, view)),
  unfinished({ spec, status, metadata }) {
    const wanted = spec?.replicas ?? 1;
    const { readyReplicas = 0, replicas = 0, updatedReplicas = 0 } = status ?? {};
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
      return controllers("its controller has not taken up the latest change yet");
    if (readyReplicas < wanted)
      return controllers(`${readyReplicas} of ${wanted} replicas are ready`);
    if (replicas > wanted) return controllers("surplus replicas are being ended, the last first");
    const { type, rollingUpdate } = spec?.updateStrategy ?? {};
    const rolls = type !== "OnDelete" && status?.updateRevision !== status?.currentRevision;
    const toUpdate = wanted - (rollingUpdate?.partition ?? 0);
    return rolls && updatedReplicas < toUpdate
      ? controllers(`${updatedReplicas} of ${toUpdate} replicas are updated`)
      : undefined;
  },
  healthy: ({ spec }) =>
    spec?.replicas === 0 ? "it is scaled to 0" : `${all(spec?.replicas ?? 1)} ready`,
});

export const daemonSetRules = kindRules<DaemonSet>({
  resource: daemonSets,
  below: (set, view) => podsBelow(ownedPods(set, set.spec?.selector, view)),
  unfinished({ status, metadata }) {
    const {
      desiredNumberScheduled: wanted = 0,
      numberReady = 0,
      updatedNumberScheduled = 0,
    } = status ?? {};
    if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0))
      return controllers("its controller has not taken up the latest change yet");
    if (numberReady < wanted) return controllers(`${numberReady} of ${wanted} Pods are ready`);
    return updatedNumberScheduled < wanted
      ? controllers(`${updatedNumberScheduled} of ${wanted} Pods are updated`)
      : undefined;
  },
  healthy: ({ status }) =>
    `its Pods are ready on all ${status?.desiredNumberScheduled ?? 0} nodes that it wants`,
});
