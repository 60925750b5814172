/** Upstream: pkg/kubelet/cm/helpers_linux.go. */

/** The least and the most the kernel takes. */
export const minShares = 2;
const maxShares = 262_144;

/** Microseconds. */
export const quotaPeriod = 100_000;
const minQuota = 1_000;

/** The relative weight of a number of thousandths of a processor, as cgroup v1 has it. */
export function cpuShares(milliCpu: number): number {
  const shares = Math.floor((milliCpu * 1024) / 1000);
  return Math.min(Math.max(shares, minShares), maxShares);
}

/** Thousandths of a processor in microseconds of a period; 0 for no limit. */
export function cpuQuota(milliCpu: number, periodUs = quotaPeriod): number {
  return milliCpu === 0 ? 0 : Math.max(Math.floor((milliCpu * periodUs) / 1000), minQuota);
}

/** The weight of cgroup v2 that stands for shares: a curve through both ends and the default. */
export function cpuWeight(shares: number): number {
  if (shares <= minShares) return 1;
  if (shares >= maxShares) return 10_000;
  const log = Math.log2(shares);
  return Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34));
}
