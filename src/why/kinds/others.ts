import { type HorizontalPodAutoscaler, horizontalPodAutoscalers } from "#/api/autoscaling/v2.ts";
import { type Namespace, type Node, namespaces, nodes } from "#/api/core/v1.ts";
import { type PodDisruptionBudget, podDisruptionBudgets } from "#/api/policy/v1.ts";
import { conditionsOf } from "../base/any-object.ts";
import { type KindRules, kindRules } from "../base/kind-rules.ts";

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

/** Every other kind: nothing is known but conditions, events and deletion. */
export const anyRules: Omit<KindRules, "resource"> = {
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
