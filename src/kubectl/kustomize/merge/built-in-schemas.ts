/** Upstream: sigs.k8s.io/kustomize/kyaml/openapi/kubernetesapi (Kubernetes v1.21.2). */
import type { MergeSchema, SchemaSource } from "./merge-schema.ts";

/** `TYPE`, `LIST*KEYS>TYPE` or `LIST*KEYS`, by field: only fields on the path to lists that are merged. */
type TypeFacts = Readonly<Record<string, string>>;

const conditions = { conditions: "*type" };
const podTemplate = { template: "PodTemplateSpec" };
const withMetadata = { metadata: "ObjectMeta" };
const withStatus = { ...withMetadata, status: "WithConditions" };

const containerLists = {
  env: "*name",
  volumeDevices: "*devicePath",
  volumeMounts: "*mountPath",
};

const types: Readonly<Record<string, TypeFacts>> = {
  Other: withMetadata,
  WithConditions: conditions,
  ObjectMeta: { finalizers: "*", ownerReferences: "*uid" },
  MutatingWebhookConfiguration: { ...withMetadata, webhooks: "*name" },
  ValidatingWebhookConfiguration: { ...withMetadata, webhooks: "*name" },
  DaemonSet: { ...withStatus, spec: "TemplateSpec" },
  Deployment: { ...withStatus, spec: "TemplateSpec" },
  ReplicaSet: { ...withStatus, spec: "TemplateSpec" },
  ReplicationController: { ...withStatus, spec: "TemplateSpec" },
  Job: { ...withStatus, spec: "TemplateSpec" },
  TemplateSpec: podTemplate,
  StatefulSet: { ...withStatus, spec: "StatefulSetSpec" },
  StatefulSetSpec: { ...podTemplate, volumeClaimTemplates: "[]PersistentVolumeClaim" },
  PersistentVolumeClaim: withStatus,
  CronJob: { ...withMetadata, spec: "CronJobSpec" },
  CronJobSpec: { jobTemplate: "JobTemplateSpec" },
  JobTemplateSpec: { ...withMetadata, spec: "TemplateSpec" },
  ComponentStatus: { ...withMetadata, ...conditions },
  Namespace: withStatus,
  Node: { ...withMetadata, spec: "NodeSpec", status: "NodeStatus" },
  NodeSpec: { podCIDRs: "*" },
  NodeStatus: { ...conditions, addresses: "*type" },
  Pod: { ...withMetadata, spec: "PodSpec", status: "PodStatus" },
  PodStatus: { ...conditions, podIPs: "*ip" },
  PodTemplate: { ...withMetadata, ...podTemplate },
  PodTemplateSpec: { ...withMetadata, spec: "PodSpec" },
  PodSpec: {
    containers: "*name>Container",
    ephemeralContainers: "*name>EphemeralContainer",
    hostAliases: "*ip",
    imagePullSecrets: "*name",
    initContainers: "*name>Container",
    topologySpreadConstraints: "*topologyKey,whenUnsatisfiable",
    volumes: "*name>Volume",
  },
  Container: { ...containerLists, ports: "*containerPort,protocol" },
  EphemeralContainer: containerLists,
  Volume: { ephemeral: "EphemeralVolumeSource" },
  EphemeralVolumeSource: { volumeClaimTemplate: "Other" },
  Service: { ...withStatus, spec: "ServiceSpec" },
  ServiceSpec: { ports: "*port,protocol" },
  ServiceAccount: { ...withMetadata, secrets: "*name" },
  PodDisruptionBudget: withStatus,
  CSINode: { ...withMetadata, spec: "CSINodeSpec" },
  CSINodeSpec: { drivers: "*name" },
  APIService: withStatus,
  Kustomization: { configMapGenerator: "*name", secretGenerator: "*name" },
};

const admission = "MutatingWebhookConfiguration ValidatingWebhookConfiguration";
const reviews = "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview";
const rbac = "ClusterRole ClusterRoleBinding Role RoleBinding";

