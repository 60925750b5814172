const steps = [
  ["y", 365 * 86_400],
  ["d", 86_400],
  ["h", 3600],
  ["m", 60],
  ["s", 1],
] as const;

/** A duration as kubectl shows ages, in its largest unit: "5m", "3d". */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const step = steps.find(([, size]) => seconds >= size * 2) ?? (["s", 1] as const);
  return `${Math.floor(seconds / step[1])}${step[0]}`;
}
/** A short duration with its fraction: "0.4 ms", "12 ms", "3.4 s", "2 m 05 s". */
export function formatDuration(ms: number): string {
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 7200)
    return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, "0")} s`;
  return formatAge(ms);
}
