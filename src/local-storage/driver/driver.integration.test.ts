import assert from "node:assert/strict";
import { mkdtemp, readFile, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { GrpcError } from "#/std/grpc/grpc.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { startLocalDriver as openDriver } from "#/testing/start-local-driver.ts";

const mebibyte = 1 << 20;
const mount = (fsType = "") => ({
  mount: { fsType, mountFlags: [], volumeMountGroup: "" },
  accessMode: { mode: "SINGLE_NODE_WRITER" as const },
});
const block = { block: {}, accessMode: { mode: "SINGLE_NODE_WRITER" as const } };

for (const backend of ["image", "directory"]) {
  test(`a volume is made once, with back-end ${backend}`, async () => {
    await using it = await openDriver({ backend });
    const wanted = {
      name: "a",
      capacityRange: { requiredBytes: 32 * mebibyte },
      volumeCapabilities: [mount("ext4")],
    };
    const { volume } = await it.controller.CreateVolume(wanted);
    assert.equal(volume?.capacityBytes, 32 * mebibyte);
    assert.deepEqual(volume?.accessibleTopology, [
      { segments: { "topology.local.csi.k8ts.dev/node": "n" } },
    ]);
    const isEnforced = volume?.volumeContext["local.csi.k8ts.dev/size-enforced"];
    assert.equal(isEnforced, String(backend === "image"));
    assert.deepEqual((await it.controller.CreateVolume(wanted)).volume, volume);
    const larger = { ...wanted, capacityRange: { requiredBytes: 64 * mebibyte } };
    await assert.rejects(it.controller.CreateVolume(larger), { code: "ALREADY_EXISTS" });
    await it.controller.DeleteVolume({ volumeId: "a" });
    await it.controller.DeleteVolume({ volumeId: "a" });
    assert.deepEqual((await it.controller.ListVolumes({})).entries, []);
  });

  test(`files survive staging again, in snapshots and clones, with back-end ${backend}`, async () => {
    await using it = await openDriver({ backend });
    const range = { capacityRange: { requiredBytes: 32 * mebibyte } };
    const capabilities = { volumeCapabilities: [mount("ext4")] };
    await it.controller.CreateVolume({ name: "a", ...range, ...capabilities });
    const file = join(await it.publish("a", mount("ext4")), "file");
    await writeFile(file, "one");
    await it.controller.CreateSnapshot({ name: "s", sourceVolumeId: "a" });
    await writeFile(file, "two");
    const source = { volumeContentSource: { snapshot: { snapshotId: "s" } } };
    await it.controller.CreateVolume({ name: "b", ...range, ...capabilities, ...source });
    const clone = { volumeContentSource: { volume: { volumeId: "a" } } };
    await it.controller.CreateVolume({ name: "c", ...range, ...capabilities, ...clone });
    await assert.rejects(it.controller.DeleteVolume({ volumeId: "a" }), {
      code: "FAILED_PRECONDITION",
    });
    await it.unpublish("a");
    const contents = await Promise.all(
      ["a", "b", "c"].map(async (id) =>
        readFile(join(await it.publish(id, mount("ext4")), "file"), "utf8"),
      ),
    );
    assert.deepEqual(contents, ["two", "one", "two"]);
  });
}

test("a volume takes no more than its size, and more once it is larger", async () => {
  await using it = await openDriver({ backend: "image" });
  const wanted = { capacityRange: { requiredBytes: 16 * mebibyte } };
  await it.controller.CreateVolume({ name: "a", ...wanted, volumeCapabilities: [mount("ext4")] });
  const target = await it.publish("a", mount("ext4"));
  const write = (name: string) => writeFile(join(target, name), Buffer.alloc(20 * mebibyte, 1));
  await assert.rejects(write("much"), { code: "ENOSPC" });
  const larger = { capacityRange: { requiredBytes: 64 * mebibyte } };
  const grown = it.node.NodeExpandVolume({ volumeId: "a", volumePath: target, ...larger });
  // A kernel may refuse to a process without CAP_SYS_RESOURCE that a mounted ext4 grows.
  await grown.catch((error: GrpcError) => assert.equal(error.code, "FAILED_PRECONDITION"));
  await it.unpublish("a");
  await it.publish("a", mount("ext4"));
  await write("much");
  const { usage } = await it.node.NodeGetVolumeStats({ volumeId: "a", volumePath: target });
  assert.ok((usage[0]?.total ?? 0) > 40 * mebibyte, JSON.stringify(usage));
});

test("a block device keeps its bytes, and a snapshot of it is no file system", async () => {
  await using it = await openDriver({ backend: "image" });
  const range = { capacityRange: { requiredBytes: 8 * mebibyte } };
  await it.controller.CreateVolume({ name: "a", ...range, volumeCapabilities: [block] });
  const device = await it.publish("a", block);
  await writeFile(device, "bytes", { flag: "r+" });
  await it.unpublish("a");
  const again = await readFile(await it.publish("a", block));
  assert.equal(again.length, 8 * mebibyte);
  assert.equal(again.toString("latin1", 0, 5), "bytes");
  await it.controller.CreateSnapshot({ name: "s", sourceVolumeId: "a" });
  const source = { volumeContentSource: { snapshot: { snapshotId: "s" } } };
  const other = { name: "b", ...range, volumeCapabilities: [mount()], ...source };
  await assert.rejects(it.controller.CreateVolume(other), { code: "INVALID_ARGUMENT" });
  const larger = { capacityRange: { requiredBytes: 12 * mebibyte } };
  await it.node.NodeExpandVolume({ volumeId: "a", volumePath: device, ...larger });
  assert.equal((await readFile(device)).length, 12 * mebibyte);
});

const refused = [
  { name: "", code: "INVALID_ARGUMENT" },
  { volumeCapabilities: [], code: "INVALID_ARGUMENT" },
  { volumeCapabilities: [mount("ntfs")], code: "INVALID_ARGUMENT" },
  {
    volumeCapabilities: [{ ...mount(), accessMode: { mode: "MULTI_NODE_MULTI_WRITER" as const } }],
    code: "INVALID_ARGUMENT",
  },
  { capacityRange: { requiredBytes: 2 ** 52 }, code: "RESOURCE_EXHAUSTED" },
  { capacityRange: { limitBytes: 4096 }, code: "OUT_OF_RANGE" },
  { volumeContentSource: { snapshot: { snapshotId: "../x" } }, code: "NOT_FOUND" },
];
test("CreateVolume() refuses what it cannot make, and makes nothing", async () => {
  await using it = await openDriver({ backend: "auto" });
  for (const { code, ...request } of refused) {
    const call = it.controller.CreateVolume({
      name: "a",
      volumeCapabilities: [mount("ext4")],
      ...request,
    });
    await assert.rejects(call, (error: GrpcError) => {
      assert.equal(error.code, code, JSON.stringify(request));
      return true;
    });
  }
  assert.deepEqual(await it.folders(), []);
});

/** Has a folder at a second place, too, which gets its mounts, as a node's kubelet folder. */
async function mountTwice(folder: string): Promise<AsyncDisposable> {
  const twin = await mkdtemp(join(tmpdir(), "twin-"));
  const sh = (script: string) => runProgram("sh", ["-ec", script, folder, twin]);
  await sh('mount --bind "$0" "$0"; mount --make-shared "$0"; mount --bind "$0" "$1"');
  return {
    async [Symbol.asyncDispose]() {
      await sh('umount "$1" "$0"');
      await rmdir(twin);
    },
  };
}

test("a volume for one Pod is refused to another, also where mounts are seen twice", async () => {
  await using it = await openDriver({ backend: "directory" });
  await using _twin = await mountTwice(it.kubeletDir);
  const single = { ...mount(), accessMode: { mode: "SINGLE_NODE_SINGLE_WRITER" as const } };
  await it.controller.CreateVolume({ name: "a", volumeCapabilities: [single] });
  const target = await it.publish("a", single);
  assert.equal(await it.publish("a", single), target, "the same Pod again");
  const other = { volumeId: "a", volumeCapability: single };
  const at = (name: string) => join(it.kubeletDir, name);
  const places = { stagingTargetPath: at("staging-a"), targetPath: at("other") };
  await assert.rejects(it.node.NodePublishVolume({ ...other, ...places }), {
    code: "FAILED_PRECONDITION",
  });
  await it.unpublish("a");
});
