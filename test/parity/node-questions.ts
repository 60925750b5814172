/** The permissions of a kubelet: objects related to two nodes, and questions about them. */

const namespace = "node-questions";
const container = { name: "c", image: "i" };

/** An object to create before the questions. */
export interface Fixture {
  readonly path: string;
  readonly body: object;
}

const env = [
  { name: "A", valueFrom: { secretKeyRef: { name: "envsec", key: "k" } } },
  { name: "B", valueFrom: { configMapKeyRef: { name: "envcm", key: "k" } } },
];
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const volumes = [
  { name: "a", secret: { secretName: "volsec" } },
  { name: "b", configMap: { name: "volcm" } },
  {
    name: "p",
    projected: { sources: [{ secret: { name: "projsec" } }, { configMap: { name: "projcm" } }] },
  },
  { name: "v", persistentVolumeClaim: { claimName: "claim1" } },
  { name: "e", ephemeral: { volumeClaimTemplate: { spec: claim } } },
  { name: "csi", csi: { driver: "d.example.com", nodePublishSecretRef: { name: "csisec" } } },
];
const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] };
const csi = {
  driver: "d.example.com",
  volumeHandle: "x",
  nodeStageSecretRef: { name: "stage", namespace: "other" },
  controllerPublishSecretRef: { name: "ctrl", namespace: "other" },
};
const pods = `/api/v1/namespaces/${namespace}/pods`;

function pod(name: string, spec: object): Fixture {
  return { path: pods, body: { metadata: { name }, spec: { containers: [container], ...spec } } };
}

function attachment(name: string, nodeName: string): Fixture {
  const spec = { attacher: "a.example.com", nodeName, source: { persistentVolumeName: "pv1" } };
  const path = "/apis/storage.k8s.io/v1/volumeattachments";
  return { path, body: { metadata: { name }, spec } };
}

export const fixtures: readonly Fixture[] = [
  { path: "/api/v1/namespaces", body: { metadata: { name: namespace } } },
  { path: "/api/v1/nodes", body: { metadata: { name: "node1" } } },
  pod("p1", {
    nodeName: "node1",
    serviceAccountName: "sa1",
    imagePullSecrets: [{ name: "pull" }],
    containers: [
      {
        ...container,
        env,
        envFrom: [{ secretRef: { name: "fromsec" } }, { configMapRef: { name: "fromcm" } }],
      },
    ],
    initContainers: [{ ...container, name: "i", envFrom: [{ secretRef: { name: "initsec" } }] }],
    volumes,
    resourceClaims: [{ name: "r", resourceClaimName: "rc1" }],
  }),
  pod("p2", {
    nodeName: "node2",
    serviceAccountName: "sa2",
    volumes: [{ name: "a", secret: { secretName: "sec2" } }],
  }),
  pod("unbound", { volumes: [{ name: "a", secret: { secretName: "sec3" } }] }),
  {
    path: "/api/v1/persistentvolumes",
    body: {
      metadata: { name: "pv1" },
      spec: { ...volume, claimRef: { namespace, name: "claim1" }, csi },
    },
  },
  {
    path: "/api/v1/persistentvolumes",
    body: { metadata: { name: "pv2" }, spec: { ...volume, hostPath: { path: "/x" } } },
  },
  attachment("va1", "node1"),
  attachment("va2", "node2"),
  {
    path: "/apis/resource.k8s.io/v1/resourceslices",
    body: {
      metadata: { name: "rs1" },
      spec: {
        driver: "d.example.com",
        nodeName: "node1",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [],
      },
    },
  },
];

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];

interface Asked {
  readonly group?: string;
  readonly resource: string;
  readonly names: readonly string[];
  readonly namespace?: string;
  readonly subresource?: string;
  readonly fieldSelector?: { readonly rawSelector: string };
}

