import type { Container, Node, Pod } from "#/api/core/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { action, interest } from "../framework/cluster-event.ts";
import { rejectForGood } from "../framework/rejection.ts";
import type { PluginDeclaration } from "./shared/plugin-declaration.ts";

const name = "NodeDeclaredFeatures";
const missing = rejectForGood(name, "node(s) didn't match Pod's required features");

/** Pods that need a kubelet that declares a feature, by feature. */
const requirements: Readonly<Record<string, (pod: Pod) => boolean>> = {
  RestartAllContainersOnContainerExits: (pod) =>
    containersOf(pod).some(({ restartPolicyRules = [] }) => {
      return restartPolicyRules.some((rule) => rule.action === "RestartAllContainers");
    }),
  UserNamespacesHostNetworkSupport: ({ spec }) =>
    spec.hostNetwork === true && spec.hostUsers === false,
  VolumeBindMountOptions: (pod) =>
    containersOf(pod).some(({ volumeMounts = [] }) => {
      return volumeMounts.some(({ bindMountOptions }) => (bindMountOptions?.length ?? 0) > 0);
    }),
};

const containersOf = ({ spec }: Pod): readonly Container[] => [
  ...spec.containers,
  ...(spec.initContainers ?? []),
];

/** The features that a pod needs, sorted. */
function requiredFeatures(pod: Pod): readonly string[] {
  return Object.keys(requirements).filter((feature) => requirements[feature]?.(pod));
}

/**
 * Rejects nodes whose kubelet doesn't declare a feature that the pod needs.
 *
 * Upstream: pkg/scheduler/framework/plugins/nodedeclaredfeatures, staging/src/k8s.io/component-helpers/nodedeclaredfeatures.
 */
export const nodeDeclaredFeatures: PluginDeclaration = {
  name,
  make: () => ({
    requeueOn: [
      interest<Pod, Node>(
        "Node",
        action.Add | action.UpdateNodeDeclaredFeature,
        (_pod, before, after) =>
          before === undefined ||
          !deepEqual(before.status?.declaredFeatures ?? [], after?.status?.declaredFeatures ?? []),
      ),
      interest<Pod, Pod>("TargetPod", action.Update, (_pod, before, after) => {
        if (!before || !after) return true;
        return !deepEqual(requiredFeatures(before), requiredFeatures(after));
      }),
    ],
    filter({ pod: { pod } }) {
      const required = requiredFeatures(pod);
      if (required.length === 0) return undefined;
      return {
        check: ({ declaredFeatures }) =>
          required.every((feature) => declaredFeatures.has(feature)) ? undefined : missing,
      };
    },
  }),
};
