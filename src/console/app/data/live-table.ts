import { signal } from "@preact/signals";
import { browserClock } from "../base/browser-clock.ts";
import { type ApiTable, type Column, type Row, rowsOf } from "../model/table.ts";
import type { ApiFailure } from "./api.ts";
import { type WatchEvent, watchResource } from "./watch.ts";

const accept =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

/** How much of a list is known. */
export type LiveState = "loading" | "live" | "lost" | "refused";

/** Rows that are few enough to be shown at each change (count); longer lists wait for several changes. */
const smallCount = 1000;
/** The wait of longer lists (ms): far shorter than anyone reads. */
const longListMs = 200;

/** The rows of a resource, followed while its page is shown. */
export class LiveTable {
  readonly columns = signal<readonly Column[]>([]);
  readonly rows = signal<readonly Row[]>([]);
  readonly state = signal<LiveState>("loading");
  readonly failure = signal<ApiFailure | undefined>(undefined);
  readonly #known = new Map<string, Row>();
  #isWaiting = false;

  constructor(path: string, query: Readonly<Record<string, string>>, signal: AbortSignal) {
    void watchResource<ApiTable, ApiTable>({
      path,
      query: { ...query, includeObject: "Metadata" },
      accept,
      signal,
      page: (list, isFirst, isLast) => {
        if (isFirst) this.#known.clear();
        if (list.columnDefinitions) this.columns.value = list.columnDefinitions;
        for (const row of rowsOf(list)) this.#known.set(row.id, row);
        this.#show();
        if (isLast) this.state.value = "live";
      },
      event: (event) => this.#apply(event),
      refused: (failure) => {
        this.failure.value = failure;
        this.state.value = "refused";
      },
      live: (isLive) => {
        this.state.value = isLive ? "live" : "lost";
      },
    });
  }

  #apply({ type, object }: WatchEvent<ApiTable>): void {
    if (object.columnDefinitions?.length) this.columns.value = object.columnDefinitions;
    for (const row of rowsOf(object)) {
      if (type === "DELETED") this.#known.delete(row.id);
      else this.#known.set(row.id, row);
    }
    this.#show();
  }

  /** Shows what is known, at most once a frame. */
  #show(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const publish = () => {
      this.#isWaiting = false;
      this.rows.value = [...this.#known.values()];
    };
    if (this.#known.size < smallCount) requestAnimationFrame(publish);
    else browserClock.after(longListMs, publish);
  }
}
