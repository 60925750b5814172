import { signal } from "@preact/signals";
import { browserClock } from "../base/browser-clock.ts";
import type { ApiObject } from "../model/object.ts";
import type { ApiFailure } from "./api.ts";
import type { LiveState } from "./live-table.ts";
import { watchResource } from "./watch.ts";

interface ObjectList {
  readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly ApiObject[];
}

/** The wait before changes are shown (ms): several are shown together. */
const showMs = 60;

/** Whole objects of a resource, followed while their page is shown. */
export class LiveList {
  readonly items = signal<readonly ApiObject[]>([]);
  readonly state = signal<LiveState>("loading");
  readonly failure = signal<ApiFailure | undefined>(undefined);
  readonly #known = new Map<string, ApiObject>();
  #isWaiting = false;

  constructor(
    path: string,
    {
      query = {},
      signal,
    }: { readonly query?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ) {
    void watchResource<ObjectList, ApiObject>({
      path,
      query,
      signal,
      page: ({ items = [] }, isFirst, isLast) => {
        if (isFirst) this.#known.clear();
        for (const item of items) this.#known.set(keyOf(item), item);
        if (!isLast) return;
        this.#publish();
        this.state.value = "live";
      },
      event: ({ type, object }) => {
        if (type === "DELETED") this.#known.delete(keyOf(object));
        else this.#known.set(keyOf(object), object);
        this.#show();
      },
      refused: (failure) => {
        this.failure.value = failure;
        this.state.value = "refused";
      },
      live: (isLive) => {
        this.state.value = isLive ? "live" : "lost";
      },
    });
  }

  #show(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    browserClock.after(showMs, () => {
      this.#isWaiting = false;
      this.#publish();
    });
  }

  #publish(): void {
    this.items.value = [...this.#known.values()];
  }
}

const keyOf = ({ metadata: { uid, namespace = "", name } }: ApiObject): string =>
  uid ?? `${namespace}/${name}`;
