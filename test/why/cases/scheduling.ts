import {
  type Case,
  clusterWide,
  condition,
  early,
  node,
  pod,
  readyPod,
  recorded,
  unschedulable,
} from "./recorded.ts";

const rejected = (reason: string): string =>
  `0/1 nodes are available: ${reason}. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.`;
const asks = (requests: object) => ({ resources: { requests } });
const claimed = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
const term = {
  topologyKey: "kubernetes.io/hostname",
  labelSelector: { matchLabels: { app: "web" } },
};
const required = "requiredDuringSchedulingIgnoredDuringExecution";

export const schedulingCases: readonly Case[] = [
  {
    // A Pod of a DaemonSet asks for one node: the others explain nothing.
    cause: "insufficient-resource",
    objects: [
      unschedulable(
        "0/3 nodes are available: 1 Insufficient memory, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
        {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] },
                ],
              },
            },
          },
        },
        { resources: { requests: { memory: "900Gi" } } },
      ),
    ],
    says: /stuck at scheduling: insufficient memory: the Pod requests memory 900Gi/,
  },
  {
    cause: "insufficient-resource",
    objects: [
      unschedulable(rejected("1 Insufficient memory"), {}, asks({ memory: "8Gi" })),
      node(),
    ],
    says: /requests memory 8Gi, and no node is that large; the largest, n1, has 4Gi/,
  },
  {
    cause: "insufficient-resource",
    objects: [
      unschedulable(rejected("1 Insufficient cpu"), {}, asks({ cpu: "1" })),
      node(),
      pod({ phase: "Running" }, {}, asks({ cpu: "1500m" }), { name: "other" }),
    ],
    says: /requests cpu 1, and at most 500m of 2 is free, on n1/,
  },
  {
    cause: "insufficient-resource",
    objects: [unschedulable(rejected("1 Insufficient cpu"), {}, asks({ cpu: "1" }))],
    forbidden: ["nodes", "pods"],
    says: /insufficient cpu \(1 node rejected\): the Pod requests cpu 1/,
  },
  {
    cause: "insufficient-resource",
    objects: [
      unschedulable(
        rejected("1 node(s) were unschedulable, 2 Insufficient cpu"),
        {},
        asks({ cpu: "9" }),
      ),
      node(),
    ],
    says: /\(and 1 node: node\(s\) were unschedulable\)/,
  },
  {
    cause: "too-many-pods",
    objects: [unschedulable(rejected("1 Too many pods")), node()],
    says: /no node may take another one \(n1 takes 110\)/,
  },
  {
    cause: "node-selector",
    objects: [
      unschedulable(rejected("1 node(s) didn't match Pod's node affinity/selector"), {
        nodeSelector: { disktype: "ssd" },
      }),
      node(),
    ],
    says: /no node has the label disktype=ssd/,
  },
  {
    cause: "untolerated-taint",
    objects: [
      unschedulable(rejected("1 node(s) had untolerated taint(s)")),
      node({ spec: { taints: [{ key: "team", value: "a", effect: "NoSchedule" }] } }),
    ],
    says: /does not tolerate the taint team=a:NoSchedule of node n1/,
  },
  {
    cause: "untolerated-taint",
    objects: [
      unschedulable(rejected("1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }")),
      node({ spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] } }),
    ],
    says: /n1 is not ready/,
  },
  {
    // Nodes that it does not ask for explain nothing, however many there are.
    cause: "insufficient-resource",
    objects: [
      unschedulable(
        "0/4 nodes are available: 1 Insufficient cpu, 3 node(s) had untolerated taint {team: a}.",
        { nodeSelector: { disk: "ssd" } },
      ),
      node({ spec: { taints: [{ key: "team", value: "a", effect: "NoSchedule" }] } }),
      node({}, { name: "n2", labels: { disk: "ssd" } }),
    ],
    says: /stuck at scheduling: insufficient cpu.*3 nodes: node\(s\) had untolerated taint/,
  },
  {
    cause: "node-selector",
    objects: [
      unschedulable(
        "0/4 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 3 node(s) had untolerated taint {team: a}.",
        { nodeSelector: { disk: "ssd" } },
      ),
      node({ spec: { taints: [{ key: "team", value: "a", effect: "NoSchedule" }] } }),
    ],
    says: /no node has the label disk=ssd/,
  },
  {
    cause: "nodes-cordoned",
    objects: [
      unschedulable(rejected("1 node(s) were unschedulable")),
      node({ spec: { unschedulable: true } }),
    ],
    says: /n1 is cordoned/,
  },
  {
    cause: "host-port-in-use",
    objects: [
      unschedulable(
        rejected("1 node(s) didn't have free ports for the requested pod ports"),
        {},
        { ports: [{ containerPort: 80, hostPort: 80 }] },
      ),
    ],
    says: /hostPort 80 is in use/,
  },
  {
    cause: "pod-affinity",
    objects: [
      unschedulable(rejected("1 node(s) didn't match pod affinity rules"), {
        affinity: { podAffinity: { [required]: [term] } },
      }),
    ],
    says: /Pod affinity \(app=web by kubernetes\.io\/hostname\) matches no Pod/,
  },
  {
    cause: "pod-affinity",
    objects: [
      unschedulable(rejected("1 node(s) didn't satisfy existing pods anti-affinity rules")),
    ],
    says: /Pods that already run keep it away/,
  },
  {
    cause: "topology-spread",
    objects: [
      unschedulable(rejected("1 node(s) didn't match pod topology spread constraints"), {
        topologySpreadConstraints: [
          { topologyKey: "zone", maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" },
        ],
      }),
    ],
    says: /zone, maxSkew 1.*too uneven/,
  },
  {
    cause: "scheduling-gate",
    objects: [
      pod(
        { conditions: [condition("PodScheduled", "False", "SchedulingGated")] },
        { nodeName: undefined, schedulingGates: [{ name: "a/b" }] },
      ),
    ],
    says: /scheduling gate a\/b/,
  },
  {
    cause: "no-nodes",
    objects: [unschedulable("no nodes available to schedule pods")],
    says: /no node that could run it/,
  },
  {
    cause: "no-scheduler",
    objects: [pod({ startTime: undefined }, { nodeName: undefined, schedulerName: "mine" })],
    says: /no scheduler named "mine"/,
  },
  {
    cause: "no-scheduler",
    objects: [
      pod({ startTime: undefined }, { nodeName: undefined }),
      recorded(
        "coordination.k8s.io/v1",
        "Lease",
        { spec: { renewTime: early } },
        { name: "kube-scheduler", namespace: "kube-system" },
      ),
    ],
    says: /is stuck at scheduling: the scheduler has not looked at it for 9m/,
  },
  {
    cause: "node-does-not-exist",
    objects: [pod({}, { nodeName: "gone" })],
    says: /node "gone", which does not exist/,
  },
  {
    cause: "node-name",
    objects: [unschedulable(rejected("1 node(s) didn't match the requested node name"))],
    says: /no node has the name/,
  },
  {
    cause: "device-claim",
    objects: [unschedulable(rejected("1 cannot allocate all claims"))],
    says: /resource claims \(devices\)/,
  },
  {
    cause: "node-features",
    objects: [unschedulable(rejected("1 node(s) didn't match Pod's required features"))],
    says: /supports a feature/,
  },
  {
    cause: "waits-for-preempted-pods",
    objects: [
      pod(
        {
          nominatedNodeName: "n1",
          conditions: [
            condition("PodScheduled", "False", "Unschedulable", rejected("1 Insufficient cpu")),
          ],
        },
        { nodeName: undefined },
      ),
      readyPod({ name: "victim", deletionTimestamp: early }),
    ],
    says: /has preempted default\/victim/,
  },
  {
    cause: "claim-missing",
    objects: [unschedulable(rejected('persistentvolumeclaim "data" not found'), claimed)],
    says: /stuck at volumes: its PersistentVolumeClaim "data" does not exist/,
  },
  {
    cause: "volume-unbound",
    objects: [unschedulable(rejected("pod has unbound immediate PersistentVolumeClaims"), claimed)],
    says: /claim data is not bound/i,
  },
  {
    cause: "volume-elsewhere",
    objects: [
      unschedulable(rejected("1 node(s) didn't match PersistentVolume's node affinity"), claimed),
    ],
    says: /only be used on other nodes/,
  },
  {
    cause: "too-many-volumes",
    objects: [unschedulable(rejected("1 node(s) exceed max volume count"))],
    says: /may attach another volume/,
  },
  {
    cause: "volume-in-use",
    objects: [
      unschedulable(
        rejected(
          "1 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
        ),
        claimed,
      ),
      readyPod({ name: "other" }, claimed),
    ],
    says: /pod\/other uses it/,
  },
  {
    cause: "not-scheduled",
    objects: [unschedulable("running PreBind plugin: something new")],
    says: /finds no node for it: running PreBind plugin: something new/,
  },
  {
    cause: "storage-class-missing",
    objects: [
      unschedulable(rejected("pod has unbound immediate PersistentVolumeClaims"), claimed),
      recorded(
        "v1",
        "PersistentVolumeClaim",
        { spec: { storageClassName: "fast" }, status: { phase: "Pending" } },
        { name: "data" },
      ),
      clusterWide("storage.k8s.io/v1", "StorageClass", { provisioner: "x" }, { name: "slow" }),
    ],
    says: /StorageClass "fast" does not exist \(persistentvolumeclaim\/data\)/,
  },
  {
    cause: "resource-claim-missing",
    objects: [
      pod(
        { startTime: undefined },
        { nodeName: undefined, resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] },
      ),
    ],
    says: /ResourceClaim "gpu" does not exist/,
  },
];
