/** Upstream: pkg/volume/csi/{csi_mounter,csi_attacher,csi_util}.go. */
import { mkdir, rm, stat, symlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Secret } from "#/api/core/v1.ts";
import { type CSIDriver, csiDrivers, volumeAttachments } from "#/api/storage/v1.ts";
import type { Client } from "#/client/client.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { attachmentName, csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import { KeyedLock } from "#/std/async/keyed-lock.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Directories } from "../state/directories.ts";
import type { NodeRecord } from "../state/node-record.ts";
import type { VolumesInUse } from "../state/volumes-in-use.ts";
import type { CsiVolumeService } from "../volumes/plugins/csi.ts";
import type { TokenSubject } from "../volumes/service-account-tokens.ts";
import { ensureVolumeOwnership } from "../volumes/volume-ownership.ts";
import {
  type MountedVolume,
  type PersistentRequest,
  type VolumeRequest,
  VolumeSetUpError,
} from "../volumes/volume-plugin.ts";
import { callMs } from "./call-limits.ts";
import type { CsiDriver, CsiDrivers } from "./csi-drivers.ts";
import { capability, type DesiredVolume, inlineVolume, persistent } from "./desired-volume.ts";
import { claimOf, type VolumeExpander } from "./expand-volumes.ts";
import { PublishedVolumes } from "./published-volumes.ts";
import { dataOf, saveData } from "./volume-data.ts";
import { VolumePlaces } from "./volume-places.ts";

interface CsiVolumesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly node: Pick<NodeRecord, "name" | "until">;
  readonly inUse: Pick<VolumesInUse, "add" | "untilReported">;
  readonly drivers: CsiDrivers;
  readonly directories: Directories;
  readonly mounter: Mounter;
  readonly expander: Pick<VolumeExpander, "add" | "remove">;
  getSecret(namespace: string, name: string): Promise<Secret>;
  getToken(subject: TokenSubject): Promise<{ token: string; expirationTimestamp: string }>;
}

/** Limit of the wait until a volume is attached (ms), as upstream's; then an Event says so and the wait begins again. */
const attachMs = 123_000;

/** A volume that is attached, if it needs to be. */
interface MountWork {
  readonly driver: CsiDriver;
  readonly object: CSIDriver | undefined;
  readonly desired: DesiredVolume;
  readonly attaches: boolean;
  readonly publishContext: Record<string, string>;
  /** Aborts when the Pod has to end: calls to the driver are cancelled. */
  readonly signal: AbortSignal | undefined;
}

/** Volumes of CSI drivers. */
export class CsiVolumes implements CsiVolumeService {
  readonly #options: CsiVolumesOptions;
  readonly #places: VolumePlaces;
  readonly #locks = new KeyedLock();
  readonly #published: PublishedVolumes;

