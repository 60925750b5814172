/** Upstream: k8s.io/component-base/metrics and its Prometheus client. */
import { formatSample, labelPairs, metricHeader, metricSample } from "./metrics-text.ts";

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  /** Shown before the help, as upstream does; default none. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE" | "INTERNAL";
}

export interface LabelledOptions<Label extends string> extends MetricOptions {
  readonly labels: readonly Label[];
  /** At most so many combinations of values; default 5,000. */
  readonly maxSeries?: number;
}

export interface HistogramOptions {
  /** Upper bounds in ascending order, without +Inf. */
  readonly buckets: readonly number[];
}

/** Enough for every verb of every resource; more means that a label holds names of objects. */
const defaultMaxSeries = 5_000;

/** What a label says when there are too many combinations, as upstream says of unlisted values. */
const overflowValue = "unexpected";

/** A number that only grows. */
export class Counter {
  #value = 0;

  inc(by = 1): void {
    this.#value += by;
  }

  samples(name: string, labels: string): string {
    return metricSample(name, labels, this.#value);
  }
}

/** A number that goes up and down, or that is asked for at each scrape. */
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

  /** From now on the value is what this function returns. */
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

/** How often values fell below each of some bounds, with their sum and number. */
export class Histogram {
  readonly #bounds: readonly number[];
  /** How many fell into each bucket alone; the last is for what exceeds every bound. */
  readonly #counts: number[];
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let low = 0;
    let high = this.#bounds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (this.#bounds[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] ?? 0) + 1;
    this.#sum += value;
  }

  samples(name: string, labels: string): string {
    const before = labels === "" ? "" : `${labels},`;
    let text = "";
    let count = 0;
    for (const [index, own] of this.#counts.entries()) {
      count += own;
      const bound = formatSample(this.#bounds[index] ?? Number.POSITIVE_INFINITY);
      text += metricSample(`${name}_bucket`, `${before}le="${bound}"`, count);
    }
    text += metricSample(`${name}_sum`, labels, this.#sum);
    return text + metricSample(`${name}_count`, labels, count);
  }
}

type Series = Counter | Gauge | Histogram;

/** One series for each combination of label values. Keep what with() returns where it is hot. */
export class Labelled<Label extends string, Of extends Series> {
  readonly #labels: readonly Label[];
  readonly #maxSeries: number;
  readonly #create: () => Of;
  readonly #onOverflow: () => void;
  /** By the text of their labels, which is unique. */
  readonly #series = new Map<string, Of>();

  constructor(options: LabelledOptions<Label>, create: () => Of, onOverflow: () => void) {
    this.#labels = [...options.labels].sort();
    this.#maxSeries = options.maxSeries ?? defaultMaxSeries;
    this.#create = create;
    this.#onOverflow = onOverflow;
  }

  with(values: Readonly<Record<Label, string>>): Of {
    const key = labelPairs(this.#labels.map((label) => [label, values[label]]));
    const existing = this.#series.get(key);
    if (existing) return existing;
    if (this.#series.size < this.#maxSeries) return this.#add(key);
    this.#onOverflow();
    const overflow = labelPairs(this.#labels.map((label) => [label, overflowValue]));
    return this.#series.get(overflow) ?? this.#add(overflow);
  }

  /** Forgets one combination, e.g. of an object that is gone. */
  remove(values: Readonly<Record<Label, string>>): void {
    this.#series.delete(labelPairs(this.#labels.map((label) => [label, values[label]])));
  }

  /** Forgets all. */
  reset(): void {
    this.#series.clear();
  }

  samples(name: string): string {
    let text = "";
    for (const labels of [...this.#series.keys()].sort()) {
      text += this.#series.get(labels)?.samples(name, labels) ?? "";
    }
    return text;
  }

  #add(key: string): Of {
    const series = this.#create();
    this.#series.set(key, series);
    return series;
  }
}

interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly metric: { samples(name: string, labels: string): string };
}

/** The metrics of a component, for its /metrics. */
export class Registry {
  readonly #families = new Map<string, Family>();
  readonly #collectors: (() => void)[] = [];
  #overflows: Counter | undefined;

  counter(options: MetricOptions): Counter;
  counter<Label extends string>(options: LabelledOptions<Label>): Labelled<Label, Counter>;
  counter(options: MetricOptions | LabelledOptions<string>): Counter | Labelled<string, Counter> {
    return this.#register("counter", options, () => new Counter());
  }

  gauge(options: MetricOptions): Gauge;
  gauge<Label extends string>(options: LabelledOptions<Label>): Labelled<Label, Gauge>;
  gauge(options: MetricOptions | LabelledOptions<string>): Gauge | Labelled<string, Gauge> {
    return this.#register("gauge", options, () => new Gauge());
  }

  histogram(options: MetricOptions & HistogramOptions): Histogram;
  histogram<Label extends string>(
    options: LabelledOptions<Label> & HistogramOptions,
  ): Labelled<Label, Histogram>;
  histogram(
    options: (MetricOptions | LabelledOptions<string>) & HistogramOptions,
  ): Histogram | Labelled<string, Histogram> {
    return this.#register("histogram", options, () => new Histogram(options.buckets));
  }

  /** Calls a function before each scrape, to bring metrics up to date. */
  beforeExpose(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** The text of all metrics, one piece for each, so that a long one can be sent in pieces. */
  *expose(): Generator<string, void> {
    for (const collect of this.#collectors) collect();
    for (const name of [...this.#families.keys()].sort()) {
      const family = this.#families.get(name);
      const samples = family?.metric.samples(name, "") ?? "";
      if (family && samples !== "") yield metricHeader(name, family.type, family.help) + samples;
    }
  }

  #register<Of extends Series>(
    type: Family["type"],
    options: MetricOptions | LabelledOptions<string>,
    create: () => Of,
  ): Of | Labelled<string, Of> {
    const { name, help, stability } = options;
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`"${name}" is no metric name`);
    if (this.#families.has(name)) throw new Error(`metric ${name} is already registered`);
    const onOverflow = (): void => this.#countOverflow();
    const labelled = "labels" in options ? new Labelled(options, create, onOverflow) : undefined;
    const metric = labelled ?? create();
    this.#families.set(name, { type, help: stability ? `[${stability}] ${help}` : help, metric });
    return metric;
  }

  #countOverflow(): void {
    this.#overflows ??= this.counter({
      name: "cardinality_enforcement_unexpected_categorizations_total",
      help: "The count of unexpected categorizations during cardinality enforcement.",
      stability: "ALPHA",
    });
    this.#overflows.inc();
  }
}

/** Bounds that grow by a factor. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) * factor);
  return bounds;
}

/** Bounds at equal distance. */
export function linearBuckets(start: number, width: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) + width);
  return bounds;
}

/** Prometheus' default bounds, in seconds. */
export const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
