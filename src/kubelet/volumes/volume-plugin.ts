import type { Pod, Volume } from "#/api/core/v1.ts";

/** A volume that a pod's containers can use. */
export interface MountedVolume {
  /** Where it is on the node; empty for images, which the runtime mounts. */
  readonly path: string;
  /** Containers may only read it, whatever they ask for. */
  readonly readOnly: boolean;
  /** Its content follows API objects: it is set up again when they change. */
  readonly follows: boolean;
  /** Set for a device, which containers get as one; the path is its own, or a link to it. */
  readonly device?: boolean;
  /** The name of what is mounted in messages: the persistent volume's, or the volume's own. */
  readonly specName?: string;
  /** As a node's volumesInUse lists it; undefined for volumes that aren't attached. */
  readonly uniqueName?: string;
}

export interface VolumeRequest {
  readonly pod: Pod;
  readonly volume: Volume;
  readonly signal?: AbortSignal | undefined;
}

/** Makes volumes of some sources ready. Setting up one that is ready changes nothing. */
export interface VolumePlugin {
  /** Whether a volume is of this plugin's kind. */
  handles(volume: Volume): boolean;
  setUp(request: VolumeRequest): Promise<MountedVolume>;
}

/** A failure that isn't about mounting itself keeps its own words in the event. */
export class VolumeSetUpError extends Error {
  override readonly name = "VolumeSetUpError";
  /** The whole message of the event, where it isn't `MountVolume.SetUp failed for volume …`. */
  readonly eventMessage: string;

  constructor(eventMessage: string, options?: ErrorOptions) {
    super(eventMessage, options);
    this.eventMessage = eventMessage;
  }
}
