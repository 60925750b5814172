import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Node, nodes, type PersistentVolumeSpec, type Pod } from "#/api/core/v1.ts";
import { volumeAttachments } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import type { Informer } from "#/client/informers/informer.ts";
import { Informers } from "#/client/informers/informers.ts";
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { registrationService } from "#/machinery/csi/plugin-registration.ts";
import { attachmentName } from "#/machinery/volumes/csi-volume.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { systemClock } from "#/std/time/clock.ts";
import { implement, serve } from "#/testing/grpc-server.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { Directories } from "../state/directories.ts";
import { NodeRecord } from "../state/node-record.ts";
import { VolumesInUse } from "../state/volumes-in-use.ts";
import { accessMode } from "./csi-access-mode.ts";
import { CsiDrivers } from "./csi-drivers.ts";
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

interface DriverCalls {
  stage?(volumeId: string): Promise<void>;
  unstage?(volumeId: string): Promise<void>;
}

/** A driver that registers, and the volumes of a node with it. */
async function openDriver(hooks: DriverCalls = {}, client?: Client) {
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
    NodeStageVolume: async ({ volumeId }) => {
      calls.push(`stage ${volumeId}`);
      await hooks.stage?.(volumeId);
      return {};
    },
    NodeUnstageVolume: async ({ volumeId }) => {
      calls.push(`unstage ${volumeId}`);
      await hooks.unstage?.(volumeId);
      return {};
    },
    NodePublishVolume: async ({ volumeId, volumeContext }) =>
      note(calls, `publish ${volumeId} ${JSON.stringify(volumeContext)}`),
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
  const unattached = { get: async () => ({ spec: { attachRequired: false } }) };
  const inUse = new VolumesInUse();
  const informers = client && new Informers(client, ending.signal);
  const options = {
    client: client ?? (unattached as unknown as Client),
    clock: systemClock,
    node: new NodeRecord({
      informer: informers?.informer(nodes) ?? { store: noNodes, subscribe: () => stack() },
      initial: { metadata: { name: "node" }, spec: {} },
      ips: [],
    }),
    inUse,
    drivers,
    directories,
    mounter: new Mounter(),
    expander: { add: async () => undefined, remove: () => undefined },
    getSecret: async () => ({ metadata: {} }),
    getToken: async () => ({ token: "", expirationTimestamp: "" }),
  };
  await until("the driver is registered", () => status.length > 0);
  return {
    root,
    calls,
    status,
    seen,
    inUse,
    csi: new CsiVolumes(options),
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
      for (const service of services) await service[Symbol.asyncDispose]();
      await rm(root, { recursive: true });
    },
  };
}

const stack = () => new DisposableStack();
const noNodes = { get: () => undefined } as unknown as Informer<Node>["store"];

function podNamed(uid: string): Pod {
  return { metadata: { uid, name: "p", namespace: "n" }, spec: { containers: [] } };
}

function request(uid: string, spec: Partial<PersistentVolumeSpec> = {}) {
  return {
    pod: podNamed(uid),
    volume: { name: "v" },
    readOnly: false,
    persistentVolume: {
      metadata: { name: "pv" },
      spec: { csi: { driver: "d", volumeHandle: "h", volumeAttributes: { a: "b" } }, ...spec },
    },
  };
}

test("CsiVolumes stages, publishes and unpublishes through a driver that registers", async () => {
  await using driver = await openDriver();
  const { root, calls, status, seen, csi } = driver;
  assert.deepEqual(status, [{ pluginRegistered: true, error: "" }]);
  assert.deepEqual(seen, [
    { name: "d", nodeID: "id", topologyKeys: ["zone"], allocatable: { count: 3 } },
  ]);
  const mounted = await csi.setUpPersistent(request("u"));
  assert.equal(mounted.path, join(root, "pods/u/volumes/kubernetes.io~csi/pv/mount"));
  await csi.tearDown("u");
  assert.deepEqual(calls, ["stage h", 'publish h {"a":"b"}', "unpublish h", "unstage h"]);
  await assert.rejects(lstat(join(root, "pods/u/volumes/kubernetes.io~csi/pv")), {
    code: "ENOENT",
  });
  const block = { volumeMode: "Block" as const, csi: { driver: "d", volumeHandle: "b" } };
  const device = await csi.setUpPersistent(request("u", block));
  assert.deepEqual(
    [device.device, await readlink(device.path)],
    [true, join(root, "plugins/kubernetes.io/csi/volumeDevices/publish/pv/u")],
  );
  await csi.tearDown("u");
  assert.deepEqual(calls.slice(4), ["stage b", "publish b {}", "unpublish b", "unstage b"]);
  await assert.rejects(lstat(device.path), { code: "ENOENT" });
});

