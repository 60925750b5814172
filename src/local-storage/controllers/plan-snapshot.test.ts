import assert from "node:assert/strict";
import { test } from "node:test";
import type { VolumeSnapshotContent } from "../base/snapshot-objects.ts";
import { planContent, planSnapshotStatus } from "./plan-snapshot.ts";

const snapshot = {
  metadata: { namespace: "ns", name: "s", uid: "u", resourceVersion: "3" },
  spec: { source: { persistentVolumeClaimName: "c" } },
};
const snapshotClass = { metadata: { name: "k" }, driver: "d", deletionPolicy: "Retain" as const };

for (const volumeMode of ["Filesystem", "Block"] as const) {
  test(`planContent() of a volume with mode ${volumeMode}`, () => {
    const volume = { metadata: {}, spec: { volumeMode, csi: { driver: "d", volumeHandle: "h" } } };
    const { metadata, spec } = planContent(snapshot, snapshotClass, volume);
    assert.equal(metadata.name, "snapcontent-u");
    assert.deepEqual(spec, {
      deletionPolicy: "Retain",
      driver: "d",
      source: { volumeHandle: "h" },
      sourceVolumeMode: volumeMode,
      volumeSnapshotClassName: "k",
      volumeSnapshotRef: {
        apiVersion: "snapshot.storage.k8s.io/v1",
        kind: "VolumeSnapshot",
        namespace: "ns",
        name: "s",
        uid: "u",
        resourceVersion: "3",
      },
    });
  });
}

const content = planContent(snapshot, snapshotClass, { metadata: {}, spec: {} });
const bound = { boundVolumeSnapshotContentName: "snapcontent-u" };
const cases: readonly (readonly [VolumeSnapshotContent["status"], object])[] = [
  [undefined, { ...bound, readyToUse: false, error: null }],
  [{ error: { message: "m" } }, { ...bound, readyToUse: false, error: { message: "m" } }],
  [
    { readyToUse: true, restoreSize: 2 ** 30, creationTime: 1_000_000_000 },
    {
      ...bound,
      readyToUse: true,
      error: null,
      restoreSize: "1Gi",
      creationTime: "1970-01-01T00:00:01Z",
    },
  ],
];
for (const [status, expected] of cases) {
  test(`planSnapshotStatus() of ${JSON.stringify(status)}`, () => {
    assert.deepEqual(planSnapshotStatus({ ...content, ...(status && { status }) }), expected);
  });
}
