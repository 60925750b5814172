import {
  type Case,
  clusterWide,
  condition,
  early,
  event,
  node,
  now,
  pod,
  readyPod,
  recent,
  recorded,
  waiting,
} from "./recorded.ts";

const sandbox = (text: string) =>
  event(
    "Pod/web",
    "FailedCreatePodSandBox",
    `Failed to create pod sandbox: rpc error: code = Unknown desc = ${text}`,
  );
const mount = (text: string) => event("Pod/web", "FailedMount", text);
const creating = waiting("ContainerCreating");

/** What the kubelet says before it starts containers. */
const preparations: readonly (readonly [
  cause: string,
  said: ReturnType<typeof event>,
  says: RegExp,
])[] = [
  [
    "no-pod-addresses",
    sandbox(
      'plugin type="host-local" failed (add): failed to allocate for range 0: no IP addresses available in range set: 10.1.0.1-10.1.0.254',
    ),
    /no Pod addresses left/,
  ],
  [
    "cni-plugin-missing",
    sandbox('failed to find plugin "bridge" in path [/opt/cni/bin]'),
    /CNI plugin "bridge" is not installed/,
  ],
  [
    "node-network-not-ready",
    event(
      "Pod/web",
      "NetworkNotReady",
      "network is not ready: container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized",
    ),
    /Pod network of node n1 is not ready/,
  ],
  [
    "runtime-class-missing",
    sandbox('RuntimeClass.node.k8s.io "kata" not found').kind
      ? sandbox('runtimeclass.node.k8s.io "kata" not found')
      : creating,
    /RuntimeClass "kata" does not exist/,
  ],
  [
    "runtime-class-handler",
    sandbox('failed to get sandbox runtime: no runtime for "kata" is configured'),
    /no handler "kata"/,
  ],
  [
    "pause-image",
    sandbox('failed to get sandbox image "registry.k8s.io/pause:3.10": failed to pull image'),
    /pause image/,
  ],
  [
    "user-namespace",
    sandbox("failed to set up user namespace: idmap mounts are not supported"),
    /user namespace/,
  ],
  ["sysctl", sandbox("failed to set sysctl net.core.somaxconn"), /cannot set a sysctl/],
  [
    "sandbox-failed",
    sandbox("plugin type=bridge failed: something new"),
    /stuck at network: .*something new/,
  ],
  [
    "volume-source-missing",
    mount('MountVolume.SetUp failed for volume "data" : configmap "settings" not found'),
    /volume "data" is made of the ConfigMap "settings"/,
  ],
  [
    "volume-key-missing",
    mount('MountVolume.SetUp failed for volume "data" : references non-existent secret key: b'),
    /key "b" of a Secret/,
  ],
  [
    "volume-object-unknown-to-node",
    mount(
      'MountVolume.SetUp failed for volume "data" : object "default"/"settings" not registered',
    ),
    /could not read "settings"/,
  ],
  [
    "service-account-token",
    mount(
      'MountVolume.SetUp failed for volume "kube-api-access-x" : failed to fetch token: serviceaccounts "default" not found',
    ),
    /no token for the ServiceAccount/,
  ],
  [
    "host-path",
    mount(
      'MountVolume.SetUp failed for volume "data" : hostPath type check failed: /x is not a directory, it\'s a file',
    ),
    /directory \/x on node n1/,
  ],
  [
    "local-volume-path",
    mount(
      'MountVolume.NewMounter initialization failed for volume "pv1" : path "/mnt/a" does not exist',
    ),
    /path \/mnt\/a on node n1/,
  ],
  [
    "csi-driver-absent",
    mount(
      'MountVolume.MountDevice failed for volume "pv1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name a.example.com not found in the list of registered CSI drivers',
    ),
    /driver "a\.example\.com"/,
  ],
  [
    "volume-plugin-absent",
    mount('MountVolume.SetUp failed for volume "data" : no volume plugin matched'),
    /kubelet of node n1 has no plugin/,
  ],
  [
    "volume-attached-elsewhere",
    event(
      "Pod/web",
      "FailedAttachVolume",
      'Multi-Attach error for volume "pv1" Volume is already used by pod(s) other',
    ),
    /attached to another node.*pod other/,
  ],
  [
    "volume-server-unreachable",
    mount(
      'MountVolume.SetUp failed for volume "data" : mount failed: exit status 32 Output: mount.nfs: Connection timed out',
    ),
    /does not answer in time/,
  ],
  [
    "volume-file-system",
    mount(
      'MountVolume.MountDevice failed for volume "pv1" : mount failed: exit status 32 wrong fs type, bad option, bad superblock',
    ),
    /file system is not the expected/,
  ],
  [
    "volume-mount-failed",
    mount(
      "Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[]: timed out waiting for the condition",
    ),
    /waits for its volume "data"/,
  ],
];

