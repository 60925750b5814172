/** Upstream: k8s.io/kubectl/pkg/describe/describe.go (describerMap). */
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { kindOf, type Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import type { Mapping } from "../../discovery/discovered-group.ts";
import { Description } from "./description.ts";
import { describeEvents, findEvents } from "./events.ts";

/** What a describer gets. */
export interface Describing {
  readonly context: Context;
  readonly object: Unstructured;
  readonly mapping: Mapping;
  readonly showEvents: boolean;
}

/** Says what there is to say of an object, but for its events. */
export type Describer = (to: Description, describing: Describing) => Promise<void> | void;

/** How events of a kind are found: by kind and UID, unless it is special. */
const withoutKind = new Set(["/Pod"]);
const withoutEvents = new Set([
  "/Secret",
  "/Namespace",
  "/LimitRange",
  "/ResourceQuota",
  "networking.k8s.io/NetworkPolicy",
  "rbac.authorization.k8s.io/Role",
  "rbac.authorization.k8s.io/ClusterRole",
  "rbac.authorization.k8s.io/RoleBinding",
  "rbac.authorization.k8s.io/ClusterRoleBinding",
]);

/** The description of an object. */
export async function describeObject(describing: Describing): Promise<string> {
  const { context, object, showEvents } = describing;
  const { group, kind } = kindOf(object);
  const id = `${group}/${kind}`;
  const to = new Description(context.clock.now());
  const describer = await describerFor(id);
  // Only what is known by its type can do without null: of other kinds it is shown.
  if (describer) await describer(to, { ...describing, object: dropNulls(object) });
  else (await import("./generic.ts")).describeGeneric(to, describing);
  if (showEvents && !withoutEvents.has(id)) {
    const found = await findEvents(context, object, withoutKind.has(id) ? {} : { kind });
    const more =
      id === "/Node"
        ? await findEvents(context, object, { kind, uid: object.metadata?.name ?? "" })
        : [];
    describeEvents(to, [...found, ...more]);
  }
  return to.text();
}

const modules: readonly (readonly [
  ids: readonly string[],
  load: () => Promise<{ readonly describers: Readonly<Record<string, Describer>> }>,
])[] = [
  [
    [
      "/Pod",
      "/ReplicationController",
      "apps/ReplicaSet",
      "apps/Deployment",
      "apps/StatefulSet",
      "apps/DaemonSet",
      "batch/Job",
      "batch/CronJob",
    ],
    () => import("./workloads.ts"),
  ],
  [
    [
      "/ConfigMap",
      "/Secret",
      "/ServiceAccount",
      "/Namespace",
      "/ResourceQuota",
      "/LimitRange",
      "/Service",
      "/Endpoints",
      "discovery.k8s.io/EndpointSlice",
    ],
    () => import("./core.ts"),
  ],
  [["/Node"], () => import("./node.ts")],
  [
    [
      "/PersistentVolume",
      "/PersistentVolumeClaim",
      "networking.k8s.io/Ingress",
      "networking.k8s.io/IngressClass",
      "scheduling.k8s.io/PriorityClass",
      "policy/PodDisruptionBudget",
      "rbac.authorization.k8s.io/Role",
      "rbac.authorization.k8s.io/ClusterRole",
      "rbac.authorization.k8s.io/RoleBinding",
      "rbac.authorization.k8s.io/ClusterRoleBinding",
    ],
    () => import("./others.ts"),
  ],
  [
    [
      "storage.k8s.io/StorageClass",
      "storage.k8s.io/VolumeAttributesClass",
      "storage.k8s.io/CSINode",
    ],
    () => import("./storage.ts"),
  ],
  [["autoscaling/HorizontalPodAutoscaler"], () => import("./autoscaler.ts")],
  [
    [
      "networking.k8s.io/NetworkPolicy",
      "networking.k8s.io/ServiceCIDR",
      "networking.k8s.io/IPAddress",
    ],
    () => import("./network.ts"),
  ],
  [["certificates.k8s.io/CertificateSigningRequest"], () => import("./signing-request.ts")],
];

async function describerFor(id: string): Promise<Describer | undefined> {
  const found = modules.find(([ids]) => ids.includes(id));
  return found && (await found[1]()).describers[id];
}
