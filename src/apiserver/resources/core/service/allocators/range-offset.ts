/** How large the first part of a range is, which is left to requests for a certain value. */
interface BandLimits {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** For addresses. Upstream: pkg/registry/core/service/ipallocator/bitmap.go. */
export const addressBand: BandLimits = { min: 16, max: 256, step: 16 };

/** For ports. Upstream: pkg/registry/core/service/portallocator/allocator.go. */
export const portBand: BandLimits = { min: 16, max: 128, step: 32 };

/** Where the part of a range begins from which values are taken first when a request names none. */
export function rangeOffset(size: number, { min, max, step }: BandLimits): number {
  if (size <= min) return 0;
  return Math.min(Math.max(Math.floor(size / step), min), max);
}
