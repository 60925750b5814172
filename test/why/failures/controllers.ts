import {
  claim,
  container,
  cronJob,
  type Failure,
  idle,
  mounted,
  object,
  pod,
  script,
  workload,
} from "../failure.ts";

const quota = (hard: object) => object("v1", "ResourceQuota", "limits", { spec: { hard } });
const claimed = mounted({ persistentVolumeClaim: { claimName: "data" } });

export const controllerFailures: readonly Failure[] = [
  {
    name: "quota",
    objects: [quota({ pods: "1" }), workload("Deployment", container(), { spec: { replicas: 3 } })],
    ask: "deployment/web",
    layer: "admission",
    says: /quota "limits" is exceeded.*pods: 1 of 1 used, 1 more requested, 1 too much/,
  },
  {
    name: "quota-requests",
    objects: [quota({ "requests.cpu": "1" }), workload("Deployment", container())],
    ask: "deployment/web",
    layer: "admission",
    says: /quota "limits" refuses new Pods: they must specify requests\.cpu/,
  },
  {
    name: "limit-range",
    objects: [
      object("v1", "LimitRange", "limits", {
        spec: { limits: [{ type: "Container", max: { memory: "10Mi" } }] },
      }),
      workload("StatefulSet", container({ resources: { limits: { memory: "20Mi" } } })),
    ],
    ask: "statefulset/web",
    layer: "admission",
    says: /LimitRange .*maximum memory usage per Container is 10Mi/,
  },
  {
    name: "pod-security",
    objects: [workload("Deployment", container())],
    labels: { "pod-security.kubernetes.io/enforce": "restricted" },
    layer: "admission",
    says: /Pod Security "restricted:latest" .*allowPrivilegeEscalation != false/,
  },
  {
    name: "service-account",
    objects: [workload("DaemonSet", container(), { template: { serviceAccountName: "absent" } })],
    layer: "admission",
    says: /ServiceAccount "absent" does not exist/,
  },
  {
    name: "priority-class",
    objects: [workload("Deployment", container(), { template: { priorityClassName: "absent" } })],
    layer: "admission",
    says: /PriorityClass "absent" does not exist/,
  },
  {
    name: "webhook",
    objects: [
      {
        ...object(
          "admissionregistration.k8s.io/v1",
          "ValidatingWebhookConfiguration",
          "why-webhook",
        ),
        webhooks: [
          {
            name: "check.example.com",
            admissionReviewVersions: ["v1"],
            sideEffects: "None",
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "webhook" } },
            rules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
            clientConfig: { service: { namespace: "webhook", name: "absent" } },
          },
        ],
      },
      workload("Deployment", container()),
    ],
    ask: "deployment/web",
    layer: "admission",
    says: /webhook "check\.example\.com" cannot be called.*Service "absent" does not exist/,
  },
  {
    name: "policy",
    objects: [
      {
        ...object("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "why-policy"),
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] },
            ],
          },
          validations: [{ expression: "false", message: "Pods need an owner label" }],
        },
      },
      {
        ...object(
          "admissionregistration.k8s.io/v1",
          "ValidatingAdmissionPolicyBinding",
          "why-policy",
        ),
        spec: {
          policyName: "why-policy",
          validationActions: ["Deny"],
          matchResources: {
            namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "policy" } },
          },
        },
      },
      workload("Deployment", container()),
    ],
    ask: "deployment/web",
    layer: "admission",
    says: /ValidatingAdmissionPolicy "why-policy" denies new Pods: "Pods need an owner label"/,
  },
  {
    name: "paused",
    objects: [workload("Deployment", container(), { spec: { paused: true } })],
    layer: "controllers",
    says: /rollout is paused/,
  },
  {
    name: "stateful-order",
    objects: [workload("StatefulSet", script("exit 5"), { spec: { replicas: 3 } })],
    layer: "containers",
    says: /exit code 5.*pod\/web-0/,
  },
  {
    name: "daemonset-no-node",
    objects: [
      workload("DaemonSet", container(), { template: { nodeSelector: { disktype: "ssd" } } }),
    ],
    layer: "scheduling",
    says: /no node fits its nodeSelector disktype=ssd/,
  },
  {
    name: "cronjob-suspended",
    objects: [cronJob(script("true"), { suspend: true })],
    layer: "healthy",
    says: /is suspended/,
  },
  {
    name: "cronjob",
    objects: [cronJob(script("true"), { schedule: "0 0 1 1 *" })],
    layer: "healthy",
    says: /next runs at/,
  },
  {
    name: "hpa-no-metrics",
    objects: [
      workload("Deployment", container({ resources: { requests: { cpu: "1m" } } })),
      {
        ...object("autoscaling/v2", "HorizontalPodAutoscaler", "web"),
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          maxReplicas: 3,
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
            },
          ],
        },
      },
    ],
    ask: "hpa/web",
    layer: "controllers",
    says: /serves no metrics/,
  },
  {
    name: "hpa-no-target",
    objects: [
      {
        ...object("autoscaling/v2", "HorizontalPodAutoscaler", "web"),
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "absent" },
          maxReplicas: 3,
        },
      },
    ],
    layer: "controllers",
    says: /target deployment\/absent does not exist/,
  },
  {
    name: "budget",
    objects: [
      {
        ...object("policy/v1", "PodDisruptionBudget", "web"),
        spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
      },
      pod(container()),
    ],
    layer: "controllers",
    says: /allows no eviction/,
  },
  {
    name: "quota-full",
    objects: [quota({ configmaps: "1" })],
    layer: "admission",
    says: /used up.*configmaps: 1 of 1/,
  },
  {
    name: "api-service",
    objects: [
      {
        ...object("apiregistration.k8s.io/v1", "APIService", "v1.why.example.com"),
        spec: {
          group: "why.example.com",
          version: "v1",
          groupPriorityMinimum: 10,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { namespace: "api-service", name: "absent" },
        },
      },
    ],
    layer: "service",
    says: /API why\.example\.com\/v1 is not available.*does not exist/,
  },
  {
    name: "finalizer",
    objects: [object("v1", "ConfigMap", "kept")].map((one) => ({
      ...one,
      metadata: { ...one.metadata, finalizers: ["example.com/keep"] },
    })),
    afterwards: [["delete", "configmap", "kept", "--wait=false"]],
    layer: "deletion",
    says: /finalizer example\.com\/keep: the controller of example\.com must remove it/,
  },
  {
    name: "claim-in-use",
    objects: [
      {
        ...object("v1", "PersistentVolume", "why-used"),
        spec: {
          storageClassName: "why-used",
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/tmp" },
        },
      },
      claim({ storageClassName: "why-used" }),
      pod(script(idle, claimed.mount), claimed.spec),
    ],
    afterwards: [
      ["wait", "pod/web", "--for=condition=Ready", "--timeout=300s"],
      ["delete", "pvc", "data", "--wait=false"],
    ],
    ask: "pvc/data",
    layer: "deletion",
    says: /stays while pod\/web uses it/,
  },
];
