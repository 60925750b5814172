import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { controllerService } from "#/machinery/csi/csi-controller-service.ts";
import { identityService } from "#/machinery/csi/csi-identity-service.ts";
import type { VolumeCapability } from "#/machinery/csi/csi-messages.ts";
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { serviceClient } from "#/std/grpc/grpc-client.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { until } from "#/testing/until.ts";
import { releaseVolumes } from "../node/release-volumes.ts";
import { LoopDevices } from "../pool/loop-devices.ts";

const program = fileURLToPath(new URL("../../../bin/local-storage.ts", import.meta.url));
const machine = { run: runProgram, mounter: new Mounter() };
const accessMode = { mode: "SINGLE_NODE_WRITER" as const };
const mounted: VolumeCapability = {
  mount: { fsType: "ext4", mountFlags: [], volumeMountGroup: "" },
  accessMode,
};
const block: VolumeCapability = { block: {}, accessMode };
const size = { capacityRange: { requiredBytes: 16 << 20 } };
const fromSnapshot = { volumeContentSource: { snapshot: { snapshotId: "s" } } };

/** A driver as a process of its own, which the test kills, with the folders that outlive it. */
class KilledDriver {
  readonly root: string;
  readonly kubeletDir: string;
  #process: ChildProcess | undefined;

  constructor(root: string, kubeletDir: string) {
    this.root = root;
    this.kubeletDir = kubeletDir;
  }

  /** Clients of the driver, which is started, and answers. */
  async start() {
    const folders = [`--root-dir=${this.root}`, `--kubelet-dir=${this.kubeletDir}`];
    const flags = [
      "--mode=driver",
      "--node-name=n",
      "--backend=image",
      "--status-bind-address=",
      ...folders,
    ];
    const child = spawn(process.execPath, [program, ...flags], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    this.#process = child;
    const address = `unix://${join(this.kubeletDir, "plugins/local.csi.k8ts.dev/csi.sock")}`;
    await until("the driver answers", async () => {
      assert.equal(child.exitCode, null, "the driver has ended");
      const channel = openChannel({ address });
      const answer = serviceClient(identityService, channel).Probe({});
      return await answer
        .then(
          () => true,
          () => false,
        )
        .finally(() => channel.close());
    });
    const channel = openChannel({ address });
    const controller = serviceClient(controllerService, channel);
    return { controller, node: serviceClient(nodeService, channel), close: () => channel.close() };
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  placesOf = (volumeId: string) => ({
    stagingTargetPath: join(this.kubeletDir, `staging-${volumeId}`),
    targetPath: join(this.kubeletDir, `target-${volumeId}`),
  });
}

type Clients = Awaited<ReturnType<KilledDriver["start"]>>;
type Call = (clients: Clients) => Promise<unknown>;

/** The calls of the lives of three volumes and a snapshot, in order. */
function callsOf(driver: KilledDriver): readonly (readonly [string, Call])[] {
  const use = (volumeId: string, volumeCapability: VolumeCapability) => {
    const places = driver.placesOf(volumeId);
    const { stagingTargetPath, targetPath } = places;
    const wanted = { volumeId, volumeCapability, stagingTargetPath };
    return {
      stage: ["NodeStageVolume", ({ node }) => node.NodeStageVolume(wanted)],
      publish: [
        "NodePublishVolume",
        ({ node }) => node.NodePublishVolume({ ...wanted, targetPath }),
      ],
      unpublish: [
        "NodeUnpublishVolume",
        ({ node }) => node.NodeUnpublishVolume({ volumeId, targetPath }),
      ],
      unstage: [
        "NodeUnstageVolume",
        ({ node }) => node.NodeUnstageVolume({ volumeId, stagingTargetPath }),
      ],
      remove: ["DeleteVolume", ({ controller }) => controller.DeleteVolume({ volumeId })],
    } satisfies Record<string, readonly [string, Call]>;
  };
  const create = (
    name: string,
    capability: VolumeCapability,
    source = {},
  ): readonly [string, Call] => [
    "CreateVolume",
    ({ controller }) =>
      controller.CreateVolume({ name, ...size, volumeCapabilities: [capability], ...source }),
  ];
  const a = use("a", mounted);
  const d = use("d", block);
  return [
    create("a", mounted),
    a.stage,
    a.publish,
    [
      "CreateSnapshot",
      ({ controller }) => controller.CreateSnapshot({ name: "s", sourceVolumeId: "a" }),
    ],
    create("b", mounted, fromSnapshot),
    create("d", block),
    ...[d.stage, d.publish, d.unpublish, d.unstage, d.remove],
    use("b", mounted).remove,
    ["DeleteSnapshot", ({ controller }) => controller.DeleteSnapshot({ snapshotId: "s" })],
    a.unpublish,
    a.unstage,
    a.remove,
  ];
}

test("a driver that is killed in each call of a volume's life leaves nothing", async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-volumes-"));
  const kubeletDir = await mkdtemp(join(tmpdir(), "k8ts-k-"));
  const driver = new KilledDriver(root, kubeletDir);
  const file = join(driver.placesOf("a").targetPath, "file");
  try {
    let clients = await driver.start();
    for (const [name, call] of callsOf(driver)) {
      const interrupted = call(clients).catch(() => undefined);
      // An answer to a later call: the driver has this one, and may be at work.
      await clients.node.NodeGetInfo({});
      await driver.kill();
      await interrupted;
      clients.close();
      clients = await driver.start();
      // As kubelet and provisioner do, the same is asked again.
      await call(clients);
      if (name === "NodePublishVolume") await writeFile(file, "content", { flag: "a" });
      if (name === "CreateSnapshot") assert.equal(await readFile(file, "utf8"), "content");
    }
    clients.close();
    const folders = ["volumes", "snapshots"].map((name) => readdir(join(root, name)));
    assert.deepEqual((await Promise.all(folders)).flat(), []);
    assert.deepEqual(await usedBy(root, kubeletDir), []);
  } finally {
    await driver.kill();
    await releaseVolumes(root, machine);
    for (const folder of [root, kubeletDir]) await rm(folder, { recursive: true });
  }
});

/** The loop devices of files in the pool, and the mounts below the kubelet's folder. */
async function usedBy(root: string, kubeletDir: string): Promise<string[]> {
  const devices = await new LoopDevices(runProgram).list();
  const mounts = await machine.mounter.list();
  return [
    ...devices.map(({ file }) => file).filter((path) => path.startsWith(root)),
    ...mounts.map(({ mountPoint }) => mountPoint).filter((path) => path.startsWith(kubeletDir)),
  ];
}
