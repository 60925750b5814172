/** Upstream: staging/src/k8s.io/kubectl/pkg/describe/describe.go (describerMap). */

import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { Describing, KindDescriber } from "./parts/describer.ts";
import { Description } from "./parts/description.ts";
import { describeEvents, findEvents } from "./parts/events.ts";

/** The describers by group and kind, each loaded when needed. To add one, write its file and list it here. */
const describers: Readonly<Record<string, () => Promise<KindDescriber>>> = {
  "/ConfigMap": async () => (await import("./core/config-map.ts")).configMap,
  "/Endpoints": async () => (await import("./core/endpoints.ts")).endpoints,
  "/LimitRange": async () => (await import("./core/limit-range.ts")).limitRange,
  "/Namespace": async () => (await import("./core/namespace.ts")).namespace,
  "/Node": async () => (await import("./core/node.ts")).node,
  "/PersistentVolume": async () => (await import("./core/persistent-volume.ts")).persistentVolume,
  "/PersistentVolumeClaim": async () =>
    (await import("./core/persistent-volume-claim.ts")).persistentVolumeClaim,
  "/Pod": async () => (await import("./core/pod.ts")).pod,
  "/ReplicationController": async () =>
    (await import("./core/replication-controller.ts")).replicationController,
  "/ResourceQuota": async () => (await import("./core/resource-quota.ts")).resourceQuota,
  "/Secret": async () => (await import("./core/secret.ts")).secret,
  "/Service": async () => (await import("./core/service.ts")).service,
  "/ServiceAccount": async () => (await import("./core/service-account.ts")).serviceAccount,
  "apps/DaemonSet": async () => (await import("./apps/daemon-set.ts")).daemonSet,
  "apps/Deployment": async () => (await import("./apps/deployment.ts")).deployment,
  "apps/ReplicaSet": async () => (await import("./apps/replica-set.ts")).replicaSet,
  "apps/StatefulSet": async () => (await import("./apps/stateful-set.ts")).statefulSet,
  "autoscaling/HorizontalPodAutoscaler": async () =>
    (await import("./autoscaling/horizontal-pod-autoscaler.ts")).horizontalPodAutoscaler,
  "batch/CronJob": async () => (await import("./batch/cron-job.ts")).cronJob,
  "batch/Job": async () => (await import("./batch/job.ts")).job,
  "certificates.k8s.io/CertificateSigningRequest": async () =>
    (await import("./certificates/certificate-signing-request.ts")).certificateSigningRequest,
  "discovery.k8s.io/EndpointSlice": async () =>
    (await import("./discovery/endpoint-slice.ts")).endpointSlice,
  "networking.k8s.io/IPAddress": async () => (await import("./networking/ip-address.ts")).ipAddress,
  "networking.k8s.io/Ingress": async () => (await import("./networking/ingress.ts")).ingress,
  "networking.k8s.io/IngressClass": async () =>
    (await import("./networking/ingress-class.ts")).ingressClass,
  "networking.k8s.io/NetworkPolicy": async () =>
    (await import("./networking/network-policy.ts")).networkPolicy,
  "networking.k8s.io/ServiceCIDR": async () =>
    (await import("./networking/service-cidr.ts")).serviceCidr,
  "policy/PodDisruptionBudget": async () =>
    (await import("./policy/pod-disruption-budget.ts")).podDisruptionBudget,
  "rbac.authorization.k8s.io/ClusterRole": async () => (await import("./rbac/role.ts")).role,
  "rbac.authorization.k8s.io/ClusterRoleBinding": async () =>
    (await import("./rbac/role-binding.ts")).roleBinding,
  "rbac.authorization.k8s.io/Role": async () => (await import("./rbac/role.ts")).role,
  "rbac.authorization.k8s.io/RoleBinding": async () =>
    (await import("./rbac/role-binding.ts")).roleBinding,
  "scheduling.k8s.io/PriorityClass": async () =>
    (await import("./scheduling/priority-class.ts")).priorityClass,
  "storage.k8s.io/CSINode": async () => (await import("./storage/csi-node.ts")).csiNode,
  "storage.k8s.io/StorageClass": async () =>
    (await import("./storage/storage-class.ts")).storageClass,
  "storage.k8s.io/VolumeAttributesClass": async () =>
    (await import("./storage/volume-attributes-class.ts")).volumeAttributesClass,
};

/** The description of an object. */
export async function describeObject(describing: Describing): Promise<string> {
  const { context, object, showEvents } = describing;
  const { group, kind } = kindOf(object);
  const to = new Description(context.clock.now());
  const id = `${group}/${kind}`;
  const known = Object.hasOwn(describers, id) ? await describers[id]?.() : undefined;
  // Nulls are dropped for built-in types only: for other kinds they are printed.
  if (known) await known.describe(to, { ...describing, object: dropNulls(object) });
  else (await import("./parts/generic.ts")).describeGeneric(to, describing);
  if (showEvents && known?.events !== "none") {
    describeEvents(to, await eventsOf(context, object, known?.events));
  }
  return to.text();
}

async function eventsOf(context: Context, object: Unstructured, rule: KindDescriber["events"]) {
  const { kind } = kindOf(object);
  const found = await findEvents(context, object, rule === "of any kind" ? {} : { kind });
  if (rule !== "also by name") return found;
  const byName = await findEvents(context, object, { kind, uid: object.metadata?.name ?? "" });
  return [...found, ...byName];
}
