import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { until } from "#/testing/until.ts";
import { Directories } from "../state/directories.ts";
import { Mounter } from "../volumes/mounter.ts";
import { accessMode } from "./csi-access-mode.ts";
import { CsiDrivers } from "./csi-drivers.ts";
import { nodeService, registrationService } from "./csi-service.ts";
import { CsiVolumes } from "./csi-volumes.ts";
import { driverEntry } from "./driver-entry.ts";

const note = (list: unknown[], entry: unknown) => {
  list.push(entry);
  return {};
};

const modes: [string[], boolean, string][] = [
  [["ReadWriteOnce"], false, "SINGLE_NODE_WRITER"],
  [["ReadWriteOnce"], true, "SINGLE_NODE_MULTI_WRITER"],
  [["ReadWriteOncePod"], true, "SINGLE_NODE_SINGLE_WRITER"],
  [["ReadWriteOnce", "ReadWriteMany"], false, "MULTI_NODE_MULTI_WRITER"],
];
for (const [names, single, expected] of modes) {
  test(`accessMode() of ${names} is ${expected}`, () => {
    assert.equal(accessMode(names, single), expected);
  });
}

test("CsiVolumes stages, publishes and unpublishes through a driver that registers", async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-csi-"));
  const directories = new Directories(root);
  const endpoint = join(root, "driver.sock");
  const calls: string[] = [];
  const status: unknown[] = [];
  await mkdir(directories.pluginRegistration, { recursive: true });
  const node = implement(nodeService, {
    NodeGetInfo: async () => ({
      nodeId: "id",
      maxVolumesPerNode: 3,
      accessibleTopology: { segments: { zone: "a" } },
    }),
    NodeGetCapabilities: async () => ({
      capabilities: [{ rpc: { type: "STAGE_UNSTAGE_VOLUME" as const } }],
    }),
    NodeStageVolume: async ({ volumeId }) => note(calls, `stage ${volumeId}`),
    NodeUnstageVolume: async ({ volumeId }) => note(calls, `unstage ${volumeId}`),
    NodePublishVolume: async ({ volumeId, volumeContext }) => {
      calls.push(`publish ${volumeId} ${JSON.stringify(volumeContext)}`);
      return {};
    },
    NodeUnpublishVolume: async ({ volumeId }) => note(calls, `unpublish ${volumeId}`),
  });
  const registration = implement(registrationService, {
    GetInfo: async () => ({ type: "CSIPlugin", name: "d", endpoint, supportedVersions: ["1.0.0"] }),
    NotifyRegistrationStatus: async (given) => note(status, given),
  });
  const ending = new AbortController();
  const seen: unknown[] = [];
  const drivers = new CsiDrivers({
    directory: directories.pluginRegistration,
    clock: systemClock,
    registered: async (driver) => void seen.push(driverEntry(driver)),
    unregistered: async () => undefined,
  });
  const services = await Promise.all([
    serve({ address: `unix://${endpoint}`, services: [node] }),
    serve({
      address: `unix://${join(directories.pluginRegistration, "d.sock")}`,
      services: [registration],
    }),
  ]);
  const running = drivers.run(ending.signal);
  const pod: Pod = { metadata: { uid: "u", name: "p", namespace: "n" }, spec: { containers: [] } };
  const csi = new CsiVolumes({
    client: { get: async () => ({ spec: { attachRequired: false } }) } as unknown as Client,
    drivers,
    directories,
    mounter: new Mounter(),
    nodeName: "node",
    getSecret: async () => ({ metadata: {} }),
    getToken: async () => ({ token: "", expirationTimestamp: "" }),
  });
  try {
    await until("the driver is registered", () => status.length > 0);
    assert.deepEqual(status, [{ pluginRegistered: true, error: "" }]);
    assert.deepEqual(seen, [
      { name: "d", nodeID: "id", topologyKeys: ["zone"], allocatable: { count: 3 } },
    ]);
    const mounted = await csi.setUpPersistent({
      pod,
      volume: { name: "v" },
      readOnly: false,
      persistentVolume: {
        metadata: { name: "pv" },
        spec: { csi: { driver: "d", volumeHandle: "h", volumeAttributes: { a: "b" } } },
      },
    });
    assert.equal(mounted.path, join(root, "pods/u/volumes/kubernetes.io~csi/pv/mount"));
    await csi.tearDown("u");
    assert.deepEqual(calls, ["stage h", 'publish h {"a":"b"}', "unpublish h", "unstage h"]);
    await assert.rejects(lstat(join(root, "pods/u/volumes/kubernetes.io~csi/pv")), {
      code: "ENOENT",
    });
    const device = await csi.setUpPersistent({
      pod,
      volume: { name: "v" },
      readOnly: false,
      persistentVolume: {
        metadata: { name: "pv" },
        spec: { volumeMode: "Block", csi: { driver: "d", volumeHandle: "b" } },
      },
    });
    assert.deepEqual(
      [device.device, await readlink(device.path)],
      [true, join(root, "plugins/kubernetes.io/csi/volumeDevices/publish/pv/u")],
    );
    await csi.tearDown("u");
    assert.deepEqual(calls.slice(4), ["stage b", "publish b {}", "unpublish b", "unstage b"]);
    await assert.rejects(lstat(device.path), { code: "ENOENT" });
  } finally {
    ending.abort();
    await running;
    for (const service of services) await service[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  }
});
