import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { nodes, type Pod, persistentVolumeClaims, persistentVolumes, pods } from "#/api/core/v1.ts";
import { csiDrivers, csiNodes } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { containerdProblem } from "#/testing/start-containerd.ts";
import { testNodeName } from "#/testing/start-kubelet.ts";
import { until } from "#/testing/until.ts";
import { AttackedNode } from "./attacked-node.ts";
import {
  type FakeDriver,
  hang,
  type RunningDriver,
  registrationSocket,
  serveBytes,
  serveEndlessMessages,
  startDriver,
} from "./fake-csi-driver.ts";

const skip = containerdProblem() ?? false;
const honest = "honest.example.com";
const megabyte = 1 << 20;
/** Limit of the growth of resident memory by all attacks (MiB): a few copies of the largest message. */
const maxGrownMiB = 400;

const info = (name: string) => async () => ({
  type: "CSIPlugin",
  name,
  endpoint: "",
  supportedVersions: ["1.0.0"],
});

/** Drivers that must not be registered: the error that they get, unless the fault is that they hang. */
const refused: readonly (FakeDriver & { readonly socket: string; readonly error?: RegExp })[] = [
  { socket: "a-hang", name: "hang.example.com", registration: { GetInfo: hang } },
  { socket: "a-huge", name: "x", registration: { GetInfo: info("x".repeat(8 * megabyte)) } },
  { socket: "a-info", name: "info.example.com", node: { NodeGetInfo: hang } },
  { socket: "a-caps", name: "caps.example.com", node: { NodeGetCapabilities: hang } },
  {
    socket: "a-huge-info",
    name: "huge-info.example.com",
    node: { NodeGetInfo: async () => ({ nodeId: "x".repeat(8 * megabyte) }) },
    error: /Received message larger than max/,
  },
  {
    socket: "a-no-id",
    name: "no-id.example.com",
    node: { NodeGetInfo: async () => ({ nodeId: "" }) },
    error: /driverNodeID must not be empty/,
  },
  {
    socket: "a-label",
    name: "label.example.com",
    node: {
      NodeGetInfo: async () => ({
        nodeId: "id",
        accessibleTopology: { segments: { "kubernetes.io/hostname": "other" } },
      }),
    },
    error: /detected topology value collision: driver reported "kubernetes.io\/hostname":"other"/,
  },
  { socket: "a-path", name: "../../../etc", error: /spec.drivers\[\d+\].name: Invalid value/ },
  { socket: "a-slash", name: "a/b", error: /spec.drivers\[\d+\].name: Invalid value/ },
  { socket: "a-proto", name: "__proto__", error: /spec.drivers\[\d+\].name: Invalid value/ },
  { socket: "a-empty", name: "", error: /spec.drivers\[\d+\].name: Required value/ },
  {
    socket: "a-missing",
    name: "missing.example.com",
    endpoint: "/nowhere/driver.sock",
    error: /ENOENT/,
  },
  {
    socket: "a-relative",
    name: "relative.example.com",
    endpoint: "../driver.sock",
    error: /is no address/,
  },
  {
    socket: "a-versions",
    name: "versions.example.com",
    registration: {
      GetInfo: async () => ({
        type: "CSIPlugin",
        name: "versions.example.com",
        endpoint: "",
        supportedVersions: Array(10_000).fill("2.0"),
      }),
    },
  },
];

