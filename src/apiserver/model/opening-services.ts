import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Egress } from "../egress/egress.ts";

/** What parts of the server are opened with besides flags: where they count, and how they reach others. */
export interface OpeningServices {
  /** Nobody sees what is counted without. */
  readonly metrics?: Metrics;
  /** Others are reached directly without. */
  readonly egress?: Egress;
}
