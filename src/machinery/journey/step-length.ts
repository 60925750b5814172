import { parseMicroTime } from "../time/time.ts";
import { duration } from "./format-duration.ts";

type Times = { readonly from: string; readonly to?: string };

/** Whether it ends before it begins: the clock of its reporter was set back meanwhile, and its length is not known. */
export const isSetBack = ({ from, to = from }: Times): boolean =>
  parseMicroTime(to) < parseMicroTime(from);

/** When it ended (ms since 1970): never before it began; its begin while it lasts. */
export const endMs = ({ from, to = from }: Times): number =>
  Math.max(parseMicroTime(from), parseMicroTime(to));

/** How long it took, as people read it. */
export function lengthText(times: Times): string {
  if (times.to === undefined) return "…";
  return isSetBack(times) ? "?" : duration(endMs(times) - parseMicroTime(times.from));
}

/** A time after the start of a journey, as people read it: before it, if the clock of its reporter differs. */
export const offsetText = (ms: number): string => (ms < 0 ? duration(ms) : `+${duration(ms)}`);
