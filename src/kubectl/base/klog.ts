/** Upstream: k8s.io/klog/v2. */
import type { Host } from "./host.ts";

type Severity = "I" | "W" | "E" | "F";

/** Writes a line in klog's format; the place is upstream's file and line. */
export function klog(
  { err, clock }: Pick<Host, "err" | "clock">,
  severity: Severity,
  place: string,
  text: string,
): void {
  const date = new Date(clock.now());
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = two(date.getMonth() + 1) + two(date.getDate());
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  const micros = String(date.getMilliseconds() * 1000).padStart(6, "0");
  const pid = String(process.pid).padStart(7);
  err.write(`${severity}${day} ${time}.${micros} ${pid} ${place}] ${text}\n`);
}

/** Verbosity for a file of upstream: -v, or its entry in --vmodule. */
export function verbosity(
  { v, vmodule }: { readonly v: number; readonly vmodule: string },
  file: string,
): number {
  const own = vmodule.split(",").find((entry) => entry.startsWith(`${file}=`));
  return own === undefined ? v : Number(own.slice(file.length + 1));
}
