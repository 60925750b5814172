import type { AppSpan } from "#/machinery/journey/app-span.ts";

/** Limit of the spans of one Pod (count): the newest are kept. */
const maxSpans = 200;
/** Limit of all spans (characters of their JSON). */
const maxAll = 8 << 20;

interface PodSpans {
  readonly texts: string[];
  size: number;
}

/** The last spans of applications by the uid of their Pod, in memory, as JSON. */
export class SpanStore {
  /** The Pod that reported last is at the end. */
  readonly #byPod = new Map<string, PodSpans>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(podUid: string, spans: readonly AppSpan[]): void {
    const known = this.#byPod.get(podUid) ?? { texts: [], size: 0 };
    this.#byPod.delete(podUid);
    this.#byPod.set(podUid, known);
    for (const span of spans) {
      const text = JSON.stringify(span);
      known.texts.push(text);
      this.#resize(known, text.length);
      const dropped = known.texts.length > maxSpans ? known.texts.shift() : undefined;
      if (dropped !== undefined) this.#resize(known, -dropped.length);
    }
    for (const [oldest, { size }] of this.#byPod) {
      if (this.#size <= maxAll) break;
      this.#byPod.delete(oldest);
      this.#size -= size;
    }
  }

  /** The spans of a Pod, in the order of their starts. */
  find(podUid: string): readonly AppSpan[] {
    const { texts = [] } = this.#byPod.get(podUid) ?? {};
    const spans = texts.map((text) => JSON.parse(text) as AppSpan);
    return spans.sort((a, b) => (a.from < b.from ? -1 : 1));
  }

  #resize(spans: PodSpans, by: number): void {
    spans.size += by;
    this.#size += by;
  }
}
