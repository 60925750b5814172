/** Upstream: sigs.k8s.io/kustomize/api/internal/konfig/builtinpluginconsts. */
import type { FieldSpec, NameReferences } from "./field-spec.ts";

const created = (path: string, kinds: readonly string[] = [""]): FieldSpec[] =>
  kinds.map((kind) => ({ ...gvkOf(kind), path, create: true }));

const present = (path: string, kinds: readonly string[]): FieldSpec[] =>
  kinds.map((kind) => ({ ...gvkOf(kind), path }));

/** `apps//StatefulSet` or `/v1/Service` or just a kind. */
function gvkOf(text: string): { group?: string; version?: string; kind?: string } {
  const [kind = "", version = "", group = ""] = text.split("/").reverse();
  return {
    ...(group && { group }),
    ...(version && { version }),
    ...(kind && { kind }),
  };
}

const workloads = ["/v1/ReplicationController", "Deployment", "ReplicaSet", "DaemonSet"];

/** Labels of objects and of the templates in them. */
export const templateLabels: readonly FieldSpec[] = [
  ...created("metadata/labels"),
  ...created("spec/template/metadata/labels", [...workloads, "apps//StatefulSet", "batch//Job"]),
  ...created("spec/volumeClaimTemplates[]/metadata/labels", ["apps//StatefulSet"]),
  ...created("spec/jobTemplate/metadata/labels", ["batch//CronJob"]),
  ...created("spec/jobTemplate/spec/template/metadata/labels", ["batch//CronJob"]),
];

const affinities = ["podAffinity", "podAntiAffinity"].flatMap((affinity) => [
  `spec/template/spec/affinity/${affinity}/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels`,
  `spec/template/spec/affinity/${affinity}/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels`,
]);

/** Fields of labels and selectors that must agree. */
export const commonLabels: readonly FieldSpec[] = [
  ...created("spec/selector", ["/v1/Service", "/v1/ReplicationController"]),
  ...created("spec/selector/matchLabels", [
    "Deployment",
    "ReplicaSet",
    "DaemonSet",
    "apps//StatefulSet",
  ]),
  ...[
    ...affinities,
    "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels",
  ].flatMap((path) => present(path, ["apps//Deployment", "apps//StatefulSet"])),
  ...present("spec/selector/matchLabels", ["batch//Job", "policy//PodDisruptionBudget"]),
  ...present("spec/jobTemplate/spec/selector/matchLabels", ["batch//CronJob"]),
  ...[
    "spec/podSelector/matchLabels",
    "spec/ingress/from/podSelector/matchLabels",
    "spec/egress/to/podSelector/matchLabels",
  ].flatMap((path) => present(path, ["networking.k8s.io//NetworkPolicy"])),
  ...templateLabels,
];

export const commonAnnotations: readonly FieldSpec[] = [
  ...created("metadata/annotations"),
  ...created("spec/template/metadata/annotations", [...workloads, "StatefulSet", "batch//Job"]),
  ...created("spec/jobTemplate/metadata/annotations", ["batch//CronJob"]),
  ...created("spec/jobTemplate/spec/template/metadata/annotations", ["batch//CronJob"]),
];

export const images: readonly FieldSpec[] = ["spec", "spec/template/spec"].flatMap((spec) =>
  ["containers[]/image", "initContainers[]/image", "volumes[]/image/reference"].map((path) => ({
    path: `${spec}/${path}`,
    create: true,
  })),
);

export const replicas: readonly FieldSpec[] = created("spec/replicas", [
  "Deployment",
  "ReplicationController",
  "ReplicaSet",
  "StatefulSet",
]);

export const names: readonly FieldSpec[] = [{ path: "metadata/name" }];

/** Fields of namespaces besides the metadata. */
export const namespaces: readonly FieldSpec[] = [
  ...created("metadata/name", ["Namespace"]),
  ...created("spec/service/namespace", ["apiregistration.k8s.io//APIService"]),
  ...present("spec/conversion/webhook/clientConfig/service/namespace", [
    "apiextensions.k8s.io//CustomResourceDefinition",
  ]),
];

/** The paths of Pods' specifications, by the kinds that have one. */
const podSpecs: readonly (readonly [kind: string, path: string])[] = [
  ["/v1/Pod", "spec"],
  ["PodTemplate", "template/spec"],
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet", "Job"].map(
    (kind) => [kind, "spec/template/spec"] as const,
  ),
  ["CronJob", "spec/jobTemplate/spec/template/spec"],
];

/** Kinds whose Pod templates refer to accounts, claims and priority classes. */
const fewerPodSpecs: readonly (readonly [kind: string, path: string])[] = [
  ["Pod", "spec"],
  ...["StatefulSet", "Deployment", "ReplicationController", "Job", "DaemonSet"].map(
    (kind) => [kind, "spec/template/spec"] as const,
  ),
  ["CronJob", "spec/jobTemplate/spec/template/spec"],
];

const inPods = (specs: typeof podSpecs, ...paths: readonly string[]): FieldSpec[] =>
  specs.flatMap(([kind, spec]) => paths.flatMap((path) => present(`${spec}/${path}`, [kind])));

const ingress = (...paths: readonly string[]): FieldSpec[] =>
  paths.flatMap((path) => present(path, ["Ingress"]));

const roles = present("rules/resourceNames", ["Role", "ClusterRole"]);

const target = (text: string, ...fieldSpecs: readonly FieldSpec[]): NameReferences => ({
  ...gvkOf(text),
  fieldSpecs,
});

