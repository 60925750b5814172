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