const onNode = (node: string) => ({ fieldSelector: { rawSelector: `spec.nodeName=${node}` } });
const secrets = ["pull", "envsec", "fromsec", "initsec", "volsec", "projsec", "csisec"];
const draGroup = "resource.k8s.io";
const storageGroup = "storage.k8s.io";
const certificates = "certificates.k8s.io";
const requests = { group: certificates, resource: "podcertificaterequests" };

const asked: readonly Asked[] = [
  { resource: "secrets", names: [...secrets, "sec2", "sec3", ""], namespace },
  { resource: "secrets", names: ["stage", "ctrl"], namespace: "other" },
  { resource: "secrets", names: ["pull"] },
  { resource: "secrets", names: ["pull"], namespace, subresource: "x" },
  { resource: "configmaps", names: ["envcm", "fromcm", "volcm", "projcm", "zz", ""], namespace },
  { resource: "persistentvolumeclaims", names: ["claim1", "p1-e", "zz", ""], namespace },
  { resource: "persistentvolumeclaims", names: ["claim1", "zz"], namespace, subresource: "status" },
  { resource: "persistentvolumes", names: ["pv1", "pv2", ""] },
  { group: draGroup, resource: "resourceclaims", names: ["rc1", "zz"], namespace },
  { group: storageGroup, resource: "volumeattachments", names: ["va1", "va2", ""] },
  { resource: "serviceaccounts", names: ["sa1", "sa2", ""], namespace },
  { resource: "serviceaccounts", names: ["sa1", "sa2", ""], namespace, subresource: "token" },
  {
    group: "coordination.k8s.io",
    resource: "leases",
    names: ["node1", "node2", ""],
    namespace: "kube-node-lease",
  },
  { group: "coordination.k8s.io", resource: "leases", names: ["node1"], namespace },
  { group: storageGroup, resource: "csinodes", names: ["node1", "node2", ""] },
  { group: storageGroup, resource: "csinodes", names: ["node1"], subresource: "status" },
  { group: storageGroup, resource: "csinodes", names: ["node1"], subresource: "x" },
  { group: draGroup, resource: "resourceslices", names: ["rs1", "zz", ""] },
  { group: draGroup, resource: "resourceslices", names: [""], ...onNode("node1") },
  { group: draGroup, resource: "resourceslices", names: ["rs1"], subresource: "x" },
  { resource: "nodes", names: ["node1", "node2", ""] },
  { resource: "nodes", names: ["node1"], subresource: "status" },
  { resource: "nodes", names: ["node1"], subresource: "proxy" },
  { resource: "pods", names: ["p1", "p2", "unbound", ""], namespace },
  { resource: "pods", names: [""], ...onNode("node1") },
  { resource: "pods", names: [""], ...onNode("node2") },
  ...["status", "eviction", "log", "binding"].map((subresource) => ({
    resource: "pods",
    names: ["p1"],
    namespace,
    subresource,
  })),
  { ...requests, names: ["x", ""], namespace },
  { ...requests, names: [""], ...onNode("node1") },
  { group: certificates, resource: "certificatesigningrequests", names: ["x"] },
  { resource: "events", names: ["x"], namespace },
  { resource: "services", names: ["x"], namespace },
  { group: "apps", resource: "deployments", names: ["x"], namespace },
];

const attributes = asked.flatMap(({ names, ...rest }) =>
  names.flatMap((name) => verbs.map((verb) => ({ ...rest, name, verb }))),
);
/** There are only a few questions about users that are no nodes. */
const few = 16;

/** The specs of SubjectAccessReviews. */
export const questions: readonly object[] = [
  ...ask("system:node:node1", ["system:nodes"], attributes),
  ...ask("system:node:", ["system:nodes"], attributes.slice(0, few)),
  ...ask("system:node:node1", [], attributes.slice(0, few)),
];

function ask(user: string, groups: readonly string[], list: readonly object[]): object[] {
  return list.map((resourceAttributes) => ({ user, groups, resourceAttributes }));
}
