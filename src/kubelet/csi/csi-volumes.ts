/** Upstream: pkg/volume/csi/{csi_mounter,csi_attacher,csi_util}.go. */
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, stat, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Secret } from "#/api/core/v1.ts";
import { type CSIDriver, csiDrivers, volumeAttachments } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { attachmentName, csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import { logger } from "#/std/log/log.ts";
import type { Directories } from "../state/directories.ts";
import type { Mounter } from "../volumes/mounter.ts";
import type { CsiVolumeService } from "../volumes/plugins/csi.ts";
import type { TokenSubject } from "../volumes/service-account-tokens.ts";
import { ensureVolumeOwnership } from "../volumes/volume-ownership.ts";
import {
  type MountedVolume,
  type PersistentRequest,
  type VolumeRequest,
  VolumeSetUpError,
} from "../volumes/volume-plugin.ts";
import type { CsiDriver, CsiDrivers } from "./csi-drivers.ts";
import { capability, type DesiredVolume, inlineVolume, persistent } from "./desired-volume.ts";
import { dataOf, loadData, saveData, type VolumeData } from "./volume-data.ts";

interface CsiVolumesOptions {
  readonly client: Client;
  readonly drivers: CsiDrivers;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly nodeName: string;
  getSecret(namespace: string, name: string): Promise<Secret>;
  getToken(subject: TokenSubject): Promise<{ token: string; expirationTimestamp: string }>;
}

const log = logger("csi");
const requestMs = 2 * 60_000;
const pluginDirectory = "kubernetes.io~csi";

type StagedVolume = Pick<DesiredVolume, "driver" | "handle" | "specName" | "block">;

/** Volumes of CSI drivers. */
export class CsiVolumes implements CsiVolumeService {
  readonly #options: CsiVolumesOptions;

  constructor(options: CsiVolumesOptions) {
    this.#options = options;
  }

  /** A volume that a Pod has for itself. */
  setUpInline({ pod, volume }: VolumeRequest): Promise<MountedVolume> {
    return this.#setUp(inlineVolume(pod, volume));
  }

  setUpPersistent({ pod, persistentVolume, readOnly }: PersistentRequest): Promise<MountedVolume> {
    return this.#setUp(persistent(pod, persistentVolume, readOnly));
  }

  async #setUp(desired: DesiredVolume): Promise<MountedVolume> {
    const { drivers, nodeName, mounter } = this.#options;
    const driver = drivers.get(desired.driver);
    const object = await this.#driverObject(desired.driver);
    const podUID = desired.pod.metadata.uid ?? "";
    const { directory, target } = this.#places(desired, podUID);
    const attaches = !desired.ephemeral && object?.spec.attachRequired !== false;
    const link = this.#deviceLink(desired.specName, podUID);
    const mounted: MountedVolume = {
      path: desired.block ? link : target,
      ...(desired.block && { device: true }),
      readOnly: desired.readOnly,
      follows: object?.spec.requiresRepublish === true,
      specName: desired.specName,
      ...(attaches && { uniqueName: csiVolumeName(desired) }),
    };
    const ready = desired.block ? await exists(mounted.path) : await mounter.isMountPoint(target);
    if (!mounted.follows && ready) return mounted;
    const attachmentID = attachmentName(desired, nodeName);
    const publishContext = attaches ? await this.#attached(attachmentID, desired) : {};
    const stagingTargetPath = await this.#stage(driver, desired, publishContext);
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    await saveData(directory, {
      ...dataOf(desired, nodeName),
      attachmentID: attaches ? attachmentID : "",
    });
    await driver.node.NodePublishVolume(
      {
        volumeId: desired.handle,
        publishContext,
        stagingTargetPath,
        targetPath: target,
        volumeCapability: capability(desired, driver),
        readonly: desired.readOnly,
        secrets: await this.#secrets(desired.publishSecret),
        volumeContext: await this.#context(desired, object),
      },
      { timeoutMs: requestMs },
    );
    if (desired.block) await linkDevice(link, target);
    else await this.#own(target, desired, driver, object);
    return mounted;
  }

  /** Paths of a volume's data file and of its publication; the same as upstream's. */
  #places({ specName, block }: Pick<DesiredVolume, "specName" | "block">, podUID: string) {
    const { directories } = this.#options;
    const directory = directories.volume(podUID, "kubernetes.io/csi", specName);
    if (!block) return { directory, target: join(directory, "mount") };
    const base = this.#deviceDirectory();
    return {
      directory: join(base, specName, "data"),
      target: join(base, "publish", specName, podUID),
    };
  }

  #deviceDirectory(): string {
    return join(this.#options.directories.plugins, "kubernetes.io/csi/volumeDevices");
  }

  #deviceLink(specName: string, podUID: string): string {
    return join(this.#options.directories.pod(podUID), "volumeDevices", pluginDirectory, specName);
  }

  async #driverObject(name: string): Promise<CSIDriver | undefined> {
    try {
      return await this.#options.client.get(csiDrivers, { name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The metadata of the attachment; throws while the volume isn't attached. */
  async #attached(name: string, desired: DesiredVolume): Promise<Record<string, string>> {
    const notYet = (why: string) =>
      new VolumeSetUpError(
        `MountVolume.WaitForAttach failed for volume "${desired.specName}" : ${why}`,
      );
    try {
      const { status } = await this.#options.client.get(volumeAttachments, { name });
      if (status?.attached) return status.attachmentMetadata ?? {};
      throw notYet(status?.attachError?.message ?? `volume attachment ${name} is not attached yet`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw notYet(`volume attachment ${name} not found`);
    }
  }

  /** Stages a volume if its driver supports that; returns the staging path, or "". */
  async #stage(
    driver: CsiDriver,
    desired: DesiredVolume,
    publishContext: Record<string, string>,
  ): Promise<string> {
    if (desired.ephemeral || !driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) return "";
    const { base, path } = this.#stagingPlaces(desired);
    await mkdir(path, { recursive: true, mode: 0o750 });
    await mkdir(base, { recursive: true, mode: 0o750 });
    await saveData(base, dataOf(desired, this.#options.nodeName));
    await driver.node.NodeStageVolume(
      {
        volumeId: desired.handle,
        publishContext,
        stagingTargetPath: path,
        volumeCapability: capability(desired, driver),
        secrets: await this.#secrets(desired.stageSecret),
        volumeContext: { ...desired.attributes },
      },
      { timeoutMs: requestMs },
    );
    return path;
  }

  #stagingPlaces({ driver, handle, specName, block }: StagedVolume) {
    if (block) {
      const devices = this.#deviceDirectory();
      const path = join(devices, "staging", specName);
      return { base: join(devices, specName, "data"), path };
    }
    const hash = createHash("sha256").update(handle).digest("hex");
    const base = join(this.#options.directories.plugins, "kubernetes.io/csi", driver, hash);
    return { base, path: join(base, "globalmount") };
  }

  async #secrets(ref: DesiredVolume["publishSecret"]): Promise<Record<string, string>> {
    if (!ref?.name) return {};
    const { data = {} } = await this.#options.getSecret(ref.namespace ?? "", ref.name);
    return Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]),
    );
  }

  async #context(
    desired: DesiredVolume,
    object: CSIDriver | undefined,
  ): Promise<Record<string, string>> {
    const context = { ...desired.attributes };
    const { name = "", namespace = "", uid = "" } = desired.pod.metadata;
    const serviceAccount = desired.pod.spec.serviceAccountName ?? "";
    if (object?.spec.podInfoOnMount) {
      Object.assign(context, {
        "csi.storage.k8s.io/pod.name": name,
        "csi.storage.k8s.io/pod.namespace": namespace,
        "csi.storage.k8s.io/pod.uid": uid,
        "csi.storage.k8s.io/serviceAccount.name": serviceAccount,
        "csi.storage.k8s.io/ephemeral": String(desired.ephemeral),
      });
    }
    const tokens: Record<string, unknown> = {};
    for (const { audience, expirationSeconds } of object?.spec.tokenRequests ?? []) {
      const subject = { namespace, serviceAccount, podName: name, podUID: uid };
      tokens[audience] = await this.#options.getToken({ ...subject, audience, expirationSeconds });
    }
    if (Object.keys(tokens).length > 0) {
      context["csi.storage.k8s.io/serviceAccount.tokens"] = JSON.stringify(tokens);
    }
    return context;
  }

  async #own(
    target: string,
    desired: DesiredVolume,
    driver: CsiDriver,
    object: CSIDriver | undefined,
  ) {
    const { fsGroup, fsGroupChangePolicy } = desired.pod.spec.securityContext ?? {};
    if (fsGroup === undefined || driver.capabilities.has("VOLUME_MOUNT_GROUP")) return;
    const policy = object?.spec.fsGroupPolicy ?? "ReadWriteOnceWithFSType";
    const single = desired.accessModes.some((mode) => mode.startsWith("ReadWriteOnce"));
    const applies =
      policy === "File" ||
      (policy === "ReadWriteOnceWithFSType" &&
        desired.fsType !== "" &&
        single &&
        !desired.readOnly);
    if (!applies) return;
    const onRootMismatch = fsGroupChangePolicy === "OnRootMismatch";
    await ensureVolumeOwnership(target, { fsGroup, readOnly: desired.readOnly, onRootMismatch });
  }

  /** Names of attached volumes that pods have on disk, by pod, left by an earlier kubelet. */
  async attachedOnDisk(): Promise<Map<string, readonly string[]>> {
    const { pods } = this.#options.directories;
    const attached = new Map<string, readonly string[]>();
    for (const uid of await readdir(pods).catch(() => [])) {
      const base = join(pods, uid, "volumes", pluginDirectory);
      const names: string[] = [];
      for (const name of await readdir(base).catch(() => [])) {
        const data = await loadData(join(base, name));
        if (data?.attachmentID)
          names.push(csiVolumeName({ driver: data.driverName, handle: data.volumeHandle }));
      }
      if (names.length > 0) attached.set(uid, names);
    }
    return attached;
  }

  /** Unpublishes all volumes of a pod. */
  async tearDown(podUID: string): Promise<void> {
    const pod = this.#options.directories.pod(podUID);
    for (const block of [false, true]) {
      const base = join(pod, block ? "volumeDevices" : "volumes", pluginDirectory);
      for (const specName of await readdir(base).catch(() => [])) {
        const { directory, target } = this.#places({ specName, block }, podUID);
        const data = await loadData(directory);
        if (data === undefined) continue;
        const driver = this.#options.drivers.get(data.driverName);
        const request = { volumeId: data.volumeHandle, targetPath: target };
        await driver.node.NodeUnpublishVolume(request, { timeoutMs: requestMs });
        await rm(block ? join(base, specName) : directory, { recursive: true, force: true });
        await rm(target, { recursive: true, force: true });
        await this.#unstage(driver, { ...data, block }, podUID);
      }
    }
  }

  /** Unstages a volume that no other pod of this node uses. */
  async #unstage(
    driver: CsiDriver,
    data: VolumeData & { block: boolean },
    podUID: string,
  ): Promise<void> {
    if (data.volumeLifecycleMode === "Ephemeral" || (await this.#usedElsewhere(data, podUID)))
      return;
    const { driverName, volumeHandle, specVolID, block } = data;
    const volume = { driver: driverName, handle: volumeHandle, specName: specVolID, block };
    const { base, path } = this.#stagingPlaces(volume);
    if (driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) {
      const request = { volumeId: volumeHandle, stagingTargetPath: path };
      await driver.node.NodeUnstageVolume(request, { timeoutMs: requestMs });
      log.v(2, "unstaged CSI volume", { volume: volumeHandle });
    }
    await rm(path, { recursive: true, force: true });
    await rm(base, { recursive: true, force: true });
  }

  /** Whether another pod has the volume on disk. */
  async #usedElsewhere(
    { driverName, volumeHandle, specVolID, block }: VolumeData & { block: boolean },
    podUID: string,
  ): Promise<boolean> {
    const { pods } = this.#options.directories;
    if (block) {
      const published = await readdir(join(this.#deviceDirectory(), "publish", specVolID)).catch(
        () => [],
      );
      return published.some((uid) => uid !== podUID);
    }
    for (const uid of await readdir(pods)) {
      if (uid === podUID) continue;
      const base = join(pods, uid, "volumes", pluginDirectory);
      for (const name of await readdir(base).catch(() => [])) {
        const data = await loadData(join(base, name));
        if (data?.driverName === driverName && data.volumeHandle === volumeHandle) return true;
      }
    }
    return false;
  }
}

/** The path for a pod's containers: a link to the device that the driver has published. */
async function linkDevice(link: string, target: string): Promise<void> {
  await mkdir(dirname(link), { recursive: true, mode: 0o750 });
  await rm(link, { force: true });
  await symlink(target, link);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
