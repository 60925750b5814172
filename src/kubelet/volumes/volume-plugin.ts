import type { PersistentVolume, PersistentVolumeSpec, Pod, Volume } from "#/api/core/v1.ts";

/** A volume that a pod's containers can use. */
export interface MountedVolume {
  /** Its path on the node; empty for images, which the runtime mounts. */
  readonly path: string;
  /** Containers may only read it, even if their mount is writable. */
  readonly readOnly: boolean;
  /** Its content depends on API objects: it is set up again when they change. */
  readonly follows: boolean;
  /** True for a block device, which containers get as a device; the path is the device, or a link to it. */
  readonly device?: boolean;
  /** The name in messages: the persistent volume's, or the volume's own. */
  readonly specName?: string;
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly signal?: AbortSignal | undefined;
}

/** A PersistentVolume that a Pod uses through a claim. */
export interface PersistentRequest extends VolumeRequest {
  readonly persistentVolume: PersistentVolume;
  readonly readOnly: boolean;
}

/**
 * Volumes of one source. To add one, write `plugins/<source>.ts` and add a line to `plugins/index.ts`.
 *
 * Contract: setUp() and setUpPersistent() are idempotent; they are called again after a failure, after a restart of the
 * kubelet, and, if the result has `follows`, whenever the API objects of the volume change. All their files lie below
 * the Pod's directory (`Directories.volume()`), so that unmounting and removing that directory is enough; only a
 * volume that needs more than this has a tearDown(). An Error becomes the Event `MountVolume.SetUp failed for volume …`
 * and a retry with back-off; a VolumeSetUpError has the whole text of the Event. Calls for one Pod never overlap for the
 * same volume, but its volumes are set up at the same time.
 */
export interface VolumePlugin {
  /** The field that selects this plugin, in a Pod's volume and in the spec of a PersistentVolume: `nfs`. */
  readonly source: VolumeSource;
  /** Sets up a volume that a Pod declares. Undefined if Pods can't declare this source. */
  setUp?(request: VolumeRequest): Promise<MountedVolume>;
  /** Sets up a PersistentVolume of this source. Undefined if there are none. */
  setUpPersistent?(request: PersistentRequest): Promise<MountedVolume>;
  /** Takes down all volumes of a Pod, before mounts below its directory are removed. Also for Pods of an earlier kubelet. */
  tearDown?(podUID: string): Promise<void>;
  /** Names, as in a Node's volumesInUse, of the volumes that an earlier kubelet has left mounted, by Pod UID. */
  attachedOnDisk?(): Promise<ReadonlyMap<string, readonly string[]>>;
}

type VolumeSource = Exclude<keyof Volume, "name"> | keyof PersistentVolumeSpec;

/** The plugin of a Pod's volume; undefined if there is none. */
export function pluginOfVolume(
  plugins: readonly VolumePlugin[],
  volume: Volume,
): VolumePlugin | undefined {
  return plugins.find(({ source, setUp }) => setUp && volume[source as keyof Volume] !== undefined);
}

/** The plugin of a PersistentVolume; undefined if there is none. */
export function pluginOfPersistentVolume(
  plugins: readonly VolumePlugin[],
  { spec }: PersistentVolume,
): VolumePlugin | undefined {
  return plugins.find(
    ({ source, setUpPersistent }) =>
      setUpPersistent && spec[source as keyof PersistentVolumeSpec] !== undefined,
  );
}

/** A failure other than of the mount itself keeps its own message in the event. */
export class VolumeSetUpError extends Error {
  override readonly name = "VolumeSetUpError";
  /** The whole message of the event, where it isn't `MountVolume.SetUp failed for volume …`. */
  readonly eventMessage: string;
  /** Delay before the next try (ms), for a failure after a wait; undefined for the usual back-off. */
  readonly retryAfterMs: number | undefined;

  constructor(eventMessage: string, options?: ErrorOptions & { readonly retryAfterMs?: number }) {
    super(eventMessage, options);
    this.eventMessage = eventMessage;
    this.retryAfterMs = options?.retryAfterMs;
  }
}
