import { mkdir, rm, rmdir, stat, statfs, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import { type ServedService, served } from "#/std/grpc/grpc-server.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import { nodeKey } from "../base/names.ts";
import type { Pool } from "../pool/pool.ts";
import { required, wantedBy } from "./check-request.ts";
import { checkUnused } from "./check-unused.ts";

interface NodeOptions {
  readonly pool: Pool;
  readonly nodeName: string;
  readonly mounter: Mounter;
}

/** The CSI node service. */
export function nodeOf(options: NodeOptions): ServedService {
  const { pool, nodeName, mounter } = options;
  return served(nodeService, {
    async NodeStageVolume({ volumeId, stagingTargetPath: target, volumeCapability }) {
      required({ volume_id: volumeId, staging_target_path: target });
      required({ volume_capability: volumeCapability });
      const { isBlock } = wantedBy(volumeCapability ? [volumeCapability] : []);
      checkKind(pool.getVolume(volumeId).isBlock, isBlock);
      if (isBlock) await pool.attach(volumeId);
      else {
        await mkdir(target, { recursive: true, mode: 0o750 });
        const flags = volumeCapability?.mount?.mountFlags ?? [];
        await pool.mount(volumeId, { target, flags });
      }
      return {};
    },
    async NodeUnstageVolume({ volumeId, stagingTargetPath }) {
      required({ volume_id: volumeId, staging_target_path: stagingTargetPath });
      await mounter.unmount(stagingTargetPath);
      await pool.detach(volumeId);
      return {};
    },
    async NodePublishVolume(request) {
      const { volumeId, stagingTargetPath, targetPath, volumeCapability, readonly } = request;
      required({ volume_id: volumeId, target_path: targetPath });
      required({ volume_capability: volumeCapability });
      const { isBlock } = wantedBy(volumeCapability ? [volumeCapability] : []);
      checkKind(pool.getVolume(volumeId).isBlock, isBlock);
      if (!isBlock) required({ staging_target_path: stagingTargetPath });
      const source = isBlock ? await pool.attach(volumeId) : stagingTargetPath;
      if (!isBlock && !(await mounter.isMountPoint(source))) {
        throw new GrpcError("FAILED_PRECONDITION", `volume ${volumeId} is not staged`);
      }
      if (volumeCapability?.accessMode?.mode === "SINGLE_NODE_SINGLE_WRITER") {
        await checkUnused(mounter, { source, isBlock, targetPath });
      }
      await makeTarget(targetPath, isBlock);
      if (await mounter.isMountPoint(targetPath)) return {};
      const flags = readonly ? ["bind", "ro"] : ["bind"];
      await mounter.mount({ source, target: targetPath, options: flags });
      return {};
    },
    async NodeUnpublishVolume({ volumeId, targetPath }) {
      required({ volume_id: volumeId, target_path: targetPath });
      await mounter.unmount(targetPath);
      await removeTarget(targetPath);
      return {};
    },
    async NodeGetVolumeStats({ volumeId, volumePath }) {
      required({ volume_id: volumeId, volume_path: volumePath });
      const { isBlock, capacityBytes } = pool.getVolume(volumeId);
      const isThere = await mounter.isMountPoint(volumePath);
      if (!isThere) throw new GrpcError("NOT_FOUND", `${volumePath} is not mounted`);
      if (isBlock) return { usage: [{ unit: "BYTES", total: capacityBytes }] };
      return { usage: await usageOf(volumePath) };
    },
    async NodeExpandVolume({ volumeId, volumePath, capacityRange }) {
      required({ volume_id: volumeId, volume_path: volumePath });
      const { isBlock, capacityBytes } = pool.getVolume(volumeId);
      const { requiredBytes = capacityBytes, limitBytes = 0 } = capacityRange ?? {};
      if (limitBytes > 0 && limitBytes < capacityBytes) {
        throw new GrpcError("OUT_OF_RANGE", `volume ${volumeId} has ${capacityBytes} bytes`);
      }
      await stat(volumePath).catch(() => {
        throw new GrpcError("NOT_FOUND", `${volumePath} does not exist`);
      });
      const isMounted = !isBlock && (await mounter.isMountPoint(volumePath));
      const mounted = isMounted ? volumePath : undefined;
      return { capacityBytes: await pool.expand(volumeId, requiredBytes, mounted) };
    },
    NodeGetCapabilities: async () => ({
      capabilities: capabilities.map((type) => ({ rpc: { type } })),
    }),
    NodeGetInfo: async () => ({
      nodeId: nodeName,
      accessibleTopology: { segments: { [nodeKey]: nodeName } },
    }),
  });
}

const capabilities = [
  "STAGE_UNSTAGE_VOLUME",
  "GET_VOLUME_STATS",
  "EXPAND_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
] as const;

function checkKind(isBlock: boolean, wantsBlock: boolean): void {
  if (isBlock === wantsBlock) return;
  const kind = isBlock ? "a block device" : "a file system";
  throw new GrpcError("INVALID_ARGUMENT", `the volume is ${kind}`);
}

async function makeTarget(path: string, isFile: boolean): Promise<void> {
  await mkdir(isFile ? dirname(path) : path, { recursive: true, mode: 0o750 });
  if (!isFile) return;
  await writeFile(path, "", { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}

/** Only an empty folder, or the file under a device, is removed: nothing that a Pod wrote. */
async function removeTarget(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) await rmdir(path);
  else if (found?.isFile() && found.size === 0) await rm(path, { force: true });
}

async function usageOf(path: string) {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  const bytes = {
    total: blocks * bsize,
    used: (blocks - bfree) * bsize,
    available: bavail * bsize,
  };
  const inodes = { total: files, used: files - ffree, available: ffree };
  return [
    { unit: "BYTES" as const, ...bytes },
    { unit: "INODES" as const, ...inodes },
  ];
}
