import type { Area, Case } from "../case.ts";
import { createEach, objectOf } from "./create-each.ts";
import { claims, create, merge } from "./steps.ts";

const volumes = "/api/v1/persistentvolumes";
const volume = (spec: object, metadata: object = {}): object =>
  objectOf("v1", "PersistentVolume", { spec }, { name: "{ns}", ...metadata });
const claim = (spec: object, metadata: object = { name: "a" }): object =>
  objectOf("v1", "PersistentVolumeClaim", { spec }, metadata);
const host = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  hostPath: { path: "/a" },
};
const { hostPath, ...bare } = host;
const plain = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const csi = { driver: "example.com", volumeHandle: "x" };

const volumeCases = createEach(volumes, {
  "volume: plain": volume(host),
  "volume: empty": volume({}),
  "volume: no source": volume(bare),
  "volume: two sources": volume({ ...host, nfs: { server: "x", path: "/" }, csi }),
  "volume: bad modes": volume({
    ...host,
    accessModes: ["Foo", "ReadWriteOncePod", "ReadWriteOnce"],
  }),
  "volume: bad capacity": volume({ ...host, capacity: { storage: "0", cpu: "1" } }),
  "volume: negative capacity": volume({ ...host, capacity: { storage: "-1" } }),
  "volume: bad policy": volume({ ...host, persistentVolumeReclaimPolicy: "Foo" }),
  "volume: recycle": volume({ ...host, persistentVolumeReclaimPolicy: "Recycle" }),
  "volume: recycle the root": volume({
    ...host,
    persistentVolumeReclaimPolicy: "Recycle",
    hostPath: { path: "/a/.." },
  }),
  "volume: recycle slash": volume({
    ...host,
    persistentVolumeReclaimPolicy: "Recycle",
    hostPath: { path: "//" },
  }),
  "volume: bad host path": volume({ ...host, hostPath: { path: "/a/../b", type: "Foo" } }),
  "volume: no host path": volume({ ...host, hostPath: {} }),
  "volume: bad mode": volume({ ...host, volumeMode: "Foo", storageClassName: "A_b" }),
  "volume: attributes class": volume({ ...host, volumeAttributesClassName: "" }),
  "volume: attributes class of csi": volume({ ...bare, csi, volumeAttributesClassName: "A" }),
  "volume: local": volume({ ...bare, local: { path: "/a" } }),
  "volume: local with affinity": volume({
    ...bare,
    local: { path: "../a" },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: "a b", operator: "In" },
              { key: "beta.kubernetes.io/os", operator: "Foo", values: ["x y"] },
              { key: "a", operator: "Exists", values: ["x"] },
              { key: "a", operator: "Gt" },
            ],
            matchFields: [
              { key: "x", operator: "Exists" },
              { key: "metadata.name", operator: "In", values: ["A_", "b"] },
            ],
          },
        ],
      },
    },
  }),
  "volume: old labels": volume({
    ...bare,
    local: { path: "/a" },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [{ key: "beta.kubernetes.io/os", operator: "In", values: ["linux"] }],
          },
        ],
      },
    },
  }),
  "volume: empty affinity": volume({ ...host, nodeAffinity: {} }),
  "volume: no terms": volume({ ...host, nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
  "volume: csi": volume({ ...bare, csi }),
  "volume: bad csi": volume({
    ...bare,
    csi: {
      driver: "a b",
      volumeHandle: "",
      nodePublishSecretRef: {},
      controllerExpandSecretRef: { name: "A_", namespace: "a.b" },
    },
  }),
  "volume: nfs": volume({ ...bare, nfs: { server: "", path: "a" } }),
  "volume: iscsi": volume({
    ...bare,
    iscsi: {
      targetPortal: "",
      iqn: "foo",
      lun: 300,
      chapAuthSession: true,
      initiatorName: "iqn.x",
    },
  }),
  "volume: fc": volume({ ...bare, fc: {} }),
  "volume: azure disk": volume({ ...bare, azureDisk: { diskName: "a", diskURI: "x" } }),
  "volume: rbd": volume({ ...bare, rbd: { monitors: [], image: "" } }),
  "volume: glusterfs": volume({
    ...bare,
    glusterfs: { endpoints: "", path: "", endpointsNamespace: "" },
  }),
  "volume: cephfs": volume({ ...bare, cephfs: { monitors: ["x"] } }),
  "volume: gce": volume({ ...bare, gcePersistentDisk: { pdName: "", partition: 300 } }),
  "volume: flex": volume({
    ...bare,
    flexVolume: { driver: "", options: { "kubernetes.io/x": "y" } },
  }),
  "volume: cinder": volume({ ...bare, cinder: { volumeID: "", secretRef: {} } }),
  "volume: annotations": volume(host, {
    annotations: {
      "volume.beta.kubernetes.io/storage-class": "x",
      "volume.beta.kubernetes.io/mount-options": "ro",
    },
  }),
});

