import {
  type Case,
  clusterWide,
  condition,
  crashed,
  early,
  event,
  node,
  readyPod,
  recent,
  recorded,
  unready,
} from "./recorded.ts";

const replicaSet = (message: string) =>
  recorded("apps/v1", "ReplicaSet", {
    spec: { replicas: 3, selector: { matchLabels: { app: "web" } } },
    status: {
      replicas: 0,
      observedGeneration: 1,
      conditions: [condition("ReplicaFailure", "True", "FailedCreate", message)],
    },
  });

/** What the API server says when it refuses a Pod. */
const refusals: readonly (readonly [cause: string, message: string, says: RegExp])[] = [
  [
    "quota-exceeded",
    'pods "web-1" is forbidden: exceeded quota: q, requested: pods=1,cpu=2, used: pods=8,cpu=7, limited: pods=8,cpu=8',
    /quota "q" is exceeded.*cpu: 7 of 8 used, 2 more requested, 1 too much/,
  ],
  [
    "quota-needs-requests",
    'pods "web-1" is forbidden: failed quota: q: must specify limits.cpu for: app; limits.memory for: app',
    /must specify limits\.cpu/,
  ],
  [
    "limit-range",
    'pods "web-1" is forbidden: [maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    /maximum memory usage per Container is 1Gi, but limit is 2Gi/,
  ],
  [
    "pod-security",
    'pods "web-1" is forbidden: violates PodSecurity "baseline:latest": privileged (container "app" must not set securityContext.privileged=true)',
    /Pod Security "baseline:latest" .*: privileged/,
  ],
  [
    "webhook-denied",
    'admission webhook "a.example.com" denied the request: no owner',
    /denies new Pods: "no owner"/,
  ],
  [
    "webhook-unreachable",
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://192.0.2.1/?timeout=10s": context deadline exceeded',
    /does not answer in time/,
  ],
  [
    "webhook-unreachable",
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.b.svc:443/": no endpoints available for service "a"',
    /Service "a" has no ready endpoint/,
  ],
  [
    "admission-policy-denied",
    "pods \"web-1\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too big",
    /ValidatingAdmissionPolicy "p" denies new Pods: "too big"/,
  ],
  [
    "service-account-missing",
    'pods "web-1" is forbidden: error looking up service account default/app: serviceaccount "app" not found',
    /ServiceAccount "app" does not exist/,
  ],
  [
    "priority-class-missing",
    'pods "web-1" is forbidden: no PriorityClass with name high was found',
    /PriorityClass "high"/,
  ],
  [
    "runtime-class-missing",
    'pods "web-1" is forbidden: pod rejected: RuntimeClass "kata" not found',
    /RuntimeClass "kata"/,
  ],
  [
    "controller-forbidden",
    'pods is forbidden: User "system:serviceaccount:kube-system:replicaset-controller" cannot create resource "pods" in API group "" in the namespace "default"',
    /stuck at authorization: .*cannot create pods/,
  ],
  [
    "owner-reference-forbidden",
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on",
    /stuck at authorization/,
  ],
  [
    "namespace-terminating",
    'pods "web-1" is forbidden: unable to create new content in namespace default because it is being terminated',
    /namespace "default" is being deleted/,
  ],
  [
    "template-invalid",
    'Pod "web-1" is invalid: spec.containers[0].ports: Duplicate value',
    /template is invalid: spec\.containers/,
  ],
  ["name-taken", 'pods "web-0" already exists', /"web-0" already/],
  ["store-fails", "etcdserver: mvcc: database space exceeded", /stuck at store/],
  ["create-refused", "something new", /refused by the API server: something new/],
];

const deployment = (spec: object, status: object = {}, metadata: object = {}) =>
  recorded(
    "apps/v1",
    "Deployment",
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: {}, spec: {} },
        ...spec,
      },
      status: { observedGeneration: 1, ...status },
    },
    { generation: 1, ...metadata },
  );
