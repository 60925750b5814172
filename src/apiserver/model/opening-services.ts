import type { Registry as Metrics } from "#/std/metrics/metrics.ts";
import type { Egress } from "../egress/egress.ts";

/** Dependencies for opening parts of the server besides flags: metrics and outgoing connections. */
export interface OpeningServices {
  /** Without it, metrics are not published. */
  readonly metrics?: Metrics;
  /** Without it, connections are direct. */
  readonly egress?: Egress;
}

/** As above, for parts that follow files. */
export interface FollowingServices extends OpeningServices {
  /** What follows a file while the server runs, until this is disposed of with the server. */
  readonly files: DisposableStack;
}