const claimCases = createEach(claims, {
  "claim: plain": claim(plain),
  "claim: empty": claim({}),
  "claim: bad modes": claim({ ...plain, accessModes: ["Foo"] }),
  "claim: no storage": claim({ ...plain, resources: { requests: { cpu: "1" } } }),
  "claim: zero storage": claim({ ...plain, resources: { requests: { storage: "0" } } }),
  "claim: fraction": claim({ ...plain, resources: { requests: { storage: "1500m" } } }),
  "claim: bad classes": claim({
    ...plain,
    storageClassName: "A_",
    volumeMode: "Foo",
    volumeAttributesClassName: "A_",
  }),
  "claim: bad selector": claim({ ...plain, selector: { matchLabels: { "a b": "c d" } } }),
  "claim: from a claim": claim({
    ...plain,
    dataSource: { kind: "PersistentVolumeClaim", name: "x" },
  }),
  "claim: from anything": claim({
    ...plain,
    dataSource: { apiGroup: "example.com", kind: "X", name: "x" },
  }),
  "claim: from anything by reference": claim({
    ...plain,
    dataSourceRef: { apiGroup: "example.com", kind: "X", name: "x" },
  }),
  "claim: from another namespace": claim({
    ...plain,
    dataSourceRef: { apiGroup: "example.com", kind: "X", name: "x", namespace: "y" },
  }),
  "claim: bad reference": claim({
    ...plain,
    dataSourceRef: { apiGroup: "A b", kind: "", name: "" },
  }),
  "claim: sources differ": claim({
    ...plain,
    dataSource: { kind: "PersistentVolumeClaim", name: "x" },
    dataSourceRef: { kind: "PersistentVolumeClaim", name: "y" },
  }),
  "claim: annotation": claim(plain, {
    name: "a",
    annotations: { "volume.beta.kubernetes.io/storage-class": "x" },
  }),
});

const item = `${claims}/a`;
const bound = (capacity: string): object => ({
  status: { phase: "Bound", capacity: { storage: capacity }, accessModes: ["ReadWriteOnce"] },
});

const changes: Case[] = [
  {
    name: "claim changes while it is pending",
    steps: [
      create(claims, claim(plain)),
      merge(item, { spec: { accessModes: ["ReadWriteMany"] } }),
      merge(item, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      merge(item, { spec: { volumeMode: "Block" } }),
      merge(item, { spec: { storageClassName: "x" } }),
      merge(item, { spec: { storageClassName: "y" } }),
      merge(item, { spec: { volumeName: "v" } }),
      merge(item, { spec: { volumeName: "w" } }),
    ],
  },
  {
    name: "claim changes while it is bound",
    steps: [
      create(claims, claim({ ...plain, storageClassName: "expandable" })),
      merge(`${item}/status`, bound("1Gi")),
      merge(item, { spec: { resources: { requests: { storage: "3Gi" } } } }),
      merge(item, { spec: { resources: { requests: { storage: "2Gi" } } } }),
      merge(item, { spec: { resources: { requests: { storage: "1Gi" } } } }),
      merge(item, { spec: { volumeAttributesClassName: "x" } }),
      merge(`${item}/status`, { status: { currentVolumeAttributesClassName: "x" } }),
      merge(item, { spec: { volumeAttributesClassName: null } }),
      merge(item, { spec: { volumeAttributesClassName: "" } }),
      merge(`${item}/status`, {
        status: {
          allocatedResources: { storage: "2Gi", cpu: "1" },
          allocatedResourceStatuses: { storage: "Foo" },
        },
      }),
    ],
  },
  {
    name: "volume changes",
    steps: [
      create(volumes, volume(host)),
      merge(`${volumes}/{ns}`, { spec: { hostPath: { path: "/b" } } }),
      merge(`${volumes}/{ns}`, { spec: { hostPath: null, csi } }),
      merge(`${volumes}/{ns}`, { spec: { volumeMode: "Block" } }),
      merge(`${volumes}/{ns}`, { spec: { capacity: { storage: "2Gi" } } }),
      merge(`${volumes}/{ns}/status`, { status: { phase: "Available" }, spec: { capacity: null } }),
    ],
  },
];

/** Persistent volumes and claims. */
export const coreStorage: Area = {
  name: "core-storage",
  fixtures: [
    create("/apis/storage.k8s.io/v1/storageclasses", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "expandable" },
      provisioner: "example.com/x",
      allowVolumeExpansion: true,
    }),
  ],
  cases: [...volumeCases, ...claimCases, ...changes],
};