/** Every field of a built-in kind that refers to another object by name. */
export const nameReferences: readonly NameReferences[] = [
  ...["Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"].map((kind) =>
    target(kind, ...present("spec/scaleTargetRef/name", ["HorizontalPodAutoscaler"])),
  ),
  target(
    "/v1/ConfigMap",
    ...inPods(
      podSpecs,
      "volumes/configMap/name",
      "containers/env/valueFrom/configMapKeyRef/name",
      "initContainers/env/valueFrom/configMapKeyRef/name",
      "containers/envFrom/configMapRef/name",
      "initContainers/envFrom/configMapRef/name",
      "volumes/projected/sources/configMap/name",
    ),
    ...present("spec/configSource/configMap", ["Node"]),
    ...roles,
    ...ingress("metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap"),
  ),
  target(
    "/v1/Secret",
    ...inPods(
      podSpecs,
      "volumes/secret/secretName",
      "containers/env/valueFrom/secretKeyRef/name",
      "initContainers/env/valueFrom/secretKeyRef/name",
      "containers/envFrom/secretRef/name",
      "initContainers/envFrom/secretRef/name",
      "imagePullSecrets/name",
      "volumes/projected/sources/secret/name",
    ),
    ...ingress(
      "spec/tls/secretName",
      "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
      "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret",
      "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
    ),
    ...present("imagePullSecrets/name", ["ServiceAccount"]),
    ...["secretName", "adminSecretName", "userSecretName", "secretRef"].flatMap((name) =>
      present(`parameters/${name}`, ["StorageClass"]),
    ),
    ...roles,
    ...present("spec/template/spec/containers/env/valueFrom/secretKeyRef/name", [
      "serving.knative.dev/v1/Service",
    ]),
    ...present("spec/azureFile/secretName", ["PersistentVolume"]),
  ),
  target(
    "/v1/Service",
    ...present("spec/serviceName", ["apps//StatefulSet"]),
    ...ingress(
      "spec/rules/http/paths/backend/serviceName",
      "spec/backend/serviceName",
      "spec/rules/http/paths/backend/service/name",
      "spec/defaultBackend/service/name",
    ),
    ...present("spec/service/name", ["apiregistration.k8s.io//APIService"]),
    ...present("webhooks/clientConfig/service", [
      "admissionregistration.k8s.io//ValidatingWebhookConfiguration",
      "admissionregistration.k8s.io//MutatingWebhookConfiguration",
    ]),
  ),
  target(
    "rbac.authorization.k8s.io//Role",
    ...present("roleRef/name", ["rbac.authorization.k8s.io//RoleBinding"]),
  ),
  target(
    "rbac.authorization.k8s.io//ClusterRole",
    ...present("roleRef/name", [
      "rbac.authorization.k8s.io//RoleBinding",
      "rbac.authorization.k8s.io//ClusterRoleBinding",
    ]),
  ),
  target(
    "/v1/ServiceAccount",
    ...present("subjects", [
      "rbac.authorization.k8s.io//RoleBinding",
      "rbac.authorization.k8s.io//ClusterRoleBinding",
    ]),
    ...inPods(fewerPodSpecs, "serviceAccountName"),
  ),
  target(
    "/v1/PersistentVolumeClaim",
    ...inPods(fewerPodSpecs, "volumes/persistentVolumeClaim/claimName"),
  ),
  target(
    "/v1/PersistentVolume",
    ...present("spec/volumeName", ["PersistentVolumeClaim"]),
    ...present("rules/resourceNames", ["ClusterRole"]),
  ),
  target(
    "storage.k8s.io/v1/StorageClass",
    ...present("spec/storageClassName", ["PersistentVolume", "PersistentVolumeClaim"]),
    ...present("spec/volumeClaimTemplates/spec/storageClassName", ["StatefulSet"]),
  ),
  target("scheduling.k8s.io/v1/PriorityClass", ...inPods(fewerPodSpecs, "priorityClassName")),
  target(
    "admissionregistration.k8s.io//ValidatingAdmissionPolicy",
    ...present("spec/policyName", [
      "admissionregistration.k8s.io//ValidatingAdmissionPolicyBinding",
    ]),
  ),
];

const containerVars = ["args", "command", "env/value", "volumeMounts/mountPath"];

const podVars = (kind: string, spec: string): FieldSpec[] =>
  ["containers", "initContainers"].flatMap((list) =>
    containerVars.flatMap((field) => present(`${spec}/${list}/${field}`, [kind])),
  );

/** Fields in which `$(NAME)` is replaced by the value of a var. */
export const varReferences: readonly FieldSpec[] = [
  ...podVars("CronJob", "spec/jobTemplate/spec/template/spec"),
  ...present("spec/jobTemplate/spec/template/volumes/nfs/server", ["CronJob"]),
  ...["DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"].flatMap((kind) =>
    podVars(kind, "spec/template/spec"),
  ),
  ...present("spec/template/spec/volumes/nfs/server", [
    "DaemonSet",
    "Deployment",
    "Job",
    "ReplicaSet",
  ]),
  ...present("spec/template/metadata/annotations", ["Deployment"]),
  ...["spec/rules/host", "spec/tls/hosts", "spec/tls/secretName"].flatMap((path) =>
    present(path, ["Ingress"]),
  ),
  ...podVars("Pod", "spec"),
  ...present("spec/volumes/nfs/server", ["Pod"]),
  ...["spec/ports/port", "spec/ports/targetPort"].flatMap((path) => present(path, ["Service"])),
  ...present("spec/volumeClaimTemplates/spec/nfs/server", ["StatefulSet"]),
  ...present("spec/nfs/server", ["PersistentVolume"]),
  { path: "metadata/labels" },
  { path: "metadata/annotations" },
];
