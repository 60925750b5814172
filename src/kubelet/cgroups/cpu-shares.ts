/** Upstream: pkg/kubelet/cm/helpers_linux.go. */

/** The kernel's minimum and maximum. */
export const minShares = 2;
const maxShares = 262_144;

/** Microseconds. */
export const quotaPeriod = 100_000;
const minQuota = 1_000;

/** CPU shares of cgroup v1 for a number of millicores. */
export function cpuShares(milliCpu: number): number {
  const shares = Math.floor((milliCpu * 1024) / 1000);
  return Math.min(Math.max(shares, minShares), maxShares);
}

/** CPU quota of millicores, in microseconds of a period; 0 for no limit. */
export function cpuQuota(milliCpu: number, periodUs = quotaPeriod): number {
  return milliCpu === 0 ? 0 : Math.max(Math.floor((milliCpu * periodUs) / 1000), minQuota);
}

/** The cgroup v2 weight for shares: a curve through both ends and the default. */
export function cpuWeight(shares: number): number {
  if (shares <= minShares) return 1;
  if (shares >= maxShares) return 10_000;
  const log = Math.log2(shares);
  return Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34));
}
