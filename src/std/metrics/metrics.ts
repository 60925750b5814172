/** Upstream: staging/src/k8s.io/component-base/metrics and its Prometheus client. */

import type { MetricRules } from "./metric-rules.ts";
import { boundsOf, Counter, Gauge, Histogram, type Series } from "./metric-series.ts";
import { labelPairs, metricHeader } from "./metrics-text.ts";

interface MetricOptions {
  readonly name: string;
  readonly help: string;
  /** Shown before the help, as upstream does; default none. */
  readonly stability?: "ALPHA" | "BETA" | "STABLE" | "INTERNAL";
  readonly labels?: never;
}

export interface LabelledOptions<Label extends string> extends Omit<MetricOptions, "labels"> {
  readonly labels: readonly Label[];
  /** Limit of combinations of label values; default 5,000. */
  readonly maxSeries?: number;
}

interface BucketOptions {
  /** Upper bounds in ascending order, without +Inf. */
  readonly buckets: readonly number[];
}

/** Enough for every verb of every resource; more means that a label has names of objects. */
const defaultMaxSeries = 5_000;

/** The label value of combinations over the limit, as upstream's for unlisted values. */
const overflowValue = "unexpected";

/** Approximate length of a chunk of the exposition: a few milliseconds of work each. */
const pieceLength = 64 * 1024;

/** One series for each combination of label values. Keep the result of with() in hot code. */
export class Labelled<Label extends string, Of extends Series> {
  readonly #labels: readonly Label[];
  readonly #maxSeries: number;
  readonly #create: () => Of;
  readonly #onOverflow: () => void;
  /** By label, the values that are exposed unchanged; absent if all are. */
  readonly #allowed: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** By label values, each with the text of its labels. */
  readonly #series = new Map<string, { readonly labels: string; readonly series: Of }>();

  constructor(
    options: LabelledOptions<Label>,
    create: () => Of,
    onOverflow: () => void,
    allowed?: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#allowed = allowed;
    this.#labels = [...options.labels].sort();
    this.#maxSeries = options.maxSeries ?? defaultMaxSeries;
    this.#create = create;
    this.#onOverflow = onOverflow;
  }

  with(given: Readonly<Record<Label, string>>): Of {
    const values = this.#allowed ? this.#constrained(given, this.#allowed) : given;
    const found = this.#series.get(this.#key(values));
    if (found) return found.series;
    if (this.#series.size < this.#maxSeries) return this.#add(values);
    this.#onOverflow();
    const overflow = Object.fromEntries(this.#labels.map((label) => [label, overflowValue]));
    const all = overflow as Readonly<Record<Label, string>>;
    return this.#series.get(this.#key(all))?.series ?? this.#add(all);
  }

  /** Removes one combination, e.g. of a deleted object. */
  remove(values: Readonly<Record<Label, string>>): void {
    this.#series.delete(this.#key(values));
  }

  /** Removes all. */
  reset(): void {
    this.#series.clear();
  }

  /** Resets all series. */
  restart(): void {
    for (const { series } of this.#series.values()) series.restart();
  }

  *samples(name: string): Generator<string, void> {
    for (const key of [...this.#series.keys()].sort()) {
      const found = this.#series.get(key);
      if (found) yield found.series.samples(name, found.labels);
    }
  }

  #constrained(
    given: Readonly<Record<Label, string>>,
    allowed: ReadonlyMap<string, ReadonlySet<string>>,
  ): Readonly<Record<Label, string>> {
    const values: Record<Label, string> = { ...given };
    for (const label of this.#labels) {
      if (allowed.get(label)?.has(values[label]) ?? true) continue;
      values[label] = overflowValue;
      this.#onOverflow();
    }
    return values;
  }

  #key(values: Readonly<Record<Label, string>>): string {
    let key = "";
    for (const label of this.#labels) key += `${values[label]}\0`;
    return key;
  }

  #add(values: Readonly<Record<Label, string>>): Of {
    const series = this.#create();
    const labels = labelPairs(this.#labels.map((label) => [label, values[label]]));
    this.#series.set(this.#key(values), { labels, series });
    return series;
  }
}

interface Family {
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: () => Iterable<string>;
  readonly restart: () => void;
}

/** The metrics of a component, for its /metrics. */
export class Registry {
  readonly #families = new Map<string, Family>();
  readonly #collectors: (() => void)[] = [];
  readonly #rules: MetricRules | undefined;
  #overflows: Counter | undefined;

  constructor(rules?: MetricRules) {
    this.#rules = rules;
  }

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

  histogram(options: MetricOptions & BucketOptions): Histogram;
  histogram<Label extends string>(
    options: LabelledOptions<Label> & BucketOptions,
  ): Labelled<Label, Histogram>;
  histogram(
    options: (MetricOptions | LabelledOptions<string>) & BucketOptions,
  ): Histogram | Labelled<string, Histogram> {
    const bounds = boundsOf(options.buckets);
    return this.#register("histogram", options, () => new Histogram(bounds));
  }

  /** Registers a function that updates metrics before each scrape. */
  beforeExpose(collect: () => void): void {
    this.#collectors.push(collect);
  }

  /** Resets all counters and histograms. Upstream also removes gauges until they are set again. */
  restart(): void {
    for (const collect of this.#collectors) collect();
    for (const family of this.#families.values()) family.restart();
  }

  /** The text of all metrics, in chunks, so that a long one does not block the event loop. */
  *expose(): Generator<string, void> {
    for (const collect of this.#collectors) collect();
    let piece = "";
    for (const name of [...this.#families.keys()].sort()) {
      const family = this.#families.get(name);
      let header = family ? metricHeader(name, family.type, family.help) : "";
      for (const samples of family?.samples() ?? []) {
        piece += header + samples;
        header = "";
        if (piece.length < pieceLength) continue;
        yield piece;
        piece = "";
      }
    }
    if (piece !== "") yield piece;
  }

  #register<Of extends Series>(
    type: Family["type"],
    options: MetricOptions | LabelledOptions<string>,
    create: () => Of,
  ): Of | Labelled<string, Of> {
    const { name, help, stability } = options;
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new Error(`"${name}" is no metric name`);
    if (this.#families.has(name)) throw new Error(`metric ${name} is already registered`);
    const family = { type, help: stability ? `[${stability}] ${help}` : help };
    const show = (shown: Family): void => {
      if (!this.#rules?.disabled.has(name)) this.#families.set(name, shown);
    };
    if (options.labels !== undefined) {
      const overflow = () => this.#countOverflow();
      const labelled = new Labelled(options, create, overflow, this.#allowedOf(name));
      const restart = () => labelled.restart();
      show({ ...family, samples: () => labelled.samples(name), restart });
      return labelled;
    }
    const series = create();
    const restart = () => series.restart();
    show({ ...family, samples: () => [series.samples(name, "")], restart });
    return series;
  }

  #allowedOf(metric: string): ReadonlyMap<string, ReadonlySet<string>> | undefined {
    const own = [...(this.#rules?.allowed ?? [])].filter(([key]) => key.startsWith(`${metric},`));
    if (own.length === 0) return undefined;
    return new Map(own.map(([key, values]) => [key.slice(metric.length + 1), values]));
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

/** Bounds with a constant factor. */
export function exponentialBuckets(start: number, factor: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) * factor);
  return bounds;
}

/** Bounds with a constant distance. */
export function linearBuckets(start: number, width: number, count: number): number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) + width);
  return bounds;
}

/** Prometheus' default bounds, in seconds. */
export const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