const failed = (reason: string, message = "", spec = {}) =>
  pod({ phase: "Failed", reason, message }, spec);
const unready = (status: string, message: string) =>
  node({ status: { conditions: [condition("Ready", status, "KubeletNotReady", message)] } });
const deleted = { deletionTimestamp: early };

export const nodeCases: readonly Case[] = [
  ...preparations.map(([cause, said, says]): Case => ({ cause, objects: [creating, said], says })),
  {
    cause: "evicted",
    objects: [failed("Evicted", "The node was low on resource: memory.")],
    says: /has evicted it: The node was low on resource: memory/,
  },
  {
    cause: "pod-deadline",
    objects: [failed("DeadlineExceeded", "", { activeDeadlineSeconds: 5 })],
    says: /activeDeadlineSeconds of 5 s/,
  },
  {
    cause: "node-refused-pod",
    objects: [failed("OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu")],
    says: /refused it \(OutOfcpu\): Node didn't have/,
  },
  {
    cause: "node-refused-pod",
    objects: [failed("SysctlForbidden", "forbidden sysctl: x")],
    says: /SysctlForbidden/,
  },
  {
    cause: "node-shutdown",
    objects: [failed("Terminated", "Pod was terminated in response to imminent node shutdown.")],
    says: /ended it \(Terminated\)/,
  },
  {
    cause: "pod-disrupted",
    objects: [
      pod({
        phase: "Failed",
        conditions: [condition("DisruptionTarget", "True", "PreemptionByScheduler")],
      }),
    ],
    says: /stuck at scheduling: .*higher priority/,
  },
  {
    cause: "pod-failed",
    objects: [failed("Strange", "who knows")],
    says: /has failed \(Strange\): who knows/,
  },
  {
    cause: "container-waits",
    objects: [waiting("Strange", "who knows")],
    says: /waits \(Strange\): who knows/,
  },
  {
    cause: "resize-pending",
    objects: [
      pod({ conditions: [condition("PodResizePending", "True", "Infeasible", "no room")] }),
    ],
    says: /cannot resize it in place \(Infeasible\): no room/,
  },
  {
    cause: "node-not-ready",
    objects: [creating, unready("Unknown", "Kubelet stopped posting node status.")],
    says: /its node n1 is not ready: its kubelet has stopped reporting.*\(node\/n1\)/,
  },
  {
    cause: "kubelet-silent",
    objects: [pod({ startTime: undefined }), node()],
    says: /has not taken it up for 9m/,
  },
  {
    cause: "node-not-ready",
    objects: [unready("False", "container runtime is down")],
    says: /node\/n1 is stuck at node: it is not ready: container runtime is down/,
  },
  {
    cause: "node-lease-stale",
    objects: [
      node(),
      recorded(
        "coordination.k8s.io/v1",
        "Lease",
        { spec: { renewTime: "2026-01-01T00:08:00Z" } },
        { name: "n1", namespace: "kube-node-lease" },
      ),
    ],
    says: /has not renewed its lease for 2m/,
  },
  {
    cause: "node-pressure",
    objects: [
      node({
        status: {
          conditions: [
            condition("Ready", "True"),
            condition("DiskPressure", "True", "KubeletHasDiskPressure"),
          ],
        },
      }),
    ],
    says: /DiskPressure: too little disk/,
  },
  { cause: "node-cordoned", objects: [node({ spec: { unschedulable: true } })], says: /cordoned/ },
  {
    cause: "node-uninitialized",
    objects: [
      node({
        spec: {
          taints: [{ key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" }],
        },
      }),
    ],
    says: /cloud controller manager/,
  },
  {
    cause: "node-problem",
    objects: [
      node({
        status: {
          conditions: [
            condition("Ready", "True"),
            condition("KernelDeadlock", "True", "DockerHung", "task hung"),
          ],
        },
      }),
    ],
    says: /KernelDeadlock is True \(DockerHung\): task hung/,
  },
  { cause: "healthy", objects: [node()], says: /node\/n1 is healthy/ },
  {
    cause: "pod-does-not-end",
    objects: [readyPod(deleted), node()],
    says: /should have ended 9m ago/,
  },
  {
    cause: "pod-does-not-end",
    objects: [readyPod(deleted), unready("Unknown", "")],
    says: /its node n1 is not ready/,
  },
  {
    cause: "progressing",
    objects: [readyPod({ deletionTimestamp: now }), node()],
    says: /on its way, at deletion/,
  },
  {
    cause: "finalizer",
    objects: [recorded("v1", "ConfigMap", {}, { ...deleted, finalizers: ["example.com/keep"] })],
    says: /controller of example\.com must remove it/,
  },
  {
    cause: "finalizer",
    objects: [
      recorded(
        "v1",
        "Service",
        {},
        { ...deleted, finalizers: ["service.kubernetes.io/load-balancer-cleanup"] },
      ),
    ],
    says: /service controller/,
  },
  {
    cause: "dependents-remain",
    objects: [
      recorded(
        "apps/v1",
        "Deployment",
        { spec: { selector: { matchLabels: { app: "web" } } } },
        { ...deleted, finalizers: ["foregroundDeletion"] },
      ),
      readyPod({
        name: "left",
        ownerReferences: [{ uid: "uid-web", kind: "Deployment", name: "web" }],
      }),
    ],
    says: /dependents pod\/left/,
  },
  {
    cause: "namespace-terminating",
    objects: [
      clusterWide(
        "v1",
        "Namespace",
        {
          status: {
            phase: "Terminating",
            conditions: [
              condition(
                "NamespaceContentRemaining",
                "True",
                "SomeResourcesRemain",
                "Some resources are remaining: configmaps. has 1 resource instances",
              ),
              condition(
                "NamespaceFinalizersRemaining",
                "True",
                "SomeFinalizersRemain",
                "Some content in the namespace has finalizers remaining: example.com/keep in 1 resource instances",
              ),
            ],
          },
        },
        { ...deleted, name: "shop" },
      ),
    ],
    says: /finalizer example\.com\/keep \(configmaps\. has 1 resource instances\): the controller of example\.com/,
  },
  {
    cause: "namespace-terminating",
    objects: [
      clusterWide(
        "v1",
        "Namespace",
        {
          status: {
            conditions: [
              condition(
                "NamespaceDeletionDiscoveryFailure",
                "True",
                "DiscoveryFailed",
                "unable to retrieve the complete list of server APIs",
              ),
            ],
          },
        },
        { ...deleted, name: "shop" },
      ),
      clusterWide(
        "apiregistration.k8s.io/v1",
        "APIService",
        {
          spec: { service: { name: "m", namespace: "x" } },
          status: { conditions: [condition("Available", "False")] },
        },
        { name: "v1.a.example.com" },
      ),
    ],
    says: /the APIService v1\.a\.example\.com is not available/,
  },
  {
    cause: "custom-resources-remain",
    objects: [
      clusterWide(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        {
          spec: { names: { plural: "widgets" } },
          status: {
            conditions: [
              condition("Terminating", "True", "InstanceDeletionInProgress", "removing"),
            ],
          },
        },
        {
          ...deleted,
          name: "widgets.example.com",
          finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
        },
      ),
    ],
    says: /all its widgets are gone/,
  },
  {
    cause: "standstill",
    objects: [
      pod({
        conditions: [
          condition("PodScheduled", "True"),
          condition("PodReadyToStartContainers", "True"),
        ],
      }),
      node(),
    ],
    says: /starting its containers, for a long time/,
  },
  {
    cause: "progressing",
    objects: [
      pod({ conditions: [{ ...condition("PodScheduled", "True"), lastTransitionTime: recent }] }),
      node(),
    ],
    says: /on its way, at node/,
  },
];
