import type { Area, Case, Step } from "../case.ts";
import { objectOf } from "./create-each.ts";
import { sequence } from "./sequence.ts";
import {
  claims,
  configMaps,
  create,
  deployments,
  merge,
  pods,
  quotas,
  read,
  services,
} from "./steps.ts";

const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const namespace = "/api/v1/namespaces/{ns}";
const ranges = `${namespace}/limitranges`;
const nodes = "/api/v1/nodes";
const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
const storageClasses = "/apis/storage.k8s.io/v1/storageclasses";
const runtimes = "/apis/node.k8s.io/v1/runtimeclasses";
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

const account = (change: object = {}): Step =>
  create(accounts, { ...objectOf("v1", "ServiceAccount", {}, { name: "default" }), ...change });
const container = { name: "c", image: "i" };
const pod = (spec: object = {}, metadata: object = {}): object =>
  objectOf("v1", "Pod", { spec: { containers: [container], ...spec } }, { name: "a", ...metadata });
const withContainer = (change: object): object =>
  pod({ containers: [{ ...container, ...change }] });
/** Requests that the real server's plugins see only once their caches have caught up. */
const later = (step: Step): Step => ({ ...step, waitSeconds: 1 });
const node = "parity-node";
const asNode = (step: Step): Step => ({
  ...step,
  headers: {
    ...step.headers,
    "impersonate-user": `system:node:${node}`,
    "impersonate-group": "system:nodes",
  },
});
const map = (name = "a"): object => objectOf("v1", "ConfigMap", {}, { name });
const label = (labels: object): Step => merge(namespace, { metadata: { labels } });

const namespaceCases: Case[] = [
  sequence(
    "namespace: missing",
    create("/api/v1/namespaces/none-{ns}/configmaps", map()),
    create("/api/v1/namespaces/none-{ns}/pods", pod()),
  ),
  sequence(
    "namespace: going",
    create(configMaps, map()),
    { method: "DELETE", path: namespace },
    later(create(configMaps, map("b"))),
    create(configMaps, objectOf("v1", "ConfigMap", {}, { generateName: "b-" })),
    merge(`${configMaps}/a`, { data: { a: "b" } }),
  ),
  sequence("namespace: default stays", { method: "DELETE", path: "/api/v1/namespaces/default" }),
];

const accountCases: Case[] = [
  sequence("account: missing", create(pods, pod({ serviceAccountName: "other" }))),
  sequence("account: default", account(), create(pods, pod())),
  sequence(
    "account: no token",
    account({ automountServiceAccountToken: false, imagePullSecrets: [{ name: "s" }] }),
    create(pods, pod()),
    create(pods, pod({ automountServiceAccountToken: true }, { name: "b" })),
  ),
  sequence(
    "account: some mounts",
    account(),
    create(
      pods,
      pod({
        initContainers: [container, { ...container, name: "d" }].map((one, index) => ({
          ...one,
          name: `i${index}`,
          volumeMounts: index
            ? [{ name: "v", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }]
            : [],
        })),
        volumes: [{ name: "v", emptyDir: {} }],
        imagePullSecrets: [{ name: "own" }],
      }),
    ),
  ),
  sequence(
    "account: mirror pods",
    create(pods, pod({ serviceAccountName: "a" }, mirror())),
    create(pods, pod({ imagePullSecrets: [{ name: "s" }] }, mirror())),
    create(pods, pod({ volumes: [tokenVolume()] }, mirror())),
  ),
  sequence(
    "account: mountable secrets",
    account({
      metadata: {
        name: "default",
        annotations: { "kubernetes.io/enforce-mountable-secrets": "true" },
      },
      secrets: [{ name: "good" }],
    }),
    create(pods, pod({ volumes: [{ name: "v", secret: { secretName: "bad" } }] })),
    create(
      pods,
      withContainer({
        env: [{ name: "E", valueFrom: { secretKeyRef: { name: "bad", key: "k" } } }],
      }),
    ),
    create(pods, withContainer({ envFrom: [{ secretRef: { name: "bad" } }] })),
    create(pods, pod({ imagePullSecrets: [{ name: "bad" }] })),
    create(pods, pod({ volumes: [{ name: "v", secret: { secretName: "good" } }] })),
  ),
];

