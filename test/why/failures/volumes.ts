import {
  claim,
  container,
  type Failure,
  idle,
  mounted,
  named,
  object,
  pod,
  script,
  workload,
} from "../failure.ts";

const claimed = mounted({ persistentVolumeClaim: { claimName: "data" } });
const claimer = pod(container(claimed.mount), claimed.spec);
const ofClass = (name: string, spec: object = {}) => claim({ storageClassName: name, ...spec });
const mounting = (source: object) => [
  pod(container(mounted({}).mount), mounted({ ...source }).spec),
];
const volume = (name: string, spec: object) =>
  object("v1", "PersistentVolume", name, {
    spec: {
      storageClassName: name,
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/tmp" },
      ...spec,
    },
  });
/** A local volume on the nodes with a label. */
const local = (name: string, path: string, key: string, value: string) =>
  volume(name, {
    hostPath: undefined,
    local: { path },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: [value] }] }],
      },
    },
  });
const bound = ["wait", "pvc/data", "--for=jsonpath={.status.phase}=Bound", "--timeout=300s"];
const earlier = {
  namespace: "volume-earlier",
  name: "data",
  uid: "11111111-2222-3333-4444-555555555555",
};

export const volumeFailures: readonly Failure[] = [
  {
    name: "volume-elsewhere",
    objects: [local("why-elsewhere", "/tmp", "why-zone", "b"), ofClass("why-elsewhere"), claimer],
    ask: "pod/web",
    layer: "volumes",
    says: /why-elsewhere can only be used on other nodes/,
  },
  {
    name: "volume-local-path",
    objects: [
      local("why-path", "/absent-why", "kubernetes.io/os", "linux"),
      ofClass("why-path"),
      claimer,
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /\/absent-why/,
  },
  {
    name: "volume-lost",
    objects: [volume("why-lost", {}), ofClass("why-lost")],
    afterwards: [
      bound,
      ["delete", "pv", "why-lost", "--wait=false"],
      ["patch", "pv", "why-lost", "--type=merge", "-p", '{"metadata":{"finalizers":null}}'],
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /"why-lost".*(?:is gone|does not exist|exists no more|lost)/,
  },
  {
    name: "volume-earlier",
    objects: [
      volume("why-earlier", { persistentVolumeReclaimPolicy: "Retain", claimRef: earlier }),
      ofClass("why-earlier", { volumeName: "why-earlier" }),
    ],
    ask: "pvc/data",
    layer: "volumes",
    says: /"why-earlier", which still belongs to an earlier claim/,
  },
  {
    name: "volume-released",
    objects: [
      volume("why-released", {
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { ...earlier, namespace: "volume-released" },
      }),
    ],
    layer: "volumes",
    says: /[Rr]eleased/,
    ask: "pv/why-released",
  },
  {
    name: "volume-named",
    objects: [ofClass("", { volumeName: "why-absent" })],
    layer: "volumes",
    ask: "pvc/data",
    says: /"why-absent", which does not exist/,
  },
  {
    name: "volume-modes",
    objects: [ofClass("local", { accessModes: ["ReadWriteMany"] }), claimer],
    ask: "pod/web",
    layer: "volumes",
    says: /provisioner of its StorageClass "local" fails/,
  },
  {
    name: "volume-huge",
    objects: [ofClass("local", { resources: { requests: { storage: "500Ti" } } }), claimer],
    ask: "pod/web",
    layer: "volumes",
    says: /no node has enough storage/,
  },
  {
    name: "volume-block",
    objects: [ofClass("local", { volumeMode: "Block" }), claimer],
    ask: "pod/web",
    layer: "volumes",
    says: /has volumeMode Block, but container "web" has it in volumeMounts/,
  },
  {
    name: "volume-one-pod",
    objects: [
      ofClass("local", { accessModes: ["ReadWriteOncePod"] }),
      named("first", pod(script(idle, claimed.mount), claimed.spec)),
      pod(container(claimed.mount), { ...claimed.spec, schedulingGates: [{ name: "why/wait" }] }),
    ],
    afterwards: [
      ["wait", "pod/first", "--for=condition=PodScheduled", "--timeout=300s"],
      ["patch", "pod/web", "--type=json", "-p", '[{"op":"remove","path":"/spec/schedulingGates"}]'],
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /one Pod only \(ReadWriteOncePod\), and pod\/first uses it/,
  },
  {
    name: "volume-nfs",
    objects: mounting({ nfs: { server: "127.0.0.1", path: "/export" } }),
    layer: "volumes",
    says: /volume "data"|NFS|nfs/,
  },
  {
    name: "volume-projected",
    objects: mounting({ projected: { sources: [{ secret: { name: "absent" } }] } }),
    layer: "volumes",
    says: /Secret "absent", which does not exist/,
  },
  {
    name: "volume-socket",
    objects: mounting({ hostPath: { path: "/run/absent.sock", type: "Socket" } }),
    layer: "volumes",
    says: /socket file \/run\/absent\.sock/,
  },
  {
    name: "volume-type",
    objects: mounting({ gitRepo: { repository: "https://git.invalid/a" } }),
    layer: "volumes",
    says: /cannot attach or mount its volume "data"/,
  },
  {
    name: "volume-onto-directory",
    objects: [
      object("v1", "ConfigMap", "settings", { data: { a: "1" } }),
      pod(
        container({ volumeMounts: [{ name: "data", mountPath: "/tmp", subPath: "a" }] }),
        mounted({ configMap: { name: "settings" } }).spec,
      ),
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /directory would be mounted onto a file/,
  },
  {
    name: "volume-sub-path",
    objects: [
      pod(
        container({
          volumeMounts: [{ name: "data", mountPath: "/data", subPathExpr: "$(ABSENT)" }],
        }),
        mounted({ emptyDir: {} }).spec,
      ),
    ],
    layer: "volumes",
    says: /subPath/i,
  },
  {
    name: "volume-token",
    objects: [
      object("v1", "ServiceAccount", "short"),
      pod(container(), { serviceAccountName: "short", schedulingGates: [{ name: "why/wait" }] }),
    ],
    afterwards: [
      ["delete", "serviceaccount", "short"],
      ["patch", "pod/web", "--type=json", "-p", '[{"op":"remove","path":"/spec/schedulingGates"}]'],
    ],
    ask: "pod/web",
    layer: "volumes",
    says: /token.*ServiceAccount "short"|"short".*token/,
  },
  {
    name: "volume-of-set",
    objects: [
      workload("StatefulSet", container(mounted({}).mount), {
        spec: { volumeClaimTemplates: [ofClass("fast-ssd")] },
      }),
    ],
    layer: "volumes",
    says: /StorageClass "fast-ssd" does not exist/,
  },
  {
    name: "volume-attachment",
    objects: [
      object("storage.k8s.io/v1", "VolumeAttachment", "why-attachment", {
        spec: {
          attacher: "absent.example.com",
          nodeName: "why-nowhere",
          source: { persistentVolumeName: "why-none" },
        },
      }),
    ],
    ask: "volumeattachment/why-attachment",
    layer: "volumes",
    says: /absent\.example\.com|why-none|why-nowhere/,
  },
  {
    name: "volume-kept",
    objects: [volume("why-kept", {}), ofClass("why-kept")],
    afterwards: [bound, ["delete", "pv", "why-kept", "--wait=false"]],
    ask: "pv/why-kept",
    layer: "deletion",
    says: /stays while the claim volume-kept\/data is bound to it/,
  },
];
