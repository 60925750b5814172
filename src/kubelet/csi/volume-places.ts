/** Upstream: pkg/volume/csi/csi_util.go, pkg/volume/csi/csi_block.go. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Directories } from "../state/directories.ts";
import type { DesiredVolume } from "./desired-volume.ts";

type StagedVolume = Pick<DesiredVolume, "driver" | "handle" | "specName" | "block">;

/** The name of this plugin's folder in a Pod's folders. */
const pluginDirectory = "kubernetes.io~csi";

/** Paths of CSI volumes; the same as upstream's. */
export class VolumePlaces {
  readonly #directories: Directories;

  constructor(directories: Directories) {
    this.#directories = directories;
  }

  /** Paths of a volume's data file and of its publication. */
  published({ specName, block }: Pick<DesiredVolume, "specName" | "block">, podUID: string) {
    const directory = this.#directories.volume(podUID, "kubernetes.io/csi", specName);
    if (!block) return { directory, target: join(directory, "mount") };
    return {
      directory: join(this.#devices, specName, "data"),
      target: join(this.publishedDevices(specName), podUID),
    };
  }

  /** Paths of the staged volume's data file and of the volume. */
  staged({ driver, handle, specName, block }: StagedVolume) {
    if (block) {
      const path = join(this.#devices, "staging", specName);
      return { base: join(this.#devices, specName, "data"), path };
    }
    const hash = createHash("sha256").update(handle).digest("hex");
    const base = join(this.#directories.plugins, "kubernetes.io/csi", driver, hash);
    return { base, path: join(base, "globalmount") };
  }

  /** The folder of a device's publications, one for each Pod UID. */
  publishedDevices(specName: string): string {
    return join(this.#devices, "publish", specName);
  }

  /** The folder of a Pod's volumes, or of its links to devices. */
  ofPod(podUID: string, block: boolean): string {
    const kind = block ? "volumeDevices" : "volumes";
    return join(this.#directories.pod(podUID), kind, pluginDirectory);
  }

  /** The path of a device for the containers of a Pod. */
  deviceLink(specName: string, podUID: string): string {
    return join(this.ofPod(podUID, true), specName);
  }

  get #devices(): string {
    return join(this.#directories.plugins, "kubernetes.io/csi/volumeDevices");
  }
}
