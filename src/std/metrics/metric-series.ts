import { formatSample, metricSample } from "./metrics-text.ts";

/** A number that only grows. */
export class Counter {
  #value = 0;

  inc(by = 1): void {
    this.#value += by;
  }

  /** Resets to zero. */
  restart(): void {
    this.#value = 0;
  }

  samples(name: string, labels: string): string {
    return metricSample(name, labels, this.#value);
  }
}

/** A number that goes up and down, or is computed at each scrape. */
export class Gauge {
  #value: number | (() => number) = 0;

  set(value: number): void {
    this.#value = value;
  }

  inc(by = 1): void {
    this.#value = this.#current() + by;
  }

  dec(by = 1): void {
    this.inc(-by);
  }

  restart(): void {
    // Nothing to reset: it is a current state.
  }

  /** Sets the function that computes the value. */
  setFunction(read: () => number): void {
    this.#value = read;
  }

  samples(name: string, labels: string): string {
    return metricSample(name, labels, this.#current());
  }

  #current(): number {
    return typeof this.#value === "function" ? this.#value() : this.#value;
  }
}

/** Counts of values below each bound, with their sum and number. */
export class Histogram {
  readonly #bounds: Bounds;
  /** Counts per bucket, not cumulative; the last is for values above every bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#counts = Array<number>(bounds.labels.length).fill(0);
  }

  observe(value: number): void {
    const { values } = this.#bounds;
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (values[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sum += value;
  }

  /** Resets all counts. */
  restart(): void {
    this.#counts.fill(0);
    this.#sum = 0;
  }

  samples(name: string, labels: string): string {
    const before = labels === "" ? "" : `${labels},`;
    let text = "";
    let count = 0;
    for (const [index, label] of this.#bounds.labels.entries()) {
      count += this.#counts[index] ?? 0;
      text += metricSample(`${name}_bucket`, before + label, count);
    }
    text += metricSample(`${name}_sum`, labels, this.#sum);
    return text + metricSample(`${name}_count`, labels, count);
  }
}

/** The values of a metric for one combination of label values. */
export type Series = Counter | Gauge | Histogram;

/** The bounds of a histogram, with the label of each and of +Inf: shared by all its series. */
interface Bounds {
  readonly values: readonly number[];
  readonly labels: readonly string[];
}

export function boundsOf(values: readonly number[]): Bounds {
  const labels = [...values, Number.POSITIVE_INFINITY].map(
    (bound) => `le="${formatSample(bound)}"`,
  );
  return { values, labels };
}
