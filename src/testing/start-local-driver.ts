import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { releaseVolumes } from "#/local-storage/node/release-volumes.ts";
import { serveDriver } from "#/local-storage/node/serve-driver.ts";
import { openBackends } from "#/local-storage/pool/open-backends.ts";
import { Pool } from "#/local-storage/pool/pool.ts";
import type { FsType } from "#/local-storage/pool/volume-record.ts";
import { controllerService } from "#/machinery/csi/csi-controller-service.ts";
import type { VolumeCapability } from "#/machinery/csi/csi-messages.ts";
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { openChannel } from "#/std/grpc/grpc-channel.ts";
import { type ServiceClient, serviceClient } from "#/std/grpc/grpc-client.ts";
import { Mounter } from "#/std/mounts/mounter.ts";
import { runProgram } from "#/std/process/run-program.ts";
import { systemClock } from "#/std/time/clock.ts";

interface DriverOptions {
  readonly backend: string;
  readonly fsTypes?: readonly FsType[];
  /** A folder that exists, and stays; default a new one. */
  readonly root?: string;
}

/** The storage driver of a node "n", called over its socket, as a kubelet calls it. */
export interface TestDriver extends AsyncDisposable {
  readonly pool: Pool;
  /** The folder with the places where volumes are staged and published. */
  readonly kubeletDir: string;
  readonly handlers: Awaited<ReturnType<typeof serveDriver>>["controller"];
  readonly controller: ServiceClient<typeof controllerService>;
  readonly node: ServiceClient<typeof nodeService>;
  /** Stages and publishes a volume; returns where it is published. */
  publish(volumeId: string, volumeCapability: VolumeCapability): Promise<string>;
  unpublish(volumeId: string): Promise<void>;
  /** The folders of volumes and snapshots, also unfinished ones. */
  folders(): Promise<string[]>;
}

export async function startLocalDriver(options: DriverOptions): Promise<TestDriver> {
  const root = options.root ?? (await mkdtemp(join(tmpdir(), "k8ts-volumes-")));
  const kubeletDir = await mkdtemp(join(tmpdir(), "k8ts-k-"));
  const machine = { run: runProgram, mounter: new Mounter() };
  const clock = systemClock;
  const backends = await openBackends({ root, ...machine, wanted: options.backend });
  const fsTypes = options.fsTypes ?? ["ext4"];
  const settings = { root, clock, run: runProgram, backends, fsTypes, overcommit: 4 };
  const pool = await Pool.open(settings);
  const { mounter } = machine;
  const server = await serveDriver({ pool, nodeName: "n", mounter, clock, kubeletDir });
  const address = `unix://${join(kubeletDir, "plugins/local.csi.k8ts.dev/csi.sock")}`;
  const channel = openChannel({ address });
  const node = serviceClient(nodeService, channel);
  const placesOf = (volumeId: string) => ({
    stagingTargetPath: join(kubeletDir, `staging-${volumeId}`),
    targetPath: join(kubeletDir, `target-${volumeId}`),
  });
  return {
    pool,
    kubeletDir,
    node,
    handlers: server.controller,
    controller: serviceClient(controllerService, channel),
    async publish(volumeId, volumeCapability) {
      const places = placesOf(volumeId);
      const { stagingTargetPath } = places;
      await node.NodeStageVolume({ volumeId, volumeCapability, stagingTargetPath });
      await node.NodePublishVolume({ volumeId, volumeCapability, ...places });
      return places.targetPath;
    },
    async unpublish(volumeId) {
      const { stagingTargetPath, targetPath } = placesOf(volumeId);
      await node.NodeUnpublishVolume({ volumeId, targetPath });
      await node.NodeUnstageVolume({ volumeId, stagingTargetPath });
    },
    async folders() {
      const found = ["volumes", "snapshots"].map((name) => readdir(join(root, name)));
      return (await Promise.all(found)).flat();
    },
    async [Symbol.asyncDispose]() {
      channel.close();
      await server[Symbol.asyncDispose]();
      await releaseVolumes(root, machine);
      await rm(kubeletDir, { recursive: true });
      if (options.root === undefined) await rm(root, { recursive: true });
    },
  };
}
