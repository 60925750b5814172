/** Limits of the size of the lower part of a range, which is kept for requests of a certain value. */
interface BandLimits {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** For addresses. Upstream: pkg/registry/core/service/ipallocator/bitmap.go. */
export const addressBand: BandLimits = { min: 16, max: 256, step: 16 };

/** For ports. Upstream: pkg/registry/core/service/portallocator/allocator.go. */
export const portBand: BandLimits = { min: 16, max: 128, step: 32 };

/** Offset of the upper part of a range, from which values are allocated first if a request names none. */
export function rangeOffset(size: number, { min, max, step }: BandLimits): number {
  if (size <= min) return 0;
  return Math.min(Math.max(Math.floor(size / step), min), max);
}