function mirror(): object {
  return { annotations: { "kubernetes.io/config.mirror": "x" } };
}

function tokenVolume(): object {
  const serviceAccountToken = { path: "token" };
  return { name: "v", projected: { sources: [{ serviceAccountToken }] } };
}

const limit = (item: object): Step =>
  create(ranges, objectOf("v1", "LimitRange", { spec: { limits: [item] } }, { name: "l" }));
const limitCases: Case[] = [
  sequence(
    "limits: defaults",
    account(),
    limit({
      type: "Container",
      default: { cpu: "2", memory: "1Gi" },
      defaultRequest: { cpu: "100m", "ephemeral-storage": "1Gi" },
    }),
    later(create(pods, pod({ initContainers: [{ ...container, name: "i" }] }))),
    create(pods, {
      ...withContainer({ resources: { requests: { cpu: "1" } } }),
      metadata: { name: "b" },
    }),
  ),
  sequence(
    "limits: of a container",
    account(),
    limit({ type: "Container", min: { cpu: "100m" }, max: { cpu: "1" }, default: { cpu: "500m" } }),
    later(
      create(
        pods,
        withContainer({ resources: { requests: { cpu: "50m" }, limits: { cpu: "1" } } }),
      ),
    ),
    create(pods, withContainer({ resources: { limits: { cpu: "2" } } })),
    create(pods, withContainer({ resources: { requests: { cpu: "1" }, limits: { cpu: "1" } } })),
  ),
  sequence(
    "limits: nothing said",
    account(),
    limit({ type: "Pod", min: { memory: "1Mi" }, max: { memory: "1Gi" } }),
    later(create(pods, pod())),
    create(
      pods,
      withContainer({ resources: { requests: { memory: "1Mi" }, limits: { memory: "2Gi" } } }),
    ),
  ),
  sequence(
    "limits: ratio",
    account(),
    limit({ type: "Pod", maxLimitRequestRatio: { cpu: "2" } }),
    later(
      create(pods, withContainer({ resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } })),
    ),
    create(pods, pod()),
  ),
  sequence(
    "limits: of a claim",
    limit({ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } }),
    later(create(claims, claim("5Gi"))),
    create(claims, claim("1Mi")),
    create(claims, claim("1Gi")),
  ),
];

function claim(storage: string): object {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  return objectOf("v1", "PersistentVolumeClaim", { spec });
}

const quota = (name: string, hard: object, spec: object = {}): Step =>
  create(quotas, objectOf("v1", "ResourceQuota", { spec: { hard, ...spec } }, { name }));
/** What the quota controller does for a new quota. */
const counted = (name: string, hard: Readonly<Record<string, string>>): Step =>
  merge(`${quotas}/${name}/status`, {
    status: { hard, used: Object.fromEntries(Object.keys(hard).map((key) => [key, "0"])) },
  });
const quotaOf = (hard: Readonly<Record<string, string>>, spec: object = {}): Step[] => [
  quota("q", hard, spec),
  counted("q", hard),
];
const quotaCases: Case[] = [
  sequence(
    "quota: objects",
    ...quotaOf({ configmaps: "1", "count/configmaps": "5", "count/deployments.apps": "0" }),
    later(create(configMaps, map("a"))),
    create(configMaps, map("b")),
    create(
      deployments,
      objectOf("apps/v1", "Deployment", {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
        },
      }),
    ),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: resources",
    account(),
    ...quotaOf({ "requests.cpu": "1", "limits.memory": "1Gi", pods: "2" }),
    later(create(pods, pod())),
    create(
      pods,
      withContainer({ resources: { requests: { cpu: "2" }, limits: { memory: "1Gi" } } }),
    ),
    create(
      pods,
      withContainer({ resources: { requests: { cpu: "600m" }, limits: { memory: "512Mi" } } }),
    ),
    {
      ...create(pods, {
        ...withContainer({ resources: { requests: { cpu: "500m" }, limits: { memory: "1Gi" } } }),
        metadata: { name: "b" },
      }),
    },
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: scopes",
    account(),
    ...quotaOf({ pods: "0" }, { scopes: ["BestEffort"] }),
    later(create(pods, pod())),
    create(pods, withContainer({ resources: { requests: { cpu: "1" } } })),
  ),
  sequence(
    "quota: services",
    ...quotaOf({ services: "5", "services.nodeports": "1", "services.loadbalancers": "0" }),
    later(
      create(
        services,
        objectOf("v1", "Service", { spec: { type: "LoadBalancer", ports: [{ port: 1 }] } }),
      ),
    ),
    create(
      services,
      objectOf("v1", "Service", { spec: { type: "ClusterIP", ports: [{ port: 1 }] } }),
    ),
    merge(`${services}/a`, {
      spec: {
        type: "NodePort",
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      },
    }),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: storage",
    ...quotaOf({
      "requests.storage": "2Gi",
      persistentvolumeclaims: "5",
      "gold.storageclass.storage.k8s.io/requests.storage": "0",
    }),
    later(create(claims, claim("3Gi"))),
    create(claims, {
      ...claim("1Gi"),
      spec: {
        storageClassName: "gold",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    }),
    create(claims, claim("1Gi")),
    read(`${quotas}/q`),
  ),
  sequence(
    "quota: unknown status",
    quota("q", { configmaps: "1" }),
    merge(`${quotas}/q/status`, { status: { hard: { configmaps: "1" } } }),
    later(create(configMaps, map())),
  ),
];

