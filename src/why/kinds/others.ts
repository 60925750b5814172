import { type APIService, apiServices } from "#/api/apiregistration/v1.ts";
import { daemonSets, deployments, replicaSets, statefulSets } from "#/api/apps/v1.ts";
import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import type { Resource } from "#/api/base/resource.ts";
import { jobs } from "#/api/batch/v1.ts";
import { type Namespace, type Node, namespaces, nodes, pods } from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { isOwnedBy } from "#/machinery/meta/owner-references.ts";
import { type AnyObject, conditionsOf } from "../base/any-object.ts";
import { type Below, type KindRules, kindRules } from "../base/kind-rules.ts";
import type { View } from "../base/view.ts";

export const nodeRules = kindRules<Node>({
  resource: nodes,
  healthy: ({ status }) =>
    `it is ready (kubelet ${status?.nodeInfo?.kubeletVersion ?? "of unknown version"}) and takes Pods`,
});

export const namespaceRules = kindRules<Namespace>({
  resource: namespaces,
  unfinished: ({ metadata }) =>
    metadata.deletionTimestamp
      ? {
          layer: "deletion",
          sentence: "it and its content are being deleted",
          since: metadata.deletionTimestamp,
        }
      : undefined,
  healthy: ({ status }) => `it is ${status?.phase ?? "Active"}`,
});

export const autoscalerRules = kindRules<HorizontalPodAutoscaler>({
  resource: horizontalPodAutoscalers,
  unfinished: ({ status, metadata }) =>
    status?.conditions?.length
      ? undefined
      : {
          layer: "controllers",
          sentence: "its controller has not looked at it yet",
          since: metadata.creationTimestamp,
        },
  healthy: ({ spec, status }) =>
    `it scales ${spec?.scaleTargetRef.kind.toLowerCase()}/${spec?.scaleTargetRef.name}: ${status?.currentReplicas ?? 0} replicas now, ${status?.desiredReplicas} wanted`,
});

export const budgetRules = kindRules<PodDisruptionBudget>({
  resource: podDisruptionBudgets,
  healthy: ({ status }) => `it allows ${status?.disruptionsAllowed ?? 0} evictions now`,
});

export const apiServiceRules = kindRules<APIService>({
  resource: apiServices,
  unfinished({ spec, status }) {
    const available = findCondition(status?.conditions, "Available");
    if (!spec?.service || available?.status === "True") return undefined;
    const { namespace, name } = spec.service;
    return {
      layer: "service",
      sentence: `the server behind its Service ${namespace}/${name} has not answered yet`,
      since: available?.lastTransitionTime,
    };
  },
  healthy: ({ spec }) =>
    spec?.service
      ? `the API ${spec.group}/${spec.version} is available`
      : "it is served by the API server itself",
});

/** The kinds of what operators make for their own objects. */
const made: readonly Resource[] = [deployments, statefulSets, daemonSets, jobs, replicaSets, pods];

/** What an operator has made for an object: the first of the kinds of which there is any. */
function madeFor({ metadata }: AnyObject, view: View): readonly Below[] {
  const { namespace, uid = "" } = metadata;
  return made.flatMap((resource) =>
    (view.list(resource as Resource<AnyObject>, { namespace }) ?? [])
      .filter((one) => isOwnedBy(one, { metadata: { uid } }))
      .map((object) => ({ resource, object })),
  );
}

/** Every other kind: nothing is known but conditions, events, deletion, and what its operator has made for it. */
export const anyRules: Omit<KindRules, "resource"> = {
  below: (object, view) =>
    object.metadata.namespace && object.apiVersion?.includes(".") ? madeFor(object, view) : [],
  unfinished: ({ metadata }) =>
    metadata.deletionTimestamp
      ? { layer: "deletion", sentence: "it is being deleted", since: metadata.deletionTimestamp }
      : undefined,
  healthy(object) {
    const good = conditionsOf(object).find(({ status }) => status === "True");
    return good
      ? `its condition ${good.type} is True`
      : "it exists, and nothing shows that anything is wrong";
  },
};