for (const volumeMode of ["Filesystem", "Block"] as const) {
  test(`CsiVolumes.tearDown() repeats a failed unstage of a ${volumeMode} volume`, async () => {
    let failures = 1;
    await using driver = await openDriver({
      async unstage() {
        if (failures-- > 0) throw new Error("busy");
      },
    });
    const { csi, calls } = driver;
    await csi.setUpPersistent(request("u", { volumeMode }));
    await assert.rejects(csi.tearDown("u"), /busy/);
    await csi.tearDown("u");
    assert.deepEqual(calls.slice(2), ["unpublish h", "unstage h", "unpublish h", "unstage h"]);
    await csi.tearDown("u");
    assert.equal(calls.length, 6, "nothing is left to take down");
  });
}

test("CsiVolumes refuses a volume for one Pod to a second one", async () => {
  await using driver = await openDriver();
  const { csi, calls } = driver;
  const spec = { accessModes: ["ReadWriteOncePod" as const] };
  await csi.setUpPersistent(request("u", spec));
  await assert.rejects(
    csi.setUpPersistent(request("v", spec)),
    /^Error: volume uses the ReadWriteOncePod access mode and is already in use by another pod$/,
  );
  await csi.tearDown("u");
  await csi.setUpPersistent(request("v", spec));
  assert.equal(calls.filter((call) => call.startsWith("publish")).length, 2);
});

test("CsiVolumes.tearDown() undoes a stage that failed", async () => {
  await using driver = await openDriver({ stage: () => Promise.reject(new Error("no device")) });
  const { csi, calls } = driver;
  await assert.rejects(csi.setUpPersistent(request("u")), /no device/);
  await csi.tearDown("u");
  assert.deepEqual(calls, ["stage h", "unpublish h", "unstage h"]);
});

test("CsiVolumes doesn't unstage a volume that another Pod is about to publish", async () => {
  const staging = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let stages = 0;
  await using driver = await openDriver({
    async stage() {
      if (++stages < 2) return;
      staging.resolve();
      await gate.promise;
    },
  });
  const { csi, calls } = driver;
  await csi.setUpPersistent(request("a"));
  const second = csi.setUpPersistent(request("b"));
  await staging.promise;
  const gone = csi.tearDown("a");
  gate.resolve();
  await Promise.all([second, gone]);
  assert.deepEqual(calls.slice(2), ["stage h", 'publish h {"a":"b"}', "unpublish h"]);
  await csi.tearDown("b");
  assert.deepEqual(calls.slice(5), ["unpublish h", "unstage h"]);
});

test("CsiVolumes mounts an attachable volume only when the Node lists it as used and attached", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const name = "kubernetes.io/csi/d^h";
  await client.create(nodes, { metadata: { name: "node" }, spec: {} });
  await client.create(volumeAttachments, {
    metadata: { name: attachmentName({ driver: "d", handle: "h" }, "node") },
    spec: { attacher: "d", nodeName: "node", source: { persistentVolumeName: "pv" } },
  });
  const attachment = { name: attachmentName({ driver: "d", handle: "h" }, "node") };
  await client.patchStatus(volumeAttachments, attachment, { status: { attached: true } });
  await using driver = await openDriver({}, client);
  const { csi, calls, inUse } = driver;
  const mounting = csi.setUpPersistent(request("u"));
  await until("the volume is in use", () => inUse.names().includes(name));
  const attached = { volumesAttached: [{ name, devicePath: "" }] };
  await client.patchStatus(nodes, { name: "node" }, { status: attached });
  const ending = new AbortController();
  const cancelled = csi.setUpPersistent({ ...request("other"), signal: ending.signal });
  ending.abort(new Error("deleted"));
  await assert.rejects(cancelled, /deleted/);
  assert.deepEqual(calls, [], "the Node doesn't list the volume as used yet");
  inUse.setReported([name]);
  await mounting;
  assert.deepEqual(calls, ["stage h", 'publish h {"a":"b"}']);
  assert.deepEqual([...(await csi.attachedOnDisk())], [["u", [name]]]);
});
