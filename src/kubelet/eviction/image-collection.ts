/** Upstream: pkg/kubelet/images/image_gc_manager.go. */
import { parseDuration } from "#/std/go/duration.ts";
import type { KubeletConfiguration } from "../config/kubelet-configuration.ts";

/** The record of an image. */
export interface ImageRecord {
  readonly id: string;
  readonly sizeBytes: number;
  readonly firstSeenMs: number;
  /** When a container last used it; 0 if none did. */
  readonly lastUsedMs: number;
  /** Never removed. */
  readonly pinned: boolean;
  readonly inUse: boolean;
}

export interface ImagePolicy {
  readonly highPercent: number;
  readonly lowPercent: number;
  readonly minAgeMs: number;
  /**
   * Limit of the time that an image may be unused: after it the image is removed even if there is room; 0 for no limit.
   */
  readonly maxAgeMs: number;
}

/** The policy of the configuration. */
export function imagePolicy(config: KubeletConfiguration): ImagePolicy {
  return {
    highPercent: config.imageGCHighThresholdPercent,
    lowPercent: config.imageGCLowThresholdPercent,
    minAgeMs: parseDuration(config.imageMinimumGCAge),
    maxAgeMs: parseDuration(config.imageMaximumGCAge ?? "0s"),
  };
}

/** Images that may be removed, the least recently used first. */
export function removableImages(
  images: readonly ImageRecord[],
  { minAgeMs }: Pick<ImagePolicy, "minAgeMs">,
  nowMs: number,
): ImageRecord[] {
  return images
    .filter(
      ({ pinned, inUse, firstSeenMs }) => !pinned && !inUse && nowMs - firstSeenMs >= minAgeMs,
    )
    .sort((a, b) => a.lastUsedMs - b.lastUsedMs || a.firstSeenMs - b.firstSeenMs);
}

/** How many bytes have to be freed; 0 if there is enough room. */
export function bytesToFree(
  { capacityBytes, availableBytes }: { capacityBytes: number; availableBytes: number },
  { highPercent, lowPercent }: Pick<ImagePolicy, "highPercent" | "lowPercent">,
): { usedPercent: number; bytes: number } {
  const available = Math.min(availableBytes, capacityBytes);
  const usedPercent = 100 - Math.floor((available * 100) / capacityBytes);
  if (usedPercent < highPercent) return { usedPercent, bytes: 0 };
  const targetBytes = Math.floor((capacityBytes * (100 - lowPercent)) / 100);
  return { usedPercent, bytes: Math.max(targetBytes - available, 0) };
}
