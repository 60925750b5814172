/** Labels as a text, sorted: a=1,b=2. */
export function formatLabels(labels: Readonly<Record<string, string>> = {}): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(",");
}
