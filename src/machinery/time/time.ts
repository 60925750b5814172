import { parseTime as parseTimestamp, rfc3339, rfc3339Micro } from "../codec/shape/go-time.ts";

/**
 * Converts times on the wire (metav1.Time in seconds, metav1.MicroTime in microseconds) from and to
 * milliseconds since 1970, the unit of Clock.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/time.go, micro_time.go.
 */

/** A metav1.Time; the fraction of a second is truncated. */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / 1000);
  if (second !== last.second) {
    last = { second, text: `${new Date(second * 1000).toISOString().slice(0, -5)}Z` };
  }
  return last.text;
}

/** The last result: mostly the current second. */
let last = { second: 0, text: "1970-01-01T00:00:00Z" };

/** A metav1.MicroTime. */
export function formatMicroTime(ms: number): string {
  const micros = Math.floor((ms - Math.floor(ms)) * 1000);
  const text = new Date(Math.floor(ms)).toISOString();
  return `${text.slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

/** Milliseconds of a metav1.Time. Throws TimeError with Go's message. */
export function parseTime(text: string): number {
  const { seconds, nanos } = parseTimestamp(text, rfc3339);
  return seconds * 1000 + nanos / 1e6;
}

/** Milliseconds of a metav1.MicroTime. Throws TimeError with Go's message. */
export function parseMicroTime(text: string): number {
  const { seconds, nanos } = parseTimestamp(text, rfc3339Micro);
  return seconds * 1000 + nanos / 1e6;
}
