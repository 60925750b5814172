import { claim, container, type Failure, mounted, object, pod, workload } from "../failure.ts";

const claimed = mounted({ persistentVolumeClaim: { claimName: "data" } });

export const schedulingFailures: readonly Failure[] = [
  {
    name: "memory",
    objects: [workload("Deployment", container({ resources: { requests: { memory: "900Gi" } } }))],
    layer: "scheduling",
    says: /insufficient memory: the Pod requests memory 900Gi, and no node is that large/,
  },
  {
    name: "cpu",
    objects: [pod(container({ resources: { requests: { cpu: "300" } } }))],
    layer: "scheduling",
    says: /insufficient cpu: the Pod requests cpu 300/,
  },
  {
    name: "device",
    objects: [
      pod(
        container({
          resources: { limits: { "example.com/gpu": "1" }, requests: { "example.com/gpu": "1" } },
        }),
      ),
    ],
    layer: "scheduling",
    says: /no node offers "example\.com\/gpu"/,
  },
  {
    name: "node-selector",
    objects: [
      workload("Deployment", container(), { template: { nodeSelector: { disktype: "ssd" } } }),
    ],
    layer: "scheduling",
    says: /no node has the label disktype=ssd/,
  },
  {
    name: "node-affinity",
    objects: [
      pod(container(), {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "zone", operator: "In", values: ["a", "b"] }] },
              ],
            },
          },
        },
      }),
    ],
    layer: "scheduling",
    says: /node selector or affinity \(zone In a, b\)/,
  },
  {
    name: "pod-affinity",
    objects: [
      pod(container(), {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: "kubernetes.io/hostname",
                labelSelector: { matchLabels: { app: "cache" } },
              },
            ],
          },
        },
      }),
    ],
    layer: "scheduling",
    says: /Pod affinity \(app=cache by kubernetes\.io\/hostname\) matches no Pod/,
  },
  {
    name: "anti-affinity",
    objects: [
      workload("Deployment", container(), {
        spec: { replicas: 2 },
        template: {
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
      }),
    ],
    layer: "scheduling",
    says: /Pod anti-affinity .*leaves no node/,
  },
  {
    name: "spread",
    objects: [
      pod(container(), {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "rack",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: { app: "web" } },
          },
        ],
      }),
    ],
    layer: "scheduling",
    says: /topology spread constraint \(rack, maxSkew 1\).*lack the label/,
  },
  {
    name: "host-port",
    objects: [
      workload("Deployment", container({ ports: [{ containerPort: 80, hostPort: 31999 }] }), {
        spec: { replicas: 2 },
      }),
    ],
    layer: "scheduling",
    says: /hostPort 31999 is in use on every node by host-port\/web-/,
  },
  {
    name: "gate",
    objects: [pod(container(), { schedulingGates: [{ name: "example.com/wait" }] })],
    layer: "scheduling",
    says: /scheduling gate example\.com\/wait/,
  },
  {
    name: "no-scheduler",
    objects: [pod(container(), { schedulerName: "absent" })],
    layer: "scheduling",
    says: /no scheduler named "absent"/,
  },
  {
    name: "no-storage-class",
    objects: [pod(container(claimed.mount), claimed.spec), claim({ storageClassName: "" })],
    layer: "volumes",
    says: /has no StorageClass.*no PersistentVolume fits/,
  },
  {
    name: "class-missing",
    objects: [
      workload("Deployment", container(claimed.mount), { template: claimed.spec }),
      claim({ storageClassName: "absent" }),
    ],
    layer: "volumes",
    says: /StorageClass "absent" does not exist.*persistentvolumeclaim\/data/,
  },
  {
    name: "claim-missing",
    objects: [pod(container(claimed.mount), claimed.spec)],
    layer: "volumes",
    says: /PersistentVolumeClaim "data" does not exist/,
  },
  {
    name: "claim-alone",
    objects: [
      {
        ...object("storage.k8s.io/v1", "StorageClass", "why-late"),
        provisioner: "kubernetes.io/no-provisioner",
        volumeBindingMode: "WaitForFirstConsumer",
      },
      claim({ storageClassName: "why-late" }),
    ],
    ask: "pvc/data",
    layer: "healthy",
    says: /waits for the first Pod that uses it .*why-late/,
  },
  {
    name: "volume-small",
    objects: [
      {
        ...object("storage.k8s.io/v1", "StorageClass", "why-manual"),
        provisioner: "kubernetes.io/no-provisioner",
      },
      {
        ...object("v1", "PersistentVolume", "why-small"),
        spec: {
          storageClassName: "why-manual",
          capacity: { storage: "1Mi" },
          accessModes: ["ReadWriteOnce"],
          hostPath: { path: "/tmp" },
        },
      },
      claim({ storageClassName: "why-manual" }),
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /no PersistentVolume fits it/,
  },
  {
    name: "provisioner-absent",
    objects: [
      {
        ...object("storage.k8s.io/v1", "StorageClass", "why-absent"),
        provisioner: "absent.example.com",
      },
      claim({ storageClassName: "why-absent" }),
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /provisioner "absent\.example\.com" .*no such CSI driver/,
  },
  {
    name: "configmap-volume",
    objects: [
      workload("Deployment", container(mounted({}).mount), {
        template: mounted({ configMap: { name: "absent" } }).spec,
      }),
    ],
    layer: "volumes",
    says: /volume "data" is made of the ConfigMap "absent", which does not exist/,
  },
  {
    name: "secret-volume",
    objects: [
      pod(container(mounted({}).mount), mounted({ secret: { secretName: "absent" } }).spec),
    ],
    layer: "volumes",
    says: /Secret "absent", which does not exist/,
  },
  {
    name: "volume-key",
    objects: [
      object("v1", "ConfigMap", "settings", { data: { a: "1" } }),
      pod(
        container(mounted({}).mount),
        mounted({ configMap: { name: "settings", items: [{ key: "b", path: "b" }] } }).spec,
      ),
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /the key "b" of the ConfigMap "settings", which has no such key/,
  },
  {
    name: "host-path",
    objects: [
      pod(
        container(mounted({}).mount),
        mounted({ hostPath: { path: "/absent", type: "Directory" } }).spec,
      ),
    ],
    layer: "volumes",
    says: /directory \/absent on node/,
  },
  {
    name: "csi-driver",
    objects: [
      pod(container(mounted({}).mount), mounted({ csi: { driver: "absent.example.com" } }).spec),
    ],
    layer: "volumes",
    says: /driver "absent\.example\.com" .*does not run on node/,
  },
  {
    name: "runtime-class",
    objects: [
      { ...object("node.k8s.io/v1", "RuntimeClass", "why-handler"), handler: "absent" },
      pod(container(), { runtimeClassName: "why-handler" }),
    ],
    ask: "pod/web",
    layer: "node",
    says: /no handler "absent"/,
  },
];
