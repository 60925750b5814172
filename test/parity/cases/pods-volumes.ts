import type { Area } from "../case.ts";
import { long, pod, tryPods, withVolumes } from "./pod-bodies.ts";

const projected = (...sources: object[]) => ({ projected: { sources } });
const claim = (spec: object, metadata: object = {}) => ({
  ephemeral: { volumeClaimTemplate: { metadata, spec } },
});
const storage = { resources: { requests: { storage: "1Gi" } } };

/** Volumes of every source, valid and invalid. */
export const podVolumes: Area = {
  name: "pod-volumes",
  cases: [
    tryPods("names and numbers of sources", [
      pod({ volumes: [{ name: "" }] }),
      pod({ volumes: [{ name: "A_b" }] }),
      pod({ volumes: [{ name: "v" }, { name: "v" }] }),
      ...withVolumes(
        { emptyDir: {}, hostPath: { path: "/a" } },
        { hostPath: { path: "/a" }, secret: { secretName: "s" }, configMap: { name: "c" } },
        {
          secret: {},
          cephfs: { monitors: ["a"] },
          downwardAPI: {},
          gcePersistentDisk: { pdName: "a" },
        },
      ),
      pod({
        volumes: [
          { name: "v", ...claim({ accessModes: ["ReadWriteOnce"], ...storage }) },
          { name: "w", persistentVolumeClaim: { claimName: "p-v" } },
        ],
      }),
    ]),
    tryPods(
      "local",
      withVolumes(
        {},
        { emptyDir: { sizeLimit: "-1" } },
        { emptyDir: { sizeLimit: "1Gi", medium: "Memory", mode: 511 } },
        { hostPath: {} },
        { hostPath: { path: "/a/../b" } },
        { hostPath: { path: "/a", type: "Odd" } },
        { hostPath: { path: "/a", type: "File" } },
        { gitRepo: {} },
        { gitRepo: { repository: "r", directory: "/../a" } },
        { image: {} },
        { image: { reference: "r", pullPolicy: "Odd" } },
        { image: { reference: "r:latest" } },
        { persistentVolumeClaim: {} },
      ),
    ),
    tryPods(
      "remote",
      withVolumes(
        { gcePersistentDisk: { partition: 256 } },
        { awsElasticBlockStore: { partition: -1 } },
        { nfs: {} },
        { nfs: { server: "s", path: "a" } },
        { iscsi: {} },
        { iscsi: { targetPortal: "p", iqn: "x", lun: 300, chapAuthSession: true } },
        { iscsi: { targetPortal: "p", iqn: "iqn.bad", lun: 1, initiatorName: "foo" } },
        {
          iscsi: { targetPortal: "p", iqn: "eui.0123456789abcdef", lun: 1, initiatorName: "naa.1" },
        },
        {
          iscsi: {
            targetPortal: long(70),
            iqn: "iqn.2001-04.com.example:x",
            lun: 1,
            initiatorName: "iqn.2001-04.com.example:y",
          },
        },
        { iscsi: { targetPortal: "p", iqn: "iqn.2001-04.com.example:x", lun: 1 } },
        { glusterfs: {} },
        { glusterfs: { endpoints: "e", path: "p" } },
        { flocker: {} },
        { flocker: { datasetName: "a/b", datasetUUID: "c" } },
        { flocker: { datasetName: "a" } },
        { rbd: {} },
        { rbd: { monitors: ["m"], image: "i" } },
        { cinder: { secretRef: {} } },
        { cephfs: {} },
        { cephfs: { monitors: ["m"] } },
        { quobyte: {} },
        { quobyte: { registry: "a", volume: "v" } },
        { quobyte: { registry: "a:1,b:2", volume: "v", tenant: long(65) } },
        { quobyte: { registry: "a:1,b:2", volume: "v" } },
        { fc: {} },
        { fc: { targetWWNs: ["a"], wwids: ["b"] } },
        { fc: { targetWWNs: ["a"], lun: 300 } },
        { flexVolume: { options: { "kubernetes.io/x": "y" } } },
        { flexVolume: { driver: "d", options: { "a.k8s.io": "y" } } },
        { azureFile: {} },
        { azureDisk: {} },
        { azureDisk: { diskName: "d", diskURI: "x", cachingMode: "Odd", kind: "Managed" } },
        { azureDisk: { diskName: "d", diskURI: "https://x", kind: "Odd" } },
        { azureDisk: { diskName: "d", diskURI: "https://x" } },
        { vsphereVolume: {} },
        { photonPersistentDisk: {} },
        { photonPersistentDisk: { pdID: "p" } },
        { portworxVolume: {} },
        { storageos: {} },
        { storageos: { volumeName: "A", volumeNamespace: "B", secretRef: {} } },
        { storageos: { volumeName: "a" } },
        { scaleIO: {} },
        { scaleIO: { gateway: "g", system: "s", volumeName: "v", secretRef: { name: "n" } } },
        { csi: {} },
        { csi: { driver: "A_b", nodePublishSecretRef: {} } },
        { csi: { driver: long(64), nodePublishSecretRef: { name: "A" } } },
      ),
    ),
    tryPods(
      "from API objects",
      withVolumes(
        { secret: {} },
        { secret: { secretName: "s", defaultMode: 1000, defaultUser: 5 } },
        {
          secret: {
            secretName: "s",
            items: [
              { key: "", path: "" },
              { key: "k", path: "../a", mode: 999 },
            ],
          },
        },
        { secret: { secretName: "s", items: [{ key: "k", path: "..a" }] } },
        {
          secret: {
            secretName: "s",
            items: [
              { key: "k", path: "a" },
              { key: "l", path: "a/b" },
            ],
          },
        },
        { configMap: { defaultMode: -1 } },
        { configMap: { name: "c", items: [{ key: "k", path: "/a" }] } },
        { downwardAPI: { items: [{ path: "" }] } },
        { downwardAPI: { items: [{ path: "a", fieldRef: { fieldPath: "spec.nodeName" } }] } },
        {
          downwardAPI: {
            items: [
              {
                path: "a",
                fieldRef: { fieldPath: "metadata.labels" },
                resourceFieldRef: { resource: "limits.cpu" },
              },
            ],
          },
        },
        {
          downwardAPI: {
            defaultMode: 512,
            items: [{ path: "a", mode: 512, resourceFieldRef: { resource: "limits.cpu" } }],
          },
        },
        {
          downwardAPI: {
            items: [{ path: "a", resourceFieldRef: { containerName: "c", resource: "limits.x" } }],
          },
        },
      ),
    ),
    tryPods("projected", [
      ...withVolumes(
        projected({}),
        projected({ secret: {}, configMap: { name: "c" } }),
        projected(
          { secret: { name: "s", items: [{ key: "k", path: "a" }] } },
          { configMap: { name: "c", items: [{ key: "k", path: "a" }] } },
        ),
        projected({
          downwardAPI: {
            items: [
              { path: "a", fieldRef: { fieldPath: "metadata.name" } },
              { path: "a", fieldRef: { fieldPath: "metadata.name" } },
            ],
          },
        }),
        projected({ serviceAccountToken: { path: "t" } }),
        projected({ clusterTrustBundle: { path: "" } }),
        projected({ clusterTrustBundle: { name: "a", signerName: "b", path: "p" } }),
        projected({ clusterTrustBundle: { name: "A", path: "p", labelSelector: {} } }),
        projected({ clusterTrustBundle: { name: "a.b:c:d", path: "p" } }),
        projected({ clusterTrustBundle: { name: "", path: "p" } }),
        projected({ clusterTrustBundle: { signerName: "a", path: "../p" } }),
        projected({ clusterTrustBundle: { signerName: "a/b", path: "p" } }),
        projected({ clusterTrustBundle: { signerName: "", path: "p" } }),
        projected({
          clusterTrustBundle: {
            signerName: "A.b/C",
            path: "p",
            labelSelector: { matchLabels: { a: "b c" } },
          },
        }),
        projected({ podCertificate: {} }),
        projected({
          podCertificate: {
            signerName: "example.com/s",
            keyType: "ED25519",
            maxExpirationSeconds: 60,
            keyPath: "k",
          },
        }),
        projected({
          podCertificate: {
            signerName: "kubernetes.io/s",
            keyType: "ED25519",
            maxExpirationSeconds: 100000,
            keyPath: "k",
            certificateChainPath: "k",
          },
        }),
        projected({
          podCertificate: {
            signerName: "example.com/s",
            keyType: "ED25519",
            keyPath: "k",
            userAnnotations: { a: "b" },
          },
        }),
        { projected: { defaultMode: 777, sources: [{ secret: { name: "s" } }] } },
      ),
      pod({
        serviceAccountName: "sa",
        volumes: [
          {
            name: "v",
            ...projected(
              { serviceAccountToken: { path: "", expirationSeconds: 5 } },
              { serviceAccountToken: { path: "../a", expirationSeconds: 4294967297 } },
            ),
          },
        ],
      }),
    ]),
    tryPods(
      "ephemeral",
      withVolumes(
        { ephemeral: {} },
        claim({}),
        claim({ accessModes: ["Odd"], ...storage }),
        claim({ accessModes: ["ReadWriteOncePod", "ReadWriteOnce"], ...storage }),
        claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "0" } } }),
        claim({
          accessModes: ["ReadWriteOnce"],
          ...storage,
          storageClassName: "A",
          volumeMode: "Odd",
        }),
        claim({ accessModes: ["ReadWriteOnce"], ...storage, dataSource: { kind: "X", name: "" } }),
        claim({
          accessModes: ["ReadWriteOnce"],
          ...storage,
          dataSourceRef: { kind: "X", name: "n", apiGroup: "A_b" },
        }),
        claim({
          accessModes: ["ReadWriteOnce"],
          ...storage,
          dataSource: { kind: "PersistentVolumeClaim", name: "a" },
          dataSourceRef: { kind: "PersistentVolumeClaim", name: "b" },
        }),
        claim({
          accessModes: ["ReadWriteOnce"],
          ...storage,
          selector: { matchExpressions: [{ key: "a", operator: "Is" }] },
        }),
        claim(
          { accessModes: ["ReadWriteOnce"], ...storage },
          { name: "x", labels: { "a b": "c" } },
        ),
        claim({ accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1500m" } } }),
      ),
    ),
  ],
};
