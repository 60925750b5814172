import type { Output } from "../base/host.ts";
import type { Unstructured } from "../base/unstructured.ts";

/** Where a printer writes: the output, or a table on its way there. */
export type Sink = Pick<Output, "write">;

/** An event of a watch, where that is to be printed. */
export interface PrintedEvent {
  readonly type: string;
  readonly object: Unstructured;
}

/** Writes objects in one format. */
export interface Printer {
  print(object: Unstructured, out: Sink): void;
  /** An event of a watch; only where --output-watch-events asks for it. */
  printEvent?(event: PrintedEvent, out: Sink): void;
}
