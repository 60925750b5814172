import type { Resource } from "#/api/base/resource.ts";

type Json = Readonly<Record<string, unknown>>;

const podSpec = { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] };
const alwaysPodSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels: { a: "b" } }, spec: alwaysPodSpec };
const selector = { matchLabels: { a: "b" } };
const matchRule = {
  operations: ["CREATE"],
  apiGroups: ["a"],
  apiVersions: ["v1"],
  resources: ["b"],
};
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://127.0.0.1:1/a" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [matchRule],
};
const claimSpec = { devices: { requests: [{ name: "a", exactly: { deviceClassName: "a" } }] } };
const oldClaimSpec = { devices: { requests: [{ name: "a", deviceClassName: "a" }] } };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "a" };
const access = { user: "a", resourceAttributes: { verb: "get", resource: "pods", namespace: "a" } };

/** The smallest valid content of each kind, besides the metadata. Kinds without an entry need none. */
const contents: Readonly<Record<string, Json>> = {
  APIService: {
    spec: { group: "example.com", version: "v1", groupPriorityMinimum: 100, versionPriority: 10 },
  },
  Binding: { target: { kind: "Node", name: "a" } },
  CSIDriver: { spec: {} },
  CSINode: { spec: { drivers: [] } },
  CSIStorageCapacity: { storageClassName: "s" },
  CompositePodGroup: {
    spec: {
      schedulingPolicy: { basic: {} },
      workloadRef: { workloadName: "w", templateName: "t" },
    },
  },
  ControllerRevision: { data: { a: 1 }, revision: 1 },
  CronJob: {
    spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { template: { spec: podSpec } } } },
  },
  CustomResourceDefinition: {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "gizmos", singular: "gizmo", kind: "Gizmo" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { a: { type: "object" } } } },
        },
      ],
    },
  },
  DaemonSet: { spec: { selector, template } },
  Deployment: { spec: { selector, template } },
  DeviceClass: { spec: {} },
  DeviceTaintRule: {
    spec: { deviceSelector: { driver: "example.com" }, taint: { key: "a", effect: "NoExecute" } },
  },
  EndpointSlice: { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] }], ports: [] },
  Eviction: {
    spec: { target: { pod: { name: "a", uid: "00000000-0000-4000-8000-000000000000" } } },
  },
  EvictionRequest: {
    spec: {
      target: { pod: { name: "a", uid: "00000000-0000-4000-8000-000000000000" } },
      requester: "example.com/a",
      intent: "Eviction",
    },
  },
  FlowSchema: {
    spec: {
      priorityLevelConfiguration: { name: "exempt" },
      rules: [
        {
          subjects: [{ kind: "User", user: { name: "*" } }],
          resourceRules: [
            {
              verbs: ["get"],
              apiGroups: ["a"],
              resources: ["b"],
              namespaces: ["c"],
              clusterScope: true,
            },
          ],
          nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/a"] }],
        },
      ],
    },
  },
  HorizontalPodAutoscaler: {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      maxReplicas: 5,
    },
  },
  IPAddress: {
    spec: { parentRef: { resource: "services", name: "a", namespace: "default" } },
  },
  Ingress: {
    spec: {
      defaultBackend: { service: { name: "a", port: { number: 80 } } },
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [
              {
                path: "/a",
                pathType: "Prefix",
                backend: { service: { name: "a", port: { number: 80 } } },
              },
            ],
          },
        },
      ],
    },
  },
  IngressClass: { spec: { controller: "example.com/a" } },
  Job: { spec: { template: { spec: podSpec } } },
  LeaseCandidate: {
    spec: {
      leaseName: "a",
      binaryVersion: "1.37.0",
      emulationVersion: "1.37.0",
      strategy: "OldestEmulationVersion",
    },
  },
  LimitRange: { spec: { limits: [] } },
  LocalSubjectAccessReview: { spec: { ...access, resourceAttributes: { namespace: "default" } } },
  MutatingAdmissionPolicy: {
    spec: {
      matchConstraints: { resourceRules: [matchRule] },
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "JSONPatch",
          jsonPatch: { expression: "[JSONPatch{op: 'remove', path: '/a'}]" },
        },
      ],
    },
  },
  MutatingAdmissionPolicyBinding: { spec: { policyName: "a" } },
  MutatingWebhookConfiguration: { webhooks: [webhook] },
  PersistentVolume: {
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/a" },
    },
  },
  PersistentVolumeClaim: {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  Pod: { spec: alwaysPodSpec },
  PodGroup: { spec: { schedulingPolicy: { basic: {} } } },
  PodTemplate: { template },
  PriorityClass: { value: 5 },
  PriorityLevelConfiguration: {
    spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
  },
  ReplicaSet: { spec: { selector, template } },
  ReplicationController: { spec: { selector: { a: "b" }, template } },
  ResourceClaim: { spec: claimSpec },
  "v1beta1/ResourceClaim": { spec: oldClaimSpec },
  ResourceClaimTemplate: { spec: { spec: claimSpec } },
  "v1beta1/ResourceClaimTemplate": { spec: { spec: oldClaimSpec } },
  ResourceSlice: {
    spec: {
      driver: "example.com",
      pool: { name: "a", resourceSliceCount: 1, generation: 1 },
      nodeName: "a",
    },
  },
  ResourcePoolStatusRequest: { spec: { driver: "example.com" } },
  RoleBinding: { roleRef, subjects: [] },
  ClusterRoleBinding: { roleRef, subjects: [] },
  Role: { rules: [{ verbs: ["get"], apiGroups: ["a"], resources: ["b"] }] },
  ClusterRole: { rules: [{ verbs: ["get"], apiGroups: ["a"], resources: ["b"] }] },
  RuntimeClass: { handler: "h" },
  SelfSubjectAccessReview: { spec: { resourceAttributes: access.resourceAttributes } },
  SelfSubjectRulesReview: { spec: { namespace: "default" } },
  Service: { spec: { clusterIP: "None", selector: { a: "b" }, ports: [] } },
  ServiceCIDR: { spec: { cidrs: ["10.1.0.0/16"] } },
  StatefulSet: { spec: { selector, template, serviceName: "s" } },
  StorageClass: { provisioner: "a.io/b" },
  StorageVersionMigration: { spec: { resource: { group: "apps", resource: "deployments" } } },
  SubjectAccessReview: { spec: access },
  TokenReview: { spec: { token: "a" } },
  ValidatingAdmissionPolicy: {
    spec: {
      matchConstraints: { resourceRules: [matchRule] },
      validations: [{ expression: "true" }],
    },
  },
  ValidatingAdmissionPolicyBinding: { spec: { policyName: "a", validationActions: ["Deny"] } },
  ValidatingWebhookConfiguration: { webhooks: [webhook] },
  VolumeAttachment: {
    spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "v" } },
  },
  VolumeAttributesClass: { driverName: "d", parameters: { a: "b" } },
  Workload: {
    spec: {
      podGroupTemplates: [{ name: "t", schedulingPolicy: { gang: { minCount: 2 } } }],
    },
  },
};

/** Kinds whose names follow from their content. */
const names: Readonly<Record<string, string>> = {
  APIService: "v1.example.com",
  CustomResourceDefinition: "gizmos.example.com",
  IPAddress: "10.0.0.5",
  StorageVersion: "apps.deployments",
};

/** A small valid object of a resource, as a client sends it. */
export function validObject(resource: Resource): Record<string, unknown> {
  const { group, version, kind, namespaced } = resource;
  const content = contents[`${version}/${kind}`] ?? contents[kind] ?? {};
  return structuredClone({
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: { name: names[kind] ?? "a", ...(namespaced && { namespace: "default" }) },
    ...content,
  });
}
