import assert from "node:assert/strict";
import { mkdtemp, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { persistentVolumeClaims, persistentVolumes } from "#/api/core/v1.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { systemClock } from "#/std/time/clock.ts";
import { startLocalStorage } from "#/testing/start-local-storage.ts";
import { until } from "#/testing/until.ts";
import type { CsiDriver } from "./csi-drivers.ts";
import { persistent } from "./desired-volume.ts";
import { claimOf, VolumeExpander } from "./expand-volumes.ts";

const namespace = "default";
const pod = { metadata: { name: "p", namespace, uid: "u" }, spec: { containers: [] } };

/** A claim whose volume is to become larger, and the kubelet's part of that. `refuse` is the driver's answer. */
async function open(refuse?: GrpcError) {
  const it = await startLocalStorage();
  await it.createClass("now");
  await it.client.create(persistentVolumeClaims, {
    metadata: { name: "a", namespace },
    spec: {
      storageClassName: "now",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "64Mi" } },
    },
  });
  const read = () => it.client.get(persistentVolumeClaims, { namespace, name: "a" });
  await until("the claim is bound", async () => (await read()).status?.phase === "Bound");
  const patch = { spec: { resources: { requests: { storage: "96Mi" } } } };
  await it.client.patch(persistentVolumeClaims, { namespace, name: "a" }, patch, { type: "merge" });
  const { spec } = await until("the resizer is done", async () => {
    const claim = await read();
    return claim.status?.allocatedResourceStatuses ? claim : undefined;
  });
  const volume = await it.client.get(persistentVolumes, { name: spec.volumeName ?? "" });
  const events: string[] = [];
  let calls = 0;
  const expand: CsiDriver["node"]["NodeExpandVolume"] = async (request) => {
    calls++;
    if (refuse) throw refuse;
    return await it.driver.node.NodeExpandVolume(request);
  };
  const driver = {
    name: "local.csi.k8ts.dev",
    node: { ...it.driver.node, NodeExpandVolume: expand },
    info: { nodeID: "n", maxVolumes: 0, topology: {} },
    capabilities: new Set(["EXPAND_VOLUME"]),
    [Symbol.dispose]: () => undefined,
  };
  const expander = new VolumeExpander({
    client: it.client,
    clock: systemClock,
    drivers: { find: () => driver },
    events: { record: (_pod, { type, reason }) => void events.push(`${type} ${reason}`) },
  });
  const target = await mkdtemp(join(tmpdir(), "k8ts-expand-"));
  const claim = claimOf(volume);
  assert.ok(claim);
  const used = { desired: persistent(pod, volume, false), claim, target, stagingPath: target };
  return {
    read,
    events,
    calls: () => calls,
    add: () => expander.add(used),
    sizeOf: () => it.driver.pool.findVolume(spec.volumeName ?? "")?.capacityBytes,
    async [Symbol.asyncDispose]() {
      await rmdir(target);
      await it[Symbol.asyncDispose]();
    },
  };
}

test("VolumeExpander makes a mounted volume as large as its claim requests", async () => {
  await using it = await open();
  await it.add();
  const { status } = await it.read();
  assert.deepEqual(status?.capacity, { storage: "96Mi" });
  assert.deepEqual(status?.conditions ?? [], []);
  assert.equal(status?.allocatedResourceStatuses, undefined);
  assert.equal(it.sizeOf(), 96 * 2 ** 20);
  assert.deepEqual(it.events, ["Normal FileSystemResizeSuccessful"]);
  await it.add();
  assert.equal(it.calls(), 1, "it is not called again");
});

for (const { code, status, calls } of [
  { code: "OUT_OF_RANGE", status: "NodeResizeInfeasible", calls: 1 },
  { code: "FAILED_PRECONDITION", status: "NodeResizePending", calls: 1 },
  { code: "INTERNAL", status: "NodeResizePending", calls: 2 },
] as const) {
  test(`VolumeExpander reports ${code} of a driver`, async () => {
    await using it = await open(new GrpcError(code, "no"));
    await it.add();
    await it.add();
    const claim = await it.read();
    assert.deepEqual(claim.status?.allocatedResourceStatuses, { storage: status });
    assert.deepEqual(claim.status?.capacity, { storage: "64Mi" });
    assert.deepEqual(
      claim.status?.conditions?.map(({ type, message }) => [type, message]),
      [["NodeResizeError", `failed to expand pvc with ${code}: no`]],
    );
    assert.equal(it.calls(), calls);
    assert.equal(it.events[0], "Warning VolumeResizeFailed");
  });
}