const podSettingCases: Case[] = [
  sequence(
    "priority: classes",
    account(),
    create(
      classes,
      objectOf(
        "scheduling.k8s.io/v1",
        "PriorityClass",
        { value: 7, preemptionPolicy: "Never" },
        { name: "{ns}" },
      ),
    ),
    later(create(pods, pod({ priorityClassName: "{ns}" }))),
    create(pods, pod({ priorityClassName: "{ns}", priority: 8 }, { name: "b" })),
    create(
      pods,
      pod({ priorityClassName: "{ns}", preemptionPolicy: "PreemptLowerPriority" }, { name: "b" }),
    ),
    create(pods, pod({ priorityClassName: "none" }, { name: "b" })),
    create(pods, pod({ priority: 3 }, { name: "b" })),
  ),
  sequence(
    "tolerations: own",
    account(),
    create(
      pods,
      pod({
        tolerations: [
          {
            key: "node.kubernetes.io/not-ready",
            operator: "Exists",
            tolerationSeconds: 5,
            effect: "NoExecute",
          },
        ],
      }),
    ),
    create(pods, pod({ tolerations: [{ operator: "Exists" }] }, { name: "b" })),
  ),
  sequence(
    "tolerations: extended resources",
    account(),
    create(
      pods,
      withContainer({ resources: { limits: { "example.com/b": "1", "example.com/a": "2" } } }),
    ),
  ),
  sequence(
    "anti-affinity: of a zone",
    account(),
    create(
      pods,
      pod({
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "zone", labelSelector: {} },
            ],
          },
        },
      }),
    ),
  ),
  sequence(
    "runtime class",
    account(),
    create(
      runtimes,
      objectOf(
        "node.k8s.io/v1",
        "RuntimeClass",
        {
          handler: "h",
          overhead: { podFixed: { cpu: "10m" } },
          scheduling: {
            nodeSelector: { a: "b" },
            tolerations: [{ key: "k", operator: "Exists", effect: "NoSchedule" }],
          },
        },
        { name: "{ns}" },
      ),
    ),
    later(create(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { c: "d" } }))),
    create(pods, pod({ runtimeClassName: "{ns}", nodeSelector: { a: "x" } }, { name: "b" })),
    create(pods, pod({ runtimeClassName: "{ns}", overhead: { cpu: "1" } }, { name: "b" })),
    create(pods, pod({ runtimeClassName: "none" }, { name: "b" })),
    create(pods, pod({ overhead: { cpu: "1" } }, { name: "b" })),
  ),
  sequence(
    "topology labels",
    account(),
    create(
      nodes,
      objectOf("v1", "Node", {}, { name: "{ns}", labels: { "topology.kubernetes.io/zone": "z" } }),
    ),
    later(create(pods, pod({ nodeName: "{ns}" }))),
  ),
  sequence(
    "external addresses",
    create(
      services,
      objectOf("v1", "Service", { spec: { externalIPs: ["192.0.2.9"], ports: [{ port: 1 }] } }),
    ),
  ),
];

