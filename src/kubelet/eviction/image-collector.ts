/** Upstream: pkg/kubelet/images/image_gc_manager.go. */
import type { Pod } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Cri } from "../cri/runtime-service.ts";
import { parseImageName } from "../images/image-name.ts";
import { readFilesystem } from "../node/machine-facts.ts";
import type { NodeEvents } from "../node/node-events.ts";
import type { PodAccess } from "../state/pod-access.ts";
import {
  bytesToFree,
  type ImagePolicy,
  type ImageRecord,
  removableImages,
} from "./image-collection.ts";
import { sandboxImages } from "./sandbox-images.ts";

interface ImageCollectorOptions {
  readonly cri: Cri;
  readonly clock: Clock;
  readonly pods: Pick<PodAccess, "allObserved" | "pods">;
  readonly policy: ImagePolicy;
  /** Directory of images, if the runtime doesn't report it. */
  readonly rootDirectory: string;
  readonly events: Pick<NodeEvents, "record">;
}

const log = logger("image-collector");

interface Removal {
  /** Gets the errors of images that could not be removed. */
  readonly failures: unknown[];
  /** Bytes to free; default all. */
  readonly bytes?: number;
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Removes unused images when the disk is nearly full. */
export class ImageCollector {
  readonly #options: ImageCollectorOptions;
  readonly #records = new Map<string, ImageRecord>();
  /** Images of the first time are old: they were pulled before this kubelet started. */
  #hasDetected = false;

  constructor(options: ImageCollectorOptions) {
    this.#options = options;
  }

  /** Records which images exist and which are in use. */
  async detect(): Promise<readonly ImageRecord[]> {
    const { cri, clock, pods } = this.#options;
    const nowMs = clock.now();
    const { images } = await cri.images.ListImages({});
    const used = new Set([
      ...pods.pods().flatMap(imageVolumeNames),
      ...(await this.#sandboxImage()),
      ...pods
        .allObserved()
        .flatMap(({ containers }) =>
          containers.flatMap(({ imageId, imageRef }) => [imageId, imageRef]),
        ),
    ]);
    const present = new Set<string>();
    for (const { id, size, pinned, repoDigests, repoTags } of images) {
      present.add(id);
      const held = this.#records.get(id);
      const inUse = [id, ...repoDigests, ...repoTags].some((name) => used.has(name));
      this.#records.set(id, {
        id,
        sizeBytes: size,
        pinned,
        inUse,
        firstSeenMs: held?.firstSeenMs ?? (this.#hasDetected ? nowMs : 0),
        lastUsedMs: inUse ? nowMs : (held?.lastUsedMs ?? 0),
      });
    }
    this.#hasDetected = true;
    for (const id of this.#records.keys()) if (!present.has(id)) this.#records.delete(id);
    return [...this.#records.values()];
  }

  /**
   * The image of every Pod's sandbox, from the runtime's own configuration. Newer runtimes pin it; older ones,
   * such as containerd 1.6, would have to pull it again, and k8ts's own is in no registry.
   */
  async #sandboxImage(): Promise<readonly string[]> {
    const { info } = await this.#options.cri.runtime.Status({ verbose: true });
    return sandboxImages(info["config"]);
  }

  /** Frees the disk space that the thresholds require; throws if it can't free enough. */
  async collect(): Promise<void> {
    const { clock, policy, events } = this.#options;
    const nowMs = clock.now();
    const images = removableImages(await this.detect(), policy, nowMs);
    const expired = images.filter(
      ({ lastUsedMs, firstSeenMs }) =>
        policy.maxAgeMs > 0 && nowMs - Math.max(lastUsedMs, firstSeenMs) > policy.maxAgeMs,
    );
    const failures: unknown[] = [];
    await this.#remove(expired, { failures });
    const filesystem = readFilesystem(await this.#imageDirectory());
    if (filesystem.capacityBytes === 0) {
      events.record("Warning", "InvalidDiskCapacity", "invalid capacity 0 on image filesystem");
      throw new Error("invalid capacity 0 on image filesystem");
    }
    const { bytes, usedPercent } = bytesToFree(filesystem, policy);
    const left = images.filter((image) => !expired.includes(image));
    const freed = await this.#remove(left, { failures, bytes });
    throwFirst(failures);
    if (freed >= bytes) return;
    const message =
      `Insufficient free disk space on the node's image filesystem (${usedPercent}% of ${formatSize(filesystem.capacityBytes)} used). ` +
      `Failed to free sufficient space by deleting unused images (freed ${freed} bytes). ` +
      "Investigate disk usage, as it could be used by active images, logs, volumes, or other data.";
    events.record("Warning", "FreeDiskSpaceFailed", message);
    throw new Error(message);
  }

  /** Removes all unused images but those that were just pulled; returns the number of freed bytes. */
  async removeUnused(): Promise<number> {
    const { clock, policy } = this.#options;
    const nowMs = clock.now();
    const failures: unknown[] = [];
    const freed = await this.#remove(removableImages(await this.detect(), policy, nowMs), {
      failures,
    });
    throwFirst(failures);
    return freed;
  }

  /** Removes images until enough bytes are freed. One that can't be removed doesn't end the work. */
  async #remove(images: readonly ImageRecord[], work: Removal): Promise<number> {
    const { failures, bytes = Number.POSITIVE_INFINITY } = work;
    let freed = 0;
    for (const { id, sizeBytes } of images) {
      if (freed >= bytes) break;
      log.info("Removing image to free bytes", { imageID: id, size: sizeBytes });
      try {
        await this.#options.cri.images.RemoveImage({ image: { image: id } });
        this.#records.delete(id);
        freed += sizeBytes;
      } catch (error) {
        log.error(error, "failed to remove image", { imageID: id });
        failures.push(error);
      }
    }
    return freed;
  }

  async #imageDirectory(): Promise<string> {
    const info = await this.#options.cri.images.ImageFsInfo({});
    return info.imageFilesystems[0]?.fsId?.mountpoint || this.#options.rootDirectory;
  }
}

/** The full id, as the runtime lists it. */
function imageVolumeNames({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ image }) => {
    if (!image?.reference) return [];
    const { repository, tag, digest } = parseImageName(image.reference);
    return [`${repository}:${tag}`, `${repository}@${digest}`];
  });
}

function formatSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1024 && unit < units.length - 1) [size, unit] = [size / 1024, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures[0];
}
