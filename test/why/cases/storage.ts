import { type Case, clusterWide, condition, early, event, readyPod, recorded } from "./recorded.ts";

const claim = (spec: object, status: object = { phase: "Pending" }, metadata: object = {}) =>
  recorded(
    "v1",
    "PersistentVolumeClaim",
    {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "2Gi" } },
        ...spec,
      },
      status,
    },
    { name: "data", ...metadata },
  );
const storageClass = (fields: object) =>
  clusterWide(
    "storage.k8s.io/v1",
    "StorageClass",
    { provisioner: "a.example.com", ...fields },
    { name: "fast" },
  );
const volume = (spec: object, status: object = { phase: "Available" }, metadata: object = {}) =>
  clusterWide(
    "v1",
    "PersistentVolume",
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        ...spec,
      },
      status,
    },
    { name: "pv1", ...metadata },
  );
const fast = { storageClassName: "fast" };
const about = "PersistentVolumeClaim/data";
const claimed = { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] };
const deleted = { deletionTimestamp: early, finalizers: ["kubernetes.io/pvc-protection"] };

export const storageCases: readonly Case[] = [
  {
    cause: "no-storage-class",
    objects: [claim({}), volume({})],
    says: /no StorageClass, the cluster has no default StorageClass, and no PersistentVolume fits/,
  },
  {
    cause: "storage-class-missing",
    objects: [claim(fast)],
    says: /StorageClass "fast" does not exist/,
  },
  {
    cause: "class-topology",
    objects: [
      claim(fast),
      storageClass({
        allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["a", "b"] }] }],
      }),
    ],
    says: /its StorageClass "fast" allows only zone in a, b \(allowedTopologies\), and no node/,
  },
  {
    cause: "claim-lost",
    objects: [claim({ volumeName: "pv1" }, { phase: "Lost" })],
    says: /was deleted/,
  },
  {
    cause: "claimed-volume-unusable",
    objects: [claim({ ...fast, volumeName: "pv1" })],
    says: /"pv1", which does not exist/,
  },
  {
    cause: "claimed-volume-unusable",
    objects: [
      claim({ ...fast, volumeName: "pv1" }),
      volume({ claimRef: { namespace: "a", name: "b" } }),
    ],
    says: /bound to the claim a\/b/,
  },
  {
    cause: "provisioning-failed",
    objects: [
      claim(fast),
      storageClass({}),
      event(about, "ProvisioningFailed", "quota of the array"),
    ],
    says: /fails: quota of the array/,
  },
  {
    cause: "claim-waits-for-first-consumer",
    objects: [claim(fast), storageClass({ volumeBindingMode: "WaitForFirstConsumer" })],
    says: /waits for the first Pod/,
  },
  {
    cause: "provisioner-silent",
    objects: [
      claim(fast),
      storageClass({}),
      event(
        about,
        "ExternalProvisioning",
        "Waiting for a volume to be created either by the external provisioner 'a.example.com'",
      ),
    ],
    says: /no such CSI driver is installed/,
  },
  {
    cause: "no-volume-fits",
    objects: [
      claim(fast),
      storageClass({ provisioner: "kubernetes.io/no-provisioner" }),
      volume(fast),
    ],
    says: /no PersistentVolume fits it/,
  },
  {
    cause: "claim-pending",
    objects: [claim(fast), storageClass({})],
    says: /is not bound to a volume, and nothing says why/,
  },
  {
    cause: "claim-resize",
    objects: [claim(fast, { phase: "Bound", capacity: { storage: "1Gi" } }), storageClass({})],
    says: /has 1Gi, and is to be resized to 2Gi: its StorageClass "fast" does not allow it/,
  },
  {
    cause: "healthy",
    objects: [claim({ volumeName: "pv1" }, { phase: "Bound", capacity: { storage: "2Gi" } })],
    says: /bound to pv1 \(2Gi\)/,
  },
  {
    cause: "volume-released",
    objects: [volume({ claimRef: { namespace: "a", name: "b" } }, { phase: "Released" })],
    says: /its claim a\/b was deleted/,
  },
  {
    cause: "volume-attachment",
    objects: [
      clusterWide("storage.k8s.io/v1", "VolumeAttachment", {
        spec: {
          attacher: "a.example.com",
          nodeName: "n1",
          source: { persistentVolumeName: "pv1" },
        },
        status: { attached: false },
      }),
    ],
    says: /has not attached the volume pv1 to node n1/,
  },
  {
    cause: "claim-in-use",
    objects: [claim(fast, { phase: "Bound" }, deleted), readyPod({}, claimed)],
    says: /while pod\/web uses it/,
  },
  {
    cause: "volume-bound-to-claim",
    objects: [
      volume(
        { claimRef: { namespace: "a", name: "b" } },
        { phase: "Bound" },
        { deletionTimestamp: early, finalizers: ["kubernetes.io/pv-protection"] },
      ),
    ],
    says: /while the claim a\/b is bound/,
  },
  {
    cause: "failed-condition",
    objects: [
      recorded("v1", "ReplicationController", {
        spec: { replicas: 1 },
        status: { conditions: [condition("Degraded", "True", "Broken", "it is broken")] },
      }),
    ],
    says: /condition Degraded is True \(Broken\): it is broken/,
  },
];
