import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { KeyedLock } from "#/std/async/keyed-lock.ts";
import { GrpcError } from "#/std/grpc/grpc.ts";
import type { RunProgram } from "#/std/process/run-program.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Backend, Mounting } from "./backend.ts";
import { fileSystems } from "./file-systems.ts";
import { ItemFolder } from "./item-folder.ts";
import {
  type BackendName,
  type Content,
  type ContentSource,
  type FsType,
  idOf,
  type SnapshotRecord,
  type VolumeRecord,
} from "./volume-record.ts";

interface PoolOptions {
  /** The folder of all volumes. */
  readonly root: string;
  readonly clock: Clock;
  readonly run: RunProgram;
  /** Back-ends that this machine has; the first makes new volumes. A volume keeps its own. */
  readonly backends: readonly Backend[];
  /** The file systems that this machine can make, the best one first. */
  readonly fsTypes: readonly FsType[];
  /** How many times the bytes of the disk are promised to volumes. */
  readonly overcommit: number;
}

interface NewVolume {
  readonly name: string;
  readonly capacityBytes: number;
  readonly isBlock: boolean;
  /** Undefined for the best one for its size. */
  readonly fsType: FsType | undefined;
  readonly source?: ContentSource | undefined;
}

/** How old (ms) the measured use of volumes may be: measuring reads each of them. */
const useAgeMs = 5_000;