const set = (kind: string, spec: object, status: object = {}) =>
  recorded(
    "apps/v1",
    kind,
    {
      spec: { selector: { matchLabels: { app: "web" } }, template: { spec: {} }, ...spec },
      status: { observedGeneration: 1, ...status },
    },
    { generation: 1 },
  );
const job = (spec: object, status: object) =>
  recorded("batch/v1", "Job", {
    spec: { selector: { matchLabels: { app: "web" } }, ...spec },
    status,
  });
const cronJob = (spec: object, status: object = {}) =>
  recorded("batch/v1", "CronJob", { spec: { schedule: "* * * * *", ...spec }, status });
const scaler = (
  conditions: readonly object[],
  metrics: readonly object[] = [{ type: "Resource" }],
) =>
  recorded("autoscaling/v2", "HorizontalPodAutoscaler", {
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3, metrics },
    status: { conditions },
  });
const owner = {
  ownerReferences: [{ uid: "uid-web", kind: "StatefulSet", name: "web", controller: true }],
};

export const controllerCases: readonly Case[] = [
  ...refusals.map(
    ([cause, message, says]): Case => ({ cause, objects: [replicaSet(message)], says }),
  ),
  {
    cause: "quota-exceeded",
    objects: [
      set("StatefulSet", { replicas: 1 }, { replicas: 0 }),
      event(
        "StatefulSet/web",
        "FailedCreate",
        'create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
      ),
    ],
    says: /statefulset\/web is stuck at admission/,
  },
  {
    cause: "deployment-paused",
    objects: [deployment({ paused: true })],
    says: /rollout is paused/,
  },
  {
    cause: "progress-deadline",
    objects: [
      deployment(
        {},
        { conditions: [condition("Progressing", "False", "ProgressDeadlineExceeded")] },
      ),
    ],
    says: /no progress within 600 s/,
  },
  {
    cause: "controller-behind",
    objects: [deployment({}, {}, { generation: 2 })],
    says: /has not taken up the latest change for 9m/,
  },
  { cause: "healthy", objects: [deployment({ replicas: 0 })], says: /scaled to 0/ },
  {
    cause: "healthy",
    objects: [deployment({}, { replicas: 1, updatedReplicas: 1, availableReplicas: 1 })],
    says: /its only replica is available/,
  },
  {
    cause: "statefulset-order",
    objects: [
      set("StatefulSet", { replicas: 3 }, { replicas: 1 }),
      {
        ...unready({}, { state: { running: { startedAt: recent } } }),
        metadata: { ...unready({}).metadata, name: "web-0", ...owner },
      },
    ],
    says: /wait until web-0 is ready/,
  },
  {
    cause: "container-crash",
    objects: [
      set("StatefulSet", { replicas: 3 }, { replicas: 1 }),
      { ...crashed({}), metadata: { ...crashed({}).metadata, name: "web-0", ...owner } },
    ],
    says: /\(pod\/web-0\)/,
  },
  {
    cause: "update-on-delete",
    objects: [
      set(
        "DaemonSet",
        { updateStrategy: { type: "OnDelete" } },
        { desiredNumberScheduled: 2, numberReady: 2, updatedNumberScheduled: 1 },
      ),
    ],
    says: /1 of 2 Pods are of an old template/,
  },
  {
    cause: "daemonset-no-node",
    objects: [
      set(
        "DaemonSet",
        { template: { spec: { nodeSelector: { a: "b" } } } },
        { desiredNumberScheduled: 0 },
      ),
    ],
    says: /no node fits its nodeSelector a=b/,
  },
  {
    cause: "daemonset-no-node",
    objects: [
      set("DaemonSet", { template: { spec: {} } }, { desiredNumberScheduled: 0 }),
      node({ spec: { taints: [{ key: "gpu", effect: "NoSchedule" }] } }),
    ],
    says: /its Pods do not tolerate the taint gpu:NoSchedule of node n1/,
  },
  { cause: "job-suspended", objects: [job({ suspend: true }, {})], says: /suspended/ },
  {
    cause: "job-failed",
    objects: [
      job(
        { backoffLimit: 2 },
        { failed: 3, conditions: [condition("Failed", "True", "BackoffLimitExceeded")] },
      ),
    ],
    says: /given up after 3 failed Pods: its backoffLimit of 2/,
  },
  {
    cause: "job-retries",
    objects: [job({}, { failed: 1, active: 1 })],
    says: /1 of its Pods has failed/,
  },
  {
    cause: "cronjob-replaced",
    objects: [
      cronJob({ concurrencyPolicy: "Replace" }, { active: [{ name: "web-2" }] }),
      event("CronJob/web", "SuccessfulDelete", "Deleted job web-1", { type: "Normal" }),
    ],
    says: /longer than its schedule .*: the next one replaces it before it is done/,
  },
  {
    cause: "min-ready-seconds",
    objects: [
      recorded("apps/v1", "Deployment", {
        spec: { replicas: 2, minReadySeconds: 300, selector: { matchLabels: { app: "web" } } },
        status: {
          ...{ replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 1 },
          conditions: [condition("Available", "False", "MinimumReplicasUnavailable")],
        },
      }),
    ],
    says: /stuck at readiness: .*only after minReadySeconds of 300 s: 1 of 2 do/,
  },
  {
    cause: "min-ready-seconds",
    objects: [
      recorded("apps/v1", "DaemonSet", {
        spec: { minReadySeconds: 300, selector: { matchLabels: { app: "web" } } },
        status: { desiredNumberScheduled: 1, numberReady: 1, numberAvailable: 0 },
      }),
    ],
    says: /0 of 1 do/,
  },
  { cause: "cronjob-suspended", objects: [cronJob({ suspend: true })], says: /suspended/ },
  {
    cause: "cronjob-schedule",
    objects: [cronJob({ timeZone: "Mars/Olympus" })],
    says: /time zone "Mars\/Olympus" is unknown/,
  },
  {
    cause: "cronjob-missed",
    objects: [
      cronJob({ startingDeadlineSeconds: 5 }),
      event("CronJob/web", "MissSchedule", "Missed scheduled time to start a job: x"),
    ],
    says: /by more than its startingDeadlineSeconds of 5 s/,
  },
  {
    cause: "cronjob-still-active",
    objects: [
      cronJob({ concurrencyPolicy: "Forbid" }, { active: [{ name: "web-1" }] }),
      event("CronJob/web", "JobAlreadyActive", "Not starting job", { type: "Normal" }),
    ],
    says: /while job\/web-1 still runs/,
  },
  {
    cause: "hpa-metrics",
    objects: [
      scaler([
        condition(
          "ScalingActive",
          "False",
          "FailedGetResourceMetric",
          "missing request for cpu in container app of Pod web-1",
        ),
      ]),
    ],
    says: /no request for cpu/,
  },
  {
    cause: "hpa-target",
    objects: [
      scaler([
        condition("AbleToScale", "False", "FailedGetScale", 'deployments.apps "web" not found'),
      ]),
    ],
    says: /target deployment\/web does not exist/,
  },
  {
    cause: "healthy",
    objects: [
      scaler([
        condition("AbleToScale", "True"),
        condition("ScalingLimited", "True", "TooManyReplicas"),
      ]),
    ],
    says: /scales deployment\/web/,
  },
  {
    cause: "budget-allows-no-eviction",
    objects: [
      recorded("policy/v1", "PodDisruptionBudget", {
        spec: { minAvailable: 2 },
        status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 },
      }),
    ],
    says: /only 1 of the 2 Pods/,
  },
  {
    cause: "quota-full",
    objects: [
      recorded("v1", "ResourceQuota", { status: { hard: { pods: "2" }, used: { pods: "2" } } }),
    ],
    says: /pods: 2 of 2/,
  },
  {
    cause: "pull-secret-of-account-missing",
    objects: [recorded("v1", "ServiceAccount", { imagePullSecrets: [{ name: "regcred" }] })],
    says: /"regcred" does not exist/,
  },
  {
    cause: "api-service-unavailable",
    objects: [
      clusterWide("apiregistration.k8s.io/v1", "APIService", {
        spec: { group: "g", version: "v1", service: { namespace: "a", name: "b" } },
        status: { conditions: [condition("Available", "False", "ServiceNotFound")] },
      }),
    ],
    says: /Service a\/b does not exist/,
  },
  {
    cause: "custom-resource-not-served",
    objects: [
      clusterWide("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
        status: {
          conditions: [
            condition("NamesAccepted", "False", "PluralConflict", '"widgets" is already in use'),
          ],
        },
      }),
    ],
    says: /NamesAccepted is False \(PluralConflict\)/,
  },
  {
    cause: "webhook-without-server",
    objects: [
      clusterWide("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", {
        webhooks: [
          {
            name: "a.example.com",
            failurePolicy: "Fail",
            clientConfig: { service: { namespace: "a", name: "b" } },
          },
        ],
      }),
    ],
    says: /Service a\/b does not exist: the requests that it should judge are refused/,
  },
  {
    cause: "certificate-request-pending",
    objects: [
      clusterWide("certificates.k8s.io/v1", "CertificateSigningRequest", {
        spec: { signerName: "s", username: "u" },
      }),
    ],
    says: /waits for approval/,
  },
  {
    cause: "failed-condition",
    objects: [
      recorded("discovery.k8s.io/v1", "EndpointSlice", {
        status: { conditions: [condition("Ready", "False", "Why", "because")] },
      }),
    ],
    says: /condition Ready is False \(Why\): because/,
  },
  {
    cause: "warning",
    objects: [
      recorded("v1", "ConfigMap"),
      event("ConfigMap/web", "Odd", "something new", { source: { component: "own-controller" } }),
    ],
    says: /own-controller warns \(Odd\): something new/,
  },
  {
    cause: "healthy",
    objects: [recorded("v1", "ConfigMap")],
    says: /nothing shows that anything is wrong/,
  },
  {
    cause: "rollout-partition",
    objects: [
      set(
        "StatefulSet",
        { replicas: 2, updateStrategy: { rollingUpdate: { partition: 1 } } },
        {
          replicas: 2,
          readyReplicas: 2,
          updatedReplicas: 1,
          currentRevision: "a",
          updateRevision: "b",
        },
      ),
      readyPod({ name: "web-0" }),
    ],
    says: /healthy/,
  },
  {
    cause: "governing-service-missing",
    objects: [
      set("StatefulSet", { replicas: 1, serviceName: "gone" }, { replicas: 1, readyReplicas: 1 }),
    ],
    says: /healthy/,
  },
  {
    cause: "hpa-at-limit",
    objects: [scaler([condition("ScalingLimited", "True", "TooManyReplicas")])],
    says: /healthy/,
  },
  { cause: "scaled-to-zero", objects: [deployment({ replicas: 0 })], says: /healthy/ },
  {
    cause: "cronjob-schedule",
    objects: [cronJob({ schedule: "61 * * * *" })],
    says: /schedule "61 \* \* \* \*" is invalid/,
  },
  {
    cause: "job-failed",
    objects: [
      job(
        { activeDeadlineSeconds: 3 },
        { startTime: early, conditions: [condition("Failed", "True", "DeadlineExceeded")] },
      ),
    ],
    says: /activeDeadlineSeconds of 3 s/,
  },
  {
    cause: "job-parallelism-zero",
    objects: [job({ parallelism: 0 }, {})],
    says: /parallelism is 0/,
  },
  {
    cause: "cronjob-never-due",
    objects: [cronJob({ schedule: "0 0 30 2 *" })],
    says: /never runs/,
  },
  {
    cause: "conversion-webhook-without-server",
    objects: [
      clusterWide("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
        spec: {
          conversion: {
            strategy: "Webhook",
            webhook: { clientConfig: { service: { namespace: "a", name: "b" } } },
          },
        },
      }),
    ],
    says: /conversion webhook cannot be called, as its Service a\/b does not exist/,
  },
];