  constructor(options: CsiVolumesOptions) {
    this.#options = options;
    this.#places = new VolumePlaces(options.directories);
    this.#published = new PublishedVolumes({
      ...options,
      places: this.#places,
      locks: this.#locks,
    });
  }

  /** A volume that a Pod has for itself. */
  setUpInline(request: VolumeRequest): Promise<MountedVolume> {
    return this.#setUp(inlineVolume(request.pod, request.volume), request);
  }

  async setUpPersistent(request: PersistentRequest): Promise<MountedVolume> {
    const { pod, persistentVolume, readOnly } = request;
    const desired = persistent(pod, persistentVolume, readOnly);
    const mounted = await this.#setUp(desired, request);
    const claim = claimOf(persistentVolume);
    if (claim) {
      const { target } = this.#places.published(desired, pod.metadata.uid ?? "");
      const stagingPath = this.#places.staged(desired).path;
      await this.#options.expander.add({ desired, claim, target, stagingPath });
    }
    return mounted;
  }

  /** Names of attached volumes that Pods have on disk, by Pod UID. */
  attachedOnDisk(): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#published.attached();
  }

  /** Unpublishes all volumes of a Pod. */
  tearDown(podUID: string): Promise<void> {
    this.#options.expander.remove(podUID);
    return this.#published.tearDown(podUID);
  }

  async #setUp(desired: DesiredVolume, request: VolumeRequest): Promise<MountedVolume> {
    const { drivers, mounter, inUse } = this.#options;
    const driver = drivers.get(desired.driver);
    const object = await this.#driverObject(desired.driver);
    const { signal } = request;
    const podUID = desired.pod.metadata.uid ?? "";
    const { target } = this.#places.published(desired, podUID);
    const attaches = !desired.ephemeral && object?.spec.attachRequired !== false;
    const uniqueName = csiVolumeName(desired);
    const link = this.#places.deviceLink(desired.specName, podUID);
    const mounted: MountedVolume = {
      path: desired.block ? link : target,
      ...(desired.block && { device: true }),
      readOnly: desired.readOnly,
      follows: object?.spec.requiresRepublish === true,
      specName: desired.specName,
    };
    if (attaches) inUse.add(podUID, uniqueName);
    const ready = desired.block ? await exists(mounted.path) : await mounter.isMountPoint(target);
    if (!mounted.follows && ready) return mounted;
    const publishContext = attaches ? await this.#attached(desired, uniqueName, request) : {};
    await this.#locks.run(
      uniqueName,
      () => this.#mount({ driver, object, desired, attaches, publishContext, signal }),
      signal,
    );
    return mounted;
  }

  /** Stages and publishes a volume. Its data file is written first: a step that fails can then be undone. */
  async #mount(work: MountWork): Promise<void> {
    const { driver, object, desired, attaches, publishContext, signal } = work;
    const podUID = desired.pod.metadata.uid ?? "";
    const { directory, target } = this.#places.published(desired, podUID);
    const { name } = this.#options.node;
    const { block } = desired;
    const isForOnePod = desired.accessModes.includes("ReadWriteOncePod");
    const volume = { ...dataOf(desired, name), block };
    if (isForOnePod && (await this.#published.isUsedElsewhere(volume, podUID))) {
      throw new Error(
        "volume uses the ReadWriteOncePod access mode and is already in use by another pod",
      );
    }
    await mkdir(directory, { recursive: true, mode: 0o750 });
    await mkdir(dirname(target), { recursive: true, mode: 0o750 });
    await saveData(directory, {
      ...dataOf(desired, name),
      attachmentID: attaches ? attachmentName(desired, name) : "",
    });
    if (desired.block) await linkDevice(this.#places.deviceLink(desired.specName, podUID), target);
    const stagingTargetPath = await this.#stage(work);
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
      { timeoutMs: callMs, signal },
    );
    if (!desired.block) await this.#own(target, desired, driver, object);
  }

  async #driverObject(name: string): Promise<CSIDriver | undefined> {
    try {
      return await this.#options.client.get(csiDrivers, { name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** The metadata of the attachment, once the volume is attached. */
  async #attached(
    desired: DesiredVolume,
    uniqueName: string,
    request: VolumeRequest,
  ): Promise<Record<string, string>> {
    await this.#untilAttached(uniqueName, request);
    const { client, node } = this.#options;
    const { handle, specName } = desired;
    const name = attachmentName(desired, node.name);
    const failed = (why: string) =>
      new VolumeSetUpError(`MountVolume.WaitForAttach failed for volume "${specName}" : ${why}`);
    const { status } = await client.get(volumeAttachments, { name }).catch((error) => {
      const { message } = error as Error;
      throw failed(`volume ${handle} has GET error for volume attachment ${name}: ${message}`);
    });
    if (status?.attached) return status.attachmentMetadata ?? {};
    throw failed(
      status?.attachError?.message ??
        `volume ${handle} is not attached for volume attachment ${name}`,
    );
  }

  /** Waits until the Node lists the volume, as used by this kubelet and as attached by the controller. */
  async #untilAttached(uniqueName: string, { volume, signal }: VolumeRequest): Promise<void> {
    const { inUse, node, clock } = this.#options;
    const late = new AbortController();
    using _timer = clock.setTimer(attachMs, () => late.abort(), { keepAlive: false });
    const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
    try {
      await inUse.untilReported(uniqueName, either);
      await node.until(
        ({ status }) => status?.volumesAttached?.some(({ name }) => name === uniqueName) ?? false,
        either,
      );
    } catch (error) {
      if (!late.signal.aborted || signal?.aborted) throw error;
      throw new VolumeSetUpError(
        `Unable to attach or mount volumes: unmounted volumes=[${volume.name}], unattached volumes=[${volume.name}], failed to process volumes=[]: context deadline exceeded`,
        { retryAfterMs: 0 },
      );
    }
  }

  /** Stages a volume if its driver supports that; returns the staging path, or "". */
  async #stage({ driver, desired, publishContext, signal }: MountWork): Promise<string> {
    if (desired.ephemeral || !driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) return "";
    const { base, path } = this.#places.staged(desired);
    await mkdir(base, { recursive: true, mode: 0o750 });
    // A directory that is mounted already may not respond.
    if (!(await this.#options.mounter.isMountPoint(path))) {
      await mkdir(path, { recursive: true, mode: 0o750 });
    }
    await saveData(base, dataOf(desired, this.#options.node.name));
    await driver.node.NodeStageVolume(
      {
        volumeId: desired.handle,
        publishContext,
        stagingTargetPath: path,
        volumeCapability: capability(desired, driver),
        secrets: await this.#secrets(desired.stageSecret),
        volumeContext: { ...desired.attributes },
      },
      { timeoutMs: callMs, signal },
    );
    return path;
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