/**
 * The volumes and snapshots of this node. Work on one item is done one after the other; a caller that gives up does not
 * interrupt it, so that a long copy ends even if its callers have a shorter deadline. Failures are GrpcErrors where the
 * caller can do something about them.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #volumes: ItemFolder<VolumeRecord>;
  readonly #snapshots: ItemFolder<SnapshotRecord>;
  readonly #locks = new KeyedLock();
  /** The sizes of volumes that are being made (bytes). */
  #pendingBytes = 0;
  #measured: { readonly atMs: number; readonly bytes: number } | undefined;

  private constructor(options: PoolOptions) {
    this.#options = options;
    this.#volumes = new ItemFolder(join(options.root, "volumes"));
    this.#snapshots = new ItemFolder(join(options.root, "snapshots"));
  }

  /** Opens the pool, and removes what an earlier process has left unfinished. */
  static async open(options: PoolOptions): Promise<Pool> {
    const pool = new Pool(options);
    for (const folder of [pool.#volumes, pool.#snapshots]) {
      await folder.open();
      await pool.#removeUnfinished(folder);
    }
    return pool;
  }

  get volumes(): readonly VolumeRecord[] {
    return this.#volumes.list();
  }

  get snapshots(): readonly SnapshotRecord[] {
    return this.#snapshots.list();
  }

  /** Whether a new volume of this sort cannot use more than its size. */
  get enforcesSizes(): boolean {
    return this.#newBackend(false).enforcesSizes;
  }

  findVolume(id: string): VolumeRecord | undefined {
    return this.#volumes.find(id);
  }

  getVolume(id: string): VolumeRecord {
    const found = this.#volumes.find(id);
    if (!found) throw new GrpcError("NOT_FOUND", `volume ${id} does not exist on this node`);
    return found;
  }

  getSnapshot(id: string): SnapshotRecord {
    const found = this.#snapshots.find(id);
    if (!found) throw new GrpcError("NOT_FOUND", `snapshot ${id} does not exist on this node`);
    return found;
  }

  enforcesSizeOf({ backend }: Content): boolean {
    return this.#backend(backend).enforcesSizes;
  }

  /** Makes a volume; one with this name is returned as it is, whatever its size. */
  createVolume(wanted: NewVolume): Promise<VolumeRecord> {
    const id = idOf(wanted.name);
    return this.#locks.run(`volume ${id}`, async () => {
      const found = this.#volumes.find(id);
      if (found) return found;
      const origin = wanted.source && this.#originOf(wanted.source, wanted);
      const backend = origin
        ? this.#backend(origin.content.backend)
        : this.#newBackend(wanted.isBlock);
      const record: VolumeRecord = {
        id,
        name: wanted.name,
        createdMs: this.#options.clock.now(),
        backend: backend.name,
        isBlock: wanted.isBlock,
        fsType: origin?.content.fsType ?? this.#chooseFsType(wanted),
        capacityBytes: wanted.capacityBytes,
        formattedBytes: origin?.content.formattedBytes ?? 0,
        ...(wanted.source && { source: wanted.source }),
      };
      await this.#reserving(record.capacityBytes, async () => {
        await this.#removeUnfinished(this.#volumes, id);
        const add = () =>
          this.#volumes.add(record, (content) => fill(backend, record, content, origin?.path));
        // The source is not formatted or made larger while it is copied.
        await (wanted.source?.volume
          ? this.#locks.run(`volume ${wanted.source.volume}`, add)
          : add());
      });
      return record;
    });
  }

  deleteVolume(id: string): Promise<void> {
    return this.#delete(this.#volumes, "volume", id, async ({ backend }) => {
      const mounts = await this.#backend(backend).mountsOf(this.#volumes.contentOf(id));
      if (mounts.length === 0) return;
      throw new GrpcError("FAILED_PRECONDITION", `volume ${id} is in use at ${mounts[0]}`);
    });
  }

  createSnapshot(name: string, volumeId: string): Promise<SnapshotRecord> {
    const id = idOf(name);
    return this.#locks.run(`snapshot ${id}`, async () => {
      const found = this.#snapshots.find(id);
      if (found) return found;
      return this.#locks.run(`volume ${volumeId}`, async () => {
        const { name: _name, source: _source, ...volume } = this.getVolume(volumeId);
        const createdMs = this.#options.clock.now();
        const record: SnapshotRecord = { ...volume, id, name, volumeId, createdMs };
        const backend = this.#backend(volume.backend);
        const from = this.#volumes.contentOf(volumeId);
        await this.#removeUnfinished(this.#snapshots, id);
        await this.#snapshots.add(record, (content) =>
          failing(backend.copy(from, content, record)),
        );
        return record;
      });
    });
  }

  deleteSnapshot(id: string): Promise<void> {
    return this.#delete(this.#snapshots, "snapshot", id, async () => undefined);
  }

  /** Mounts the file system of a volume. */
  mount(id: string, mounting: Mounting): Promise<void> {
    return this.#withVolume(id, async (volume, backend, path) => {
      const formattedBytes = await backend.mount(path, volume, mounting);
      if (formattedBytes !== volume.formattedBytes) {
        await this.#volumes.update({ ...volume, formattedBytes });
      }
    });
  }

  /** Attaches the device of a volume; returns its path. */
  attach(id: string): Promise<string> {
    return this.#withVolume(id, (_volume, backend, path) => backend.attach(path));
  }

  /** Detaches the device of a volume; does nothing if there is none, or no such volume. */
  async detach(id: string): Promise<void> {
    if (!this.#volumes.find(id)) return;
    await this.#withVolume(id, (_volume, backend, path) => backend.detach(path));
  }

  /** Makes a volume larger, with its file system if that is mounted at a path; returns its size. */
  expand(id: string, capacityBytes: number, mounted: string | undefined): Promise<number> {
    return this.#withVolume(id, async (found, backend, path) => {
      const volume = { ...found, capacityBytes: Math.max(found.capacityBytes, capacityBytes) };
      const more = volume.capacityBytes - found.capacityBytes;
      await this.#reserving(more, async () => {
        if (more > 0) await this.#volumes.update(volume);
        await failing(backend.resize(path, volume));
      });
      if (mounted === undefined || volume.formattedBytes === volume.capacityBytes) {
        return volume.capacityBytes;
      }
      const formattedBytes = await backend.growMounted(path, volume, mounted);
      await this.#volumes.update({ ...volume, formattedBytes });
      return volume.capacityBytes;
    });
  }

  /** The size of the largest volume that can be made (bytes). */
  async availableBytes(): Promise<number> {
    const { root, overcommit } = this.#options;
    const { bavail, bsize } = await statfs(root);
    const usedBytes = await this.#usedBytes();
    const promised = [...this.volumes, ...this.snapshots].reduce(
      (sum, { capacityBytes }) => sum + capacityBytes,
      this.#pendingBytes,
    );
    const bytes = overcommit * (bavail * bsize + usedBytes) - promised;
    // A disk that is full has no room for more, whatever was promised.
    return bavail === 0 ? 0 : Math.max(0, Math.floor(bytes));
  }

  async #usedBytes(): Promise<number> {
    const atMs = this.#options.clock.monotonicMs();
    if (this.#measured && atMs - this.#measured.atMs < useAgeMs) return this.#measured.bytes;
    const folders = [this.#volumes, this.#snapshots];
    const sizes = folders.flatMap((folder) =>
      folder.list().map(({ id, backend }) =>
        this.#backend(backend)
          .usedBytes(folder.contentOf(id))
          .catch(() => 0),
      ),
    );
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    this.#measured = { atMs, bytes };
    return bytes;
  }

  /** Does work for which bytes are promised; refuses it if fewer are available. */
  async #reserving(bytes: number, work: () => Promise<void>): Promise<void> {
    const available = await this.availableBytes();
    if (bytes > available) {
      throw new GrpcError(
        "RESOURCE_EXHAUSTED",
        `${bytes} bytes are requested, and ${roundedBytes(available)} are available on this node`,
      );
    }
    this.#pendingBytes += bytes;
    try {
      await work();
    } finally {
      this.#pendingBytes -= bytes;
    }
  }

  #originOf(source: ContentSource, { isBlock, capacityBytes }: NewVolume) {
    const content =
      source.snapshot === undefined
        ? this.getVolume(source.volume)
        : this.getSnapshot(source.snapshot);
    if (content.isBlock !== isBlock) {
      const kinds = ["a file system", "a block device"] as const;
      const [from, to] = isBlock ? kinds : kinds.toReversed();
      throw new GrpcError("INVALID_ARGUMENT", `the source is ${from} and cannot become ${to}`);
    }
    if (capacityBytes < content.capacityBytes) {
      throw new GrpcError(
        "OUT_OF_RANGE",
        `the source has ${content.capacityBytes} bytes, the volume would have ${capacityBytes}`,
      );
    }
    const folder = source.snapshot === undefined ? this.#volumes : this.#snapshots;
    return { content, path: folder.contentOf(content.id) };
  }

  #withVolume<T>(
    id: string,
    work: (volume: VolumeRecord, backend: Backend, path: string) => Promise<T>,
  ): Promise<T> {
    return this.#locks.run(`volume ${id}`, async () => {
      const volume = this.getVolume(id);
      return work(volume, this.#backend(volume.backend), this.#volumes.contentOf(id));
    });
  }

  #delete(
    folder: ItemFolder<VolumeRecord | SnapshotRecord>,
    kind: string,
    id: string,
    check: (record: Content) => Promise<void>,
  ): Promise<void> {
    return this.#locks.run(`${kind} ${id}`, async () => {
      const found = folder.find(id);
      if (found) {
        await check(found);
        await folder.remove(id);
      }
      await this.#removeUnfinished(folder, id);
      this.#measured = undefined;
    });
  }

  /** Removes folders of items that were not made or removed as a whole. */
  async #removeUnfinished(
    folder: { unfinished: ItemFolder<never>["unfinished"] },
    id?: string,
  ): Promise<void> {
    for (const { path, content } of await folder.unfinished(id)) {
      for (const backend of this.#options.backends) await backend.release(content);
      // Links that a Pod has made are not followed.
      await this.#options.run("rm", ["-rf", "--one-file-system", "--", path]);
    }
  }

  #chooseFsType({ fsType, isBlock, capacityBytes }: NewVolume): FsType {
    const { fsTypes } = this.#options;
    if (isBlock) return "ext4";
    if (fsType === undefined) {
      return fsTypes.find((one) => fileSystems[one].minBytes <= capacityBytes) ?? "ext4";
    }
    if (fsTypes.includes(fsType)) return fsType;
    throw new GrpcError("INVALID_ARGUMENT", `this node has no program that makes ${fsType}`);
  }

  /** New block devices may need another back-end than file systems. */
  #newBackend(isBlock: boolean): Backend {
    const found = this.#options.backends.find((one) => !isBlock || one.hasBlockDevices);
    if (found) return found;
    throw new GrpcError("INVALID_ARGUMENT", "this node has no loop devices, so no block devices");
  }

  #backend(name: BackendName): Backend {
    const found = this.#options.backends.find((one) => one.name === name);
    if (found) return found;
    throw new GrpcError("FAILED_PRECONDITION", `this node no longer has the back-end ${name}`);
  }
}

/** Makes the content of a volume, from another one if there is a path. */
async function fill(
  backend: Backend,
  record: VolumeRecord,
  content: string,
  from: string | undefined,
): Promise<void> {
  if (from === undefined) return failing(backend.create(content, record));
  await failing(backend.copy(from, content, record));
  await failing(backend.resize(content, record));
}

/** A full disk has a status of its own: another node may have room. */
async function failing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const { message } = error as Error;
    if (!/ENOSPC|No space left|Disk quota exceeded/.test(message)) throw error;
    throw new GrpcError("RESOURCE_EXHAUSTED", `the disk is full: ${message}`, { cause: error });
  }
}

/** Rounded down to 1/64 or less: events with one text are counted, and the room of a disk changes all the time. */
function roundedBytes(bytes: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, bytes))) - 6);
  return Math.floor(bytes / step) * step;
}