const storageCases: Case[] = [
  sequence(
    "claim: default class",
    create(
      storageClasses,
      objectOf(
        "storage.k8s.io/v1",
        "StorageClass",
        { provisioner: "p", allowVolumeExpansion: true },
        { name: "{ns}", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      ),
    ),
    later(create(claims, claim("1Gi"))),
    merge(`${claims}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    merge(`${claims}/a/status`, {
      status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
    }),
    merge(`${claims}/a`, { spec: { volumeName: "v" } }),
    merge(`${claims}/a`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    { method: "DELETE", path: `${storageClasses}/{ns}` },
    later(merge(`${claims}/a`, { spec: { resources: { requests: { storage: "3Gi" } } } })),
  ),
];

const restricted = { "pod-security.kubernetes.io/enforce": "restricted" };
const securityCases: Case[] = [
  sequence(
    "security: restricted",
    account(),
    label(restricted),
    later(create(pods, pod())),
    create(
      pods,
      pod({
        hostNetwork: true,
        securityContext: { runAsUser: 0, seccompProfile: { type: "Unconfined" } },
        volumes: [
          { name: "h", hostPath: { path: "/" } },
          { name: "n", nfs: { server: "s", path: "/" } },
        ],
        containers: [
          {
            ...container,
            securityContext: {
              privileged: true,
              capabilities: { add: ["NET_ADMIN", "SYS_TIME"] },
              runAsNonRoot: false,
              procMount: "Unmasked",
            },
            ports: [{ containerPort: 80, hostPort: 80 }],
          },
          { ...container, name: "d" },
        ],
      }),
    ),
    create(
      pods,
      pod({
        securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
        containers: [
          {
            ...container,
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          },
        ],
      }),
    ),
    merge(`${pods}/a`, { metadata: { labels: { a: "b" } } }),
    create(
      deployments,
      objectOf("apps/v1", "Deployment", {
        spec: {
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [container] } },
        },
      }),
    ),
  ),
  sequence(
    "security: baseline of a version",
    account(),
    label({
      "pod-security.kubernetes.io/enforce": "baseline",
      "pod-security.kubernetes.io/enforce-version": "v1.22",
      "pod-security.kubernetes.io/warn": "restricted",
      "pod-security.kubernetes.io/warn-version": "v1.18",
    }),
    later(create(pods, pod())),
    create(
      pods,
      pod(
        {
          hostPID: true,
          hostIPC: true,
          securityContext: {
            seLinuxOptions: { type: "t", user: "u", role: "r" },
            sysctls: [{ name: "net.ipv4.tcp_keepalive_time", value: "1" }],
            windowsOptions: { hostProcess: false },
          },
          containers: [
            {
              ...container,
              securityContext: { appArmorProfile: { type: "Unconfined" } },
              livenessProbe: { httpGet: { port: 1, host: "h" } },
            },
          ],
        },
        { name: "b" },
      ),
    ),
  ),
  sequence(
    "security: labels",
    label({
      "pod-security.kubernetes.io/enforce": "strict",
      "pod-security.kubernetes.io/audit-version": "1.2",
    }),
    account(),
    create(pods, pod()),
    create(pods, pod({ hostNetwork: true }, { name: "b" })),
    later(label({ "pod-security.kubernetes.io/enforce": "restricted" })),
    label({ "pod-security.kubernetes.io/enforce": "baseline" }),
    label({ "pod-security.kubernetes.io/enforce": null }),
  ),
  sequence("security: new namespace", {
    method: "POST",
    path: "/api/v1/namespaces",
    body: objectOf(
      "v1",
      "Namespace",
      {},
      { name: "x-{ns}", labels: { "pod-security.kubernetes.io/warn": "a" } },
    ),
  }),
];

const owner = { apiVersion: "v1", kind: "Node", name: node, uid: "u", controller: true };
const nodeCases: Case[] = [
  sequence(
    "node: itself",
    asNode(create(nodes, objectOf("v1", "Node", {}, { name: "other" }))),
    asNode(
      create(
        nodes,
        objectOf(
          "v1",
          "Node",
          {},
          {
            name: node,
            labels: {
              "node-restriction.kubernetes.io/a": "b",
              "kubernetes.io/b": "c",
              "kubernetes.io/os": "linux",
              "node.kubernetes.io/d": "e",
            },
          },
        ),
      ),
    ),
    asNode(create(nodes, objectOf("v1", "Node", {}, { name: node }))),
    asNode(merge(`${nodes}/${node}`, { spec: { taints: null } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { labels: { "kubernetes.io/x": "y" } } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { labels: { a: "y" } } })),
    asNode(merge(`${nodes}/${node}`, { metadata: { ownerReferences: [owner] } })),
    later({ method: "DELETE", path: `${nodes}/${node}` }),
  ),
  sequence(
    "node: pods",
    asNode(create(pods, pod())),
    asNode(create(pods, pod({ nodeName: "other" }, mirror()))),
    asNode(create(pods, pod({ nodeName: node }, mirror()))),
    asNode(create(pods, pod({ nodeName: node }, { ...mirror(), ownerReferences: [owner] }))),
    account(),
    create(pods, pod({ nodeName: "other" })),
    later(asNode({ method: "DELETE", path: `${pods}/a` })),
    asNode(merge(`${pods}/a`, { metadata: { labels: { a: "b" } } })),
    asNode(merge(`${pods}/a/status`, { status: { phase: "Running" } })),
    asNode(create(`${pods}/a/eviction`, objectOf("policy/v1", "Eviction", {}, { name: "a" }))),
    asNode({ method: "DELETE", path: `${pods}/none` }),
  ),
  sequence(
    "node: others",
    asNode(create(leases, objectOf("coordination.k8s.io/v1", "Lease", {}, { name: "other" }))),
    asNode(
      create(
        "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
        objectOf("coordination.k8s.io/v1", "Lease", {}, { name: node }),
      ),
    ),
    create(claims, claim("1Gi")),
    asNode(merge(`${claims}/a`, { metadata: { labels: { a: "b" } } })),
    asNode(
      create(
        "/apis/storage.k8s.io/v1/csinodes",
        objectOf("storage.k8s.io/v1", "CSINode", { spec: { drivers: [] } }, { name: "other" }),
      ),
    ),
    asNode(create(configMaps, map())),
  ),
];

const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const unreachable = (change: object): object =>
  objectOf(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    {
      webhooks: [
        {
          name: "x.example.com",
          clientConfig: { url: "https://127.0.0.1:1/check" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "{ns}" } },
          rules: [
            {
              operations: ["CREATE", "DELETE"],
              apiGroups: [""],
              apiVersions: ["v1"],
              resources: ["configmaps"],
            },
          ],
          ...change,
        },
      ],
    },
    { name: "{ns}" },
  );
const webhookCases: Case[] = [
  sequence(
    "webhook: nobody there",
    create(hooks, unreachable({})),
    later(create(configMaps, map())),
    create(configMaps, map(), { query: "dryRun=All" }),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: no service",
    create(
      hooks,
      unreachable({
        clientConfig: { service: { name: "a", namespace: "{ns}", path: "/b" } },
        timeoutSeconds: 3,
      }),
    ),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: ignored",
    create(hooks, unreachable({ failurePolicy: "Ignore" })),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
  sequence(
    "webhook: condition fails",
    create(
      hooks,
      unreachable({ matchConditions: [{ name: "a", expression: "object.spec.x == 1" }] }),
    ),
    later(create(configMaps, map())),
    { method: "DELETE", path: `${hooks}/{ns}` },
  ),
];

/** What the plugins that are on by default, and some others, say and do. */
export const admissionArea: Area = {
  name: "admission",
  flags: [
    "--allow-privileged=true",
    "--authorization-mode=AlwaysAllow",
    "--enable-admission-plugins=ServiceAccount,NodeRestriction,ExtendedResourceToleration,DenyServiceExternalIPs,LimitPodHardAntiAffinityTopology",
  ],
  cases: [
    ...namespaceCases,
    ...accountCases,
    ...limitCases,
    ...quotaCases,
    ...podSettingCases,
    ...storageCases,
    ...securityCases,
    ...nodeCases,
    ...webhookCases,
  ],
};