describe("hostile CSI drivers", { skip }, () => {
  const stack = new AsyncDisposableStack();
  let node: AttackedNode;
  let client: Client;
  let residentBytes: number;

  before(async () => {
    node = stack.use(await AttackedNode.start());
    client = node.client;
    const folder = join(node.root, "plugins_registry");
    await until("the kubelet looks for drivers", () => existsSync(folder));
    residentBytes = process.memoryUsage.rss();
  });
  after(async () => {
    const grownMiB = (process.memoryUsage.rss() - residentBytes) / megabyte;
    await stack.disposeAsync();
    assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
  });

  const start = (socket: string, driver: FakeDriver): Promise<RunningDriver> =>
    startDriver(node.root, socket, driver);

  /** A driver with its object, and a Pod with a volume of it. */
  async function createVolume(driver: string): Promise<void> {
    const name = driver.split(".")[0] ?? "";
    await client.create(csiDrivers, {
      metadata: { name: driver },
      spec: { attachRequired: false },
    });
    await client.create(persistentVolumes, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteMany"],
        capacity: { storage: "1Gi" },
        storageClassName: "",
        csi: { driver, volumeHandle: "../../../../etc/passwd" },
        claimRef: { namespace: "default", name },
      },
    });
    const claim = await client.create(persistentVolumeClaims, {
      metadata: { name, namespace: "default" },
      spec: {
        accessModes: ["ReadWriteMany"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "",
        volumeName: name,
      },
    });
    await client.patchStatus(persistentVolumes, { name }, { status: { phase: "Bound" } });
    await client.patch(
      persistentVolumes,
      { name },
      { spec: { claimRef: { uid: claim.metadata.uid } } },
      { type: "merge" },
    );
    await client.patchStatus(
      persistentVolumeClaims,
      { name, namespace: "default" },
      { status: { phase: "Bound" } },
    );
  }
  const createPod = (name: string, driver: string): Promise<Pod> =>
    node.createPod(name, {
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: driver.split(".")[0] ?? "" } }],
      containers: [
        {
          name: "main",
          image: node.containerd.image,
          volumeMounts: [{ name: "v", mountPath: "/v" }],
        },
      ],
    });
  /** Others go on: a Pod with the honest driver's volume runs and ends. */
  const tryHonest = async (): Promise<void> => {
    await createPod("free", honest);
    await node.untilRunning("free");
    await node.remove("free");
  };
  const registeredNames = async (): Promise<string[]> => {
    const { spec } = await client.get(csiNodes, { name: testNodeName });
    return (spec.drivers ?? []).map(({ name }) => name);
  };

  test("those that can't register hold up no other", async () => {
    await using hostile = new AsyncDisposableStack();
    const place = (name: string) => registrationSocket(node.root, name);
    hostile.use(await serveBytes(place("a-silent")));
    hostile.use(await serveBytes(place("a-garbage"), randomBytes(megabyte)));
    hostile.use(await serveEndlessMessages(place("a-endless")));
    const started = new Map<string, RunningDriver>();
    for (const one of refused) {
      const running = await start(one.socket, one);
      hostile.use(running);
      started.set(one.socket, running);
    }
    const driver = await start("b", { name: honest });
    stack.use(driver);
    await until("the honest driver is registered", () => driver.statuses.length > 0);
    assert.deepEqual(driver.statuses, [{ pluginRegistered: true, error: "" }]);
    for (const { socket, error } of refused) {
      if (!error) continue;
      const statuses = started.get(socket)?.statuses ?? [];
      await until(`${socket} is refused`, () => statuses.length > 0);
      assert.equal(statuses[0]?.pluginRegistered, false);
      assert.match(statuses[0]?.error ?? "", /^RegisterPlugin error -- /);
      assert.match(statuses[0]?.error ?? "", error);
    }
    assert.deepEqual(await registeredNames(), [honest]);
    const { metadata } = await client.get(nodes, { name: testNodeName });
    assert.equal(metadata.labels?.["kubernetes.io/hostname"], testNodeName);
    await until("refused drivers have left the Node", async () => {
      const found = await client.get(nodes, { name: testNodeName });
      const ids = found.metadata.annotations?.["csi.volume.kubernetes.io/nodeid"];
      return ids === JSON.stringify({ [honest]: "id" });
    });
  });

  test("the honest one's volume is mounted, whatever its handle", async () => {
    await createVolume(honest);
    const { metadata } = await createPod("honest", honest);
    await node.untilRunning("honest");
    assert.ok(
      existsSync(join(node.root, `pods/${metadata.uid}/volumes/kubernetes.io~csi/honest/mount`)),
    );
    await node.remove("honest");
  });

  test("another socket neither takes over nor removes a driver", async () => {
    const thief = await start("thief", { name: honest });
    await until("the thief is refused", () => thief.statuses.length > 0);
    assert.match(thief.statuses[0]?.error ?? "", /Another driver with the same name is already/);
    const other = await start("other", {
      name: honest,
      registration: {
        GetInfo: async () => ({ ...(await info(honest)()), type: "DevicePlugin" }),
      },
    });
    await until("the other is refused", () => other.statuses.length > 0);
    assert.match(other.statuses[0]?.error ?? "", /no handler registered for plugin type: DeviceP/);
    await thief[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
    await tryHonest();
    assert.deepEqual(await registeredNames(), [honest]);
  });

  for (const call of ["NodeStageVolume", "NodePublishVolume"] as const) {
    test(`a Pod whose driver hangs in ${call} can be deleted, others start`, async () => {
      const name = `${call.toLowerCase()}.example.com`;
      const calls: string[] = [];
      await using driver = await start(call, {
        name,
        node: {
          [call]: () => {
            calls.push(call);
            return hang();
          },
        },
      });
      await createVolume(name);
      await until("the driver is registered", () => driver.statuses[0]?.pluginRegistered === true);
      await createPod("stuck", name);
      await until("the driver is called", () => calls.length > 0);
      await tryHonest();
      await node.remove("stuck");
    });
  }

  test("a Pod whose driver hangs in NodeUnpublishVolume stays until it answers, others go on", async () => {
    const name = "unpublish.example.com";
    const answers = Promise.withResolvers<void>();
    const calls: string[] = [];
    await using driver = await start("unpublish", {
      name,
      node: {
        NodeUnpublishVolume: async ({ targetPath }) => {
          calls.push(targetPath);
          await answers.promise;
          await rm(targetPath, { recursive: true });
          return {};
        },
      },
    });
    await createVolume(name);
    await until("the driver is registered", () => driver.statuses[0]?.pluginRegistered === true);
    await createPod("held", name);
    await node.untilRunning("held");
    await client.delete(pods, { name: "held", namespace: "default" });
    await until("the driver is called", () => calls.length > 0);
    await tryHonest();
    assert.notEqual(await node.find("held"), undefined);
    answers.resolve();
    await node.untilGone("held");
  });

  test("a driver that vanishes is reported, and its Pod goes when it is back", async () => {
    const name = "vanishing.example.com";
    const driver = await start("vanishing", { name });
    await createVolume(name);
    await until("the driver is registered", () => driver.statuses[0]?.pluginRegistered === true);
    await createPod("first", name);
    await node.untilRunning("first");
    await driver[Symbol.asyncDispose]();
    await until("it is unregistered", async () => !(await registeredNames()).includes(name));
    await createPod("second", name);
    await node.untilEvent(
      "second",
      "FailedMount",
      /driver name vanishing.example.com not found in the list of/,
    );
    await tryHonest();
    await node.remove("second");
    await client.delete(pods, { name: "first", namespace: "default" });
    await using _again = await start("vanishing", { name });
    await node.untilGone("first");
  });

  test("answers without an end, and errors of any size, become events", async () => {
    const endless = join(node.root, "endless.sock");
    using _server = await serveEndlessMessages(endless);
    const name = "errors.example.com";
    await using driver = await start("errors", {
      name,
      node: {
        NodeStageVolume: async () => {
          throw new Error(`no\u0000disk\u001b[31m ${"x".repeat(100_000)}`);
        },
      },
    });
    await createVolume(name);
    await until("the driver is registered", () => driver.statuses[0]?.pluginRegistered === true);
    await createPod("errors", name);
    await node.untilEvent("errors", "FailedMount", /MountVolume.\w+ failed for volume "\w+" : /);
    await node.remove("errors");
    const bad = await start("endless", { name: "endless.example.com", endpoint: endless });
    await until("it is refused", () => bad.statuses.length > 0);
    assert.match(bad.statuses[0]?.error ?? "", /more than one response/);
    await bad[Symbol.asyncDispose]();
  });
});
