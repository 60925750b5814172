/** The Prometheus text exposition format, version 0.0.4. */

/** The media type of the format. */
export const metricsContentType = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** The two comment lines before the samples of a metric. */
export function metricHeader(name: string, type: string, help: string): string {
  const escaped = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

/** One sample. `labels` is the text of labelPairs(), or empty. */
export function metricSample(name: string, labels: string, value: number): string {
  return `${name}${labels === "" ? "" : `{${labels}}`} ${formatSample(value)}\n`;
}

/** `a="x",b="y"`, in the order given. */
export function labelPairs(labels: readonly (readonly [string, string])[]): string {
  return labels.map(([name, value]) => `${name}="${escapeLabel(value)}"`).join(",");
}

/** A number as Go's strconv formats it with 'g', as Prometheus' own clients do. */
export function formatSample(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  if (size === Number.POSITIVE_INFINITY) return value > 0 ? "+Inf" : "-Inf";
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return String(value);
  // The exponent has a sign and at least two digits.
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
