import type { Output } from "../base/host.ts";
import type { Unstructured } from "../base/unstructured.ts";

/** Output of a printer: the stream, or a table buffer before it. */
export type Sink = Pick<Output, "write">;

/** An event of a watch, for --output-watch-events. */
export interface PrintedEvent {
  readonly type: string;
  readonly object: Unstructured;
}

/** Writes objects in one format. */
export interface Printer {
  print(object: Unstructured, out: Sink): void;
  /** An event of a watch; only with --output-watch-events. */
  printEvent?(event: PrintedEvent, out: Sink): void;
}