const kinds: Readonly<Record<string, string>> = {
  "admissionregistration.k8s.io/v1": admission,
  "admissionregistration.k8s.io/v1beta1": admission,
  "apiextensions.k8s.io/v1": "CustomResourceDefinition",
  "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
  "apiregistration.k8s.io/v1": "APIService",
  "apiregistration.k8s.io/v1beta1": "APIService",
  "apps/v1": "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
  "authentication.k8s.io/v1": "TokenRequest TokenReview",
  "authentication.k8s.io/v1beta1": "TokenReview",
  "authorization.k8s.io/v1": `${reviews} SubjectAccessReview`,
  "authorization.k8s.io/v1beta1": `${reviews} SubjectAccessReview`,
  "autoscaling/v1": "HorizontalPodAutoscaler Scale",
  "autoscaling/v2beta1": "HorizontalPodAutoscaler",
  "autoscaling/v2beta2": "HorizontalPodAutoscaler",
  "batch/v1": "CronJob Job",
  "batch/v1beta1": "CronJob",
  "certificates.k8s.io/v1": "CertificateSigningRequest",
  "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
  "coordination.k8s.io/v1": "Lease",
  "coordination.k8s.io/v1beta1": "Lease",
  "discovery.k8s.io/v1": "EndpointSlice",
  "discovery.k8s.io/v1beta1": "EndpointSlice",
  "events.k8s.io/v1": "Event",
  "events.k8s.io/v1beta1": "Event",
  "extensions/v1beta1": "Ingress",
  "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
  "kustomize.config.k8s.io/v1beta1": "Kustomization",
  "networking.k8s.io/v1": "Ingress IngressClass NetworkPolicy",
  "networking.k8s.io/v1beta1": "Ingress IngressClass",
  "node.k8s.io/v1": "RuntimeClass",
  "node.k8s.io/v1beta1": "RuntimeClass",
  "policy/v1": "PodDisruptionBudget",
  "policy/v1beta1": "Eviction PodDisruptionBudget PodSecurityPolicy",
  "rbac.authorization.k8s.io/v1": rbac,
  "rbac.authorization.k8s.io/v1beta1": rbac,
  "scheduling.k8s.io/v1": "PriorityClass",
  "scheduling.k8s.io/v1beta1": "PriorityClass",
  "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
  "storage.k8s.io/v1beta1": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment",
  v1: "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
};

/** A schema in which only maps are merged. */
const opaque: MergeSchema = {
  field: () => opaque,
  get items() {
    return opaque;
  },
  mergeKeys: undefined,
};

function schemaOf(name: string): MergeSchema {
  const facts = types[name] ?? types["Other"];
  return {
    field: (field) => fieldSchema(facts?.[field]),
    items: undefined,
    mergeKeys: undefined,
  };
}

function fieldSchema(fact: string | undefined): MergeSchema {
  if (fact === undefined) return opaque;
  if (fact.startsWith("[]")) {
    return { field: () => undefined, items: schemaOf(fact.slice(2)), mergeKeys: undefined };
  }
  if (!fact.startsWith("*")) return schemaOf(fact);
  const [keys = "", type] = fact.slice(1).split(">");
  return {
    field: () => undefined,
    items: type === undefined ? opaque : schemaOf(type),
    mergeKeys: keys === "" ? [] : keys.split(","),
  };
}

/** The schema of a type named `io.k8s.api.GROUP.VERSION.NAME` in OpenAPI documents. */
export function builtInType(definition: string): MergeSchema {
  const name = definition.split(".").at(-1) ?? "";
  return Object.hasOwn(types, name) ? schemaOf(name) : opaque;
}

/** kustomize's schemas of the kinds of Kubernetes. */
export const builtInSchemas: SchemaSource = {
  find(apiVersion, kind) {
    const isKnown = kinds[apiVersion]?.split(" ").includes(kind) ?? false;
    if (!isKnown) return undefined;
    return schemaOf(Object.hasOwn(types, kind) ? kind : "Other");
  },
};
