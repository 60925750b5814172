/** Upstream: pkg/volume/csi/{csi_mounter,csi_attacher,csi_block}.go (TearDown, UnmountDevice). */
import { readdir, rm, rmdir } from "node:fs/promises";
import { csiVolumeName } from "#/machinery/volumes/csi-volume.ts";
import type { KeyedLock } from "#/std/async/keyed-lock.ts";
import { logger } from "#/std/log/log.ts";
import type { Mounter } from "#/std/mounts/mounter.ts";
import type { Directories } from "../state/directories.ts";
import { callMs } from "./call-limits.ts";
import type { CsiDriver, CsiDrivers } from "./csi-drivers.ts";
import { loadData, removeData, type VolumeData } from "./volume-data.ts";
import type { VolumePlaces } from "./volume-places.ts";

interface PublishedVolumesOptions {
  readonly drivers: Pick<CsiDrivers, "get">;
  readonly directories: Directories;
  readonly places: VolumePlaces;
  readonly mounter: Pick<Mounter, "below">;
  /** Locks by csiVolumeName(): a volume is not staged or published while it is unstaged. */
  readonly locks: KeyedLock;
}

type PublishedVolume = VolumeData & { readonly block: boolean };

const log = logger("csi");

/** The volumes that are published on this node: by this kubelet or an earlier one, as their data files say. */
export class PublishedVolumes {
  readonly #options: PublishedVolumesOptions;

  constructor(options: PublishedVolumesOptions) {
    this.#options = options;
  }

  /** Names of attached volumes by Pod UID. */
  async attached(): Promise<Map<string, readonly string[]>> {
    const attached = new Map<string, readonly string[]>();
    for (const uid of await entries(this.#options.directories.pods)) {
      const volumes = await this.#ofPod(uid);
      const names = volumes.filter(({ attachmentID }) => attachmentID).map(nameOf);
      if (names.length > 0) attached.set(uid, names);
    }
    return attached;
  }

  /** Unpublishes all volumes of a Pod, and unstages those that no other Pod uses. */
  async tearDown(podUID: string): Promise<void> {
    const { locks } = this.#options;
    for (const volume of await this.#ofPod(podUID)) {
      await locks.run(nameOf(volume), () => this.#tearDown(volume, podUID));
    }
  }

  /** The data file is removed last: until then a failed step is repeated, by a later kubelet as well. */
  async #tearDown(volume: PublishedVolume, podUID: string): Promise<void> {
    const { drivers, places } = this.#options;
    const { driverName, volumeHandle, specVolID: specName, block } = volume;
    const driver = drivers.get(driverName);
    const { directory, target } = places.published({ specName, block }, podUID);
    const request = { volumeId: volumeHandle, targetPath: target };
    await driver.node.NodeUnpublishVolume(request, { timeoutMs: callMs });
    await this.#removePlace(target, block);
    await this.#unstage(driver, volume, podUID);
    if (block) return rm(places.deviceLink(specName, podUID), { force: true });
    await removeData(directory);
    await rm(directory, { recursive: true, force: true });
  }

  async #unstage(driver: CsiDriver, volume: PublishedVolume, podUID: string): Promise<void> {
    if (volume.volumeLifecycleMode === "Ephemeral") return;
    if (await this.isUsedElsewhere(volume, podUID)) return;
    const { driverName, volumeHandle, specVolID, block } = volume;
    const staged = { driver: driverName, handle: volumeHandle, specName: specVolID, block };
    const { base, path } = this.#options.places.staged(staged);
    if (driver.capabilities.has("STAGE_UNSTAGE_VOLUME")) {
      const request = { volumeId: volumeHandle, stagingTargetPath: path };
      await driver.node.NodeUnstageVolume(request, { timeoutMs: callMs });
      log.v(2, "unstaged CSI volume", { volume: volumeHandle });
    }
    await this.#removePlace(path, block);
    await removeData(base);
    await rm(base, { recursive: true, force: true });
  }

  /** Removes the place of a volume. Throws if something is still mounted there, and keeps files that a Pod wrote. */
  async #removePlace(path: string, block: boolean): Promise<void> {
    const mounted = await this.#options.mounter.below(path);
    if (mounted.length > 0) throw new Error(`${mounted.join(", ")} is still mounted`);
    if (block) return rm(path, { recursive: true, force: true });
    await rmdir(path).catch(orMissing);
  }

  /** Whether another Pod has the volume on disk. */
  async isUsedElsewhere(volume: PublishedVolume, podUID: string): Promise<boolean> {
    const { directories, places } = this.#options;
    if (volume.block) {
      const uids = await entries(places.publishedDevices(volume.specVolID));
      return uids.some((uid) => uid !== podUID);
    }
    for (const uid of await entries(directories.pods)) {
      if (uid === podUID) continue;
      if ((await this.#ofPod(uid)).some((one) => nameOf(one) === nameOf(volume))) return true;
    }
    return false;
  }

  /** The volumes of a Pod on disk. */
  async #ofPod(podUID: string): Promise<readonly PublishedVolume[]> {
    const { places } = this.#options;
    const found: PublishedVolume[] = [];
    for (const block of [false, true]) {
      for (const specName of await entries(places.ofPod(podUID, block))) {
        const data = await loadData(places.published({ specName, block }, podUID).directory);
        if (data) found.push({ ...data, block });
      }
    }
    return found;
  }
}

function nameOf({ driverName, volumeHandle }: VolumeData): string {
  return csiVolumeName({ driver: driverName, handle: volumeHandle });
}

/** The names in a directory; none if it doesn't exist. */
async function entries(directory: string): Promise<readonly string[]> {
  return (await readdir(directory).catch(orMissing)) ?? [];
}

function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
