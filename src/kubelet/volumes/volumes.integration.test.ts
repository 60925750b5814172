import assert from "node:assert/strict";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Pod } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { systemClock } from "#/std/time/clock.ts";
import { Directories } from "../state/directories.ts";
import { VolumesInUse } from "../state/volumes-in-use.ts";
import { NodeVolumes } from "./node-volumes.ts";
import { volumePlugins } from "./plugins/index.ts";
import type { VolumeContents } from "./projected-payload.ts";
import { noswapSupport } from "./tmpfs-noswap.ts";

const skip = process.getuid?.() !== 0 && "needs root";
const ignore = () => undefined;
const facts = { hostIPs: [], podIPs: [], allocatable: {} };

test("NodeVolumes sets up, updates and removes volumes of a pod", { skip }, async () => {
  const root = await mkdtemp(join(tmpdir(), "k8ts-volumes-"));
  const directories = new Directories(root);
  const mounter = new Mounter();
  let data: Record<string, string> = { a: "1", b: "2" };
  const contents = {
    getConfigMap: async () => ({ metadata: {}, data }),
    getSecret: async () => ({ metadata: {}, data: { s: "czM=" } }),
    getToken: async () => "token",
    facts: () => facts,
  } as unknown as VolumeContents;
  const csi = {
    setUpInline: () => Promise.reject(new Error("no driver")),
    setUpPersistent: () => Promise.reject(new Error("no driver")),
    tearDown: async () => undefined,
    attachedOnDisk: async () => new Map([["u1", ["left"]]]),
  };
  const subscribe = () => new DisposableStack();
  const inUse = new VolumesInUse();
  const probe = { mounter, kernelVersion: "6.1.0-31-amd64", directory: join(root, "probe") };
  const supportsNoswap = noswapSupport(probe);
  const volumes = new NodeVolumes({
    clock: systemClock,
    directories,
    mounter,
    plugins: volumePlugins({
      client: {} as Client,
      mounter,
      directories,
      clock: systemClock,
      contents,
      csi,
      allocatableMemoryBytes: 2 ** 24,
      supportsNoswap,
    }),
    events: { record: ignore },
    inUse,
    objects: { register: ignore, unregister: ignore, subscribe },
    bundles: { subscribe },
    tokens: { forget: ignore, nextRefresh: ignore },
    certificates: { forget: ignore, nextRefresh: ignore, subscribe },
    supportsRecursiveReadOnly: () => false,
  });
  const container = {
    name: "c",
    volumeMounts: ["config", "secret", "empty", "host"].map((name) => ({
      name,
      mountPath: `/${name}`,
    })),
  };
  const pod: Pod = {
    metadata: { uid: "u1", name: "p", namespace: "n" },
    spec: {
      containers: [
        {
          ...container,
          volumeMounts: [
            ...container.volumeMounts,
            { name: "empty", mountPath: "/sub", subPath: "x/y" },
          ],
        },
      ],
      securityContext: { fsGroup: 1234 },
      volumes: [
        { name: "config", configMap: { name: "c" } },
        { name: "secret", secret: { secretName: "s", defaultMode: 0o400 } },
        { name: "empty", emptyDir: {} },
        { name: "host", hostPath: { path: root, type: "Directory" } },
        { name: "unused", configMap: { name: "missing" } },
      ],
    },
  };
  const request = {
    pod,
    container: pod.spec.containers[0] ?? container,
    environment: {},
    images: new Map(),
    podIPs: [],
  };
  try {
    await volumes.adopt();
    assert.deepEqual(inUse.names(), ["left"]);
    await volumes.mount(pod);
    const config = directories.volume("u1", "kubernetes.io/configmap", "config");
    assert.equal(await readFile(join(config, "a"), "utf8"), "1");
    const before = await readlink(join(config, "..data"));
    data = { a: "9", c: "3" };
    await volumes.mount(pod);
    assert.notEqual(await readlink(join(config, "..data")), before);
    assert.equal(await readFile(join(config, "a"), "utf8"), "9");
    await assert.rejects(lstat(join(config, "b")), { code: "ENOENT" });
    const secret = directories.volume("u1", "kubernetes.io/secret", "secret");
    const inMemory = await mounter.find(secret);
    assert.equal(inMemory?.type, "tmpfs");
    // The kernel was asked with a mount, which left nothing behind, and has the last word.
    assert.equal(inMemory.options.includes("noswap"), await supportsNoswap());
    assert.deepEqual(await readdir(probe.directory), []);
    const status = await stat(join(secret, "s"));
    assert.deepEqual([status.mode & 0o7777, status.gid], [0o440, 1234]);
    const empty = directories.volume("u1", "kubernetes.io/empty-dir", "empty");
    assert.deepEqual([(await stat(empty)).mode & 0o7777, (await stat(empty)).gid], [0o2777, 1234]);

    const mounts = await volumes.containerMounts(request);
    const sub = mounts.find(({ containerPath }) => containerPath === "/sub")?.hostPath ?? "";
    await writeFile(join(sub, "file"), "in");
    assert.equal(await readFile(join(empty, "x/y/file"), "utf8"), "in");
    assert.equal(mounts[0]?.readonly, true);

    await rm(join(empty, "x"), { recursive: true });
    await mkdir(join(root, "outside"));
    await symlink(join(root, "outside"), join(empty, "x"));
    await assert.rejects(volumes.containerMounts(request), /failed to create subPath directory/);

    assert.deepEqual(await volumes.podsOnDisk(), ["u1"]);
    // The mount of the kubelet's folder is gone: below is that of another kubelet.
    await rename(root, `${root}-away`);
    await mkdir(join(root, "pods/foreign"), { recursive: true });
    await assert.rejects(volumes.podsOnDisk(), /is another folder than before/);
    await rm(root, { recursive: true });
    await rename(`${root}-away`, root);
    assert.deepEqual(await volumes.podsOnDisk(), ["u1"]);
  } finally {
    await volumes.unmount("u1");
    assert.deepEqual(inUse.names(), []);
    await assert.rejects(lstat(directories.pod("u1")), { code: "ENOENT" });
    await rm(root, { recursive: true });
  }
});
