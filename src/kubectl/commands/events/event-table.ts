/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/events/event_printer.go. */
import type { Event } from "#/api/core/v1.ts";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { parseTime } from "#/machinery/time/time.ts";
import { isList, type Unstructured } from "../../base/unstructured.ts";
import { escapeTerminal } from "../../printers/escape-terminal.ts";
import type { Printer, Sink } from "../../printers/printer.ts";
import { TabWriter } from "../../printers/tab-writer.ts";

interface EventTableOptions {
  readonly noHeaders: boolean;
  readonly withNamespace: boolean;
  readonly now: () => number;
}

/** Prints events as a table that may grow. */
export class EventTable implements Printer {
  readonly #options: EventTableOptions;
  #hasHeaders: boolean;
  #writer: TabWriter | undefined;

  constructor(options: EventTableOptions) {
    this.#options = options;
    this.#hasHeaders = options.noHeaders;
  }

  print(object: Unstructured, out: Sink): void {
    // The same writer for all, so that columns keep their widths.
    this.#writer ??= new TabWriter((text) => out.write(text));
    if (!this.#hasHeaders) {
      const namespace = this.#options.withNamespace ? "NAMESPACE\t" : "";
      this.#writer.write(`${namespace}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n`);
      this.#hasHeaders = true;
    }
    const items = isList(object) ? object.items : [object];
    for (const item of items) this.#writer.write(this.#line(item as unknown as Event));
    this.#writer.flush();
  }

  #line(event: Event): string {
    const { type = "", reason = "", message = "", involvedObject = {}, metadata } = event;
    const { kind = "", name = "" } = involvedObject;
    const cells = [type, reason, `${kind}/${name}`, message.trim()].map(escapeTerminal);
    const namespace = this.#options.withNamespace ? [metadata?.namespace ?? ""] : [];
    return `${[...namespace, this.#lastSeen(event), ...cells].join("\t")}\n`;
  }

  #lastSeen({ eventTime, firstTimestamp, lastTimestamp, series, count = 0 }: Event): string {
    const first = this.#since(eventTime || firstTimestamp);
    if (series) {
      return `${this.#since(series.lastObservedTime)} (x${series.count ?? 0} over ${first})`;
    }
    return count > 1 ? `${this.#since(lastTimestamp)} (x${count} over ${first})` : first;
  }

  #since(time: string | null | undefined): string {
    return time ? humanDuration(this.#options.now() - parseTime(time)) : "<unknown>";
  }
}
