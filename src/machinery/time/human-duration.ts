/** Upstream: staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go. */

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Limit of clock skew (ms): a time further in the future has no age. */
const toleranceMs = -2 * secondMs;

/** A duration in two or three digits: 5m3s, 3h20m, 2d, 4y10d. */
export function humanDuration(ms: number): string {
  if (ms <= toleranceMs) return "<invalid>";
  if (ms < 2 * minuteMs) return `${Math.max(0, Math.floor(ms / secondMs))}s`;
  const minutes = Math.floor(ms / minuteMs);
  if (minutes < 10) return twoUnits(minutes, "m", Math.floor(ms / secondMs) % 60, "s");
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(ms / hourMs);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return twoUnits(days, "d", hours % 24, "h");
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(days / 365);
  return years < 8 ? twoUnits(years, "y", days % 365, "d") : `${years}y`;
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
