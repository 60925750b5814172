import {
  type Case,
  clusterWide,
  condition,
  container,
  crashed,
  event,
  node,
  pod,
  readyPod,
  recorded,
  unschedulable,
} from "./recorded.ts";

const rejected = (...reasons: readonly string[]): string =>
  `0/2 nodes are available: ${reasons.join(", ")}. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.`;
const tainted = (name: string, key: string) =>
  node({ spec: { taints: [{ key, effect: "NoSchedule" }] } }, { name });
const claimed = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
const claim = (spec: object, status: object = { phase: "Bound" }) =>
  recorded("v1", "PersistentVolumeClaim", { spec, status }, { name: "data" });
const denial = event(
  "Pod/web",
  "NetworkPolicyDenied",
  "Denied a connection to 10.0.0.9 (b/db) at TCP port 5432: no rule of NetworkPolicy/default/deny allows it",
);
const policy = recorded(
  "networking.k8s.io/v1",
  "NetworkPolicy",
  { spec: { podSelector: {}, policyTypes: ["Egress"] } },
  { name: "deny" },
);

/** Failures of which several things could be said: the nearest must be. */
export const severalCases: readonly Case[] = [
  {
    cause: "device-claim",
    objects: [
      unschedulable(rejected("1 node(s) had untolerated taint(s)", "1 cannot allocate all claims")),
      node(),
      tainted("n2", "dedicated"),
    ],
    says: /cannot allocate all claims \(and 1 node: node\(s\) had untolerated taint\(s\)\)/,
  },
  {
    cause: "topology-spread",
    objects: [
      unschedulable(
        rejected("1 Too many pods", "1 node(s) didn't match pod topology spread constraints"),
        {
          topologySpreadConstraints: [
            { topologyKey: "zone", maxSkew: 1, minDomains: 3, whenUnsatisfiable: "DoNotSchedule" },
          ],
        },
      ),
      node(),
      node({ status: { allocatable: {} } }, { name: "n2" }),
    ],
    says: /topology spread constraint \(zone, maxSkew 1, minDomains 3\)/,
  },
  {
    cause: "untolerated-taint",
    objects: [
      unschedulable(rejected("2 node(s) had untolerated taint(s)")),
      tainted("n1", "node.kubernetes.io/unreachable"),
      tainted("n2", "dedicated"),
    ],
    says: /does not tolerate the taint dedicated:NoSchedule of node n2/,
  },
  {
    cause: "pod-affinity",
    objects: [
      unschedulable(rejected("1 node(s) didn't satisfy existing pods anti-affinity rules")),
      node(),
      readyPod(
        { name: "first", labels: {} },
        {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                {
                  topologyKey: "kubernetes.io/hostname",
                  labelSelector: { matchLabels: { app: "web" } },
                },
              ],
            },
          },
        },
      ),
    ],
    says: /pod\/first in default keeps it away from every node by its anti-affinity/,
  },
  {
    cause: "program-connections-denied",
    objects: [crashed({}), policy, denial],
    logs: { "web/app/previous": "dial tcp 10.0.0.9:5432: i/o timeout" },
    says: /stuck at network: .*exit code 1.*NetworkPolicy\/default\/deny forbids what it connects to/,
  },
  {
    cause: "program-cannot-connect",
    objects: [crashed({}), policy],
    logs: { "web/app/previous": "dial tcp 10.0.0.9:5432: i/o timeout" },
    says: /a server that it needs cannot be reached/,
  },
  {
    cause: "pod-memory-limit-too-small",
    objects: [
      pod({}, {}, { resources: { limits: { memory: "1Mi" } } }),
      event(
        "Pod/web",
        "FailedCreatePodSandBox",
        "Failed to create pod sandbox: runc create failed: container init was OOM-killed (memory limit too low?)",
      ),
    ],
    says: /stuck at containers: the memory limit of the Pod \(container "app" 1Mi\) is too small/,
  },
  {
    cause: "volume-mode",
    objects: [
      pod({}, claimed, { volumeMounts: [{ name: "data", mountPath: "/data" }] }),
      claim({ volumeMode: "Block" }),
    ],
    says: /volume "data" \(claim data\) has volumeMode Block, but container "app" has it in volumeMounts/,
  },
  {
    cause: "volume-mode",
    objects: [
      pod({}, claimed, { volumeDevices: [{ name: "data", devicePath: "/dev/x" }] }),
      claim({}),
    ],
    says: /volumeMode Filesystem, but container "app" has it in volumeDevices/,
  },
  {
    cause: "claimed-volume-unusable",
    objects: [
      claim({ volumeName: "old", storageClassName: "" }, { phase: "Pending" }),
      clusterWide(
        "v1",
        "PersistentVolume",
        { spec: { claimRef: { namespace: "default", name: "data", uid: "uid-earlier" } } },
        { name: "old" },
      ),
    ],
    says: /"old", which still belongs to an earlier claim of the same name/,
  },
  {
    cause: "no-ready-endpoint",
    objects: [
      recorded("v1", "Service", { spec: { selector: { app: "web" }, ports: [{ port: 80 }] } }),
      pod({ phase: "Succeeded" }),
    ],
    says: /it selects only Pods that have ended \(pod\/web\)/,
  },
  {
    cause: "pod-name-taken",
    objects: [
      recorded("apps/v1", "StatefulSet", {
        spec: { replicas: 2, selector: { matchLabels: { app: "web" } } },
      }),
      readyPod({ name: "web-1", labels: {} }),
    ],
    says: /cannot create its Pod "web-1": there is a Pod of that name already/,
  },
  {
    cause: "image-invalid-name",
    objects: [
      pod(
        {
          containerStatuses: [
            { name: "app", ready: false, state: { waiting: { reason: "InvalidImageName" } } },
          ],
        },
        {},
        { image: "web@sha256:abc" },
      ),
    ],
    says: /no valid image name \(the digest after @ must be sha256: and 64 hexadecimal digits\)/,
  },
  {
    cause: "hpa-metrics",
    objects: [
      recorded("autoscaling/v2", "HorizontalPodAutoscaler", {
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
        status: {
          conditions: [
            condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics returned"),
          ],
        },
      }),
      recorded("apps/v1", "Deployment", {
        spec: { selector: {}, template: { spec: { containers: [container()] } } },
      }),
    ],
    says: /the containers of deployment\/web have no request for cpu/,
  },
  {
    cause: "pod-does-not-end",
    objects: [
      recorded("apps/v1", "Deployment", {
        spec: {
          replicas: 1,
          strategy: { type: "Recreate" },
          selector: { matchLabels: { app: "web" } },
        },
        status: { conditions: [condition("Available", "False", "MinimumReplicasUnavailable")] },
      }),
      recorded(
        "apps/v1",
        "ReplicaSet",
        { spec: { replicas: 0, selector: { matchLabels: { app: "web" } } }, status: {} },
        { name: "web-1", labels: { app: "web" }, ownerReferences: [owner("uid-web")] },
      ),
      readyPod({
        name: "web-1-x",
        ownerReferences: [owner("uid-web-1")],
        deletionTimestamp: "2026-01-01T00:20:00Z",
        deletionGracePeriodSeconds: 900,
      }),
    ],
    says: /stuck at deletion: it was asked to end .* ignores SIGTERM.*\(pod\/web-1-x/,
  },
];

function owner(uid: string) {
  return { apiVersion: "apps/v1", kind: "ReplicaSet", name: "any", uid, controller: true };
}
