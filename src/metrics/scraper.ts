/** Upstream: sigs.k8s.io/metrics-server, pkg/scraper/scraper.go, pkg/server/server.go. */
import type { Node } from "#/api/core/v1.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import { limitConcurrency } from "#/std/async/limit-concurrency.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Span, Tracer } from "#/std/trace/tracer.ts";
import { type KubeletPlace, kubeletLocation } from "./kubelet-location.ts";
import { emptyHistory, type History, nextHistory } from "./usage/history.ts";
import type { ScrapeMetrics } from "./usage/metrics.ts";
import type { NodePoints } from "./usage/point.ts";
import { readPoints } from "./usage/read-points.ts";

interface ScraperOptions {
  /** The nodes of the cluster now. */
  readonly nodes: () => readonly Node[];
  readonly selector: Selector;
  readonly place: KubeletPlace;
  readonly resolutionMs: number;
  readonly timeoutMs: number;
  readonly read: (url: URL, signal: AbortSignal) => Promise<string>;
  readonly metrics: ScrapeMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** Records a span for each round, and in it one for each kubelet; default none. */
  readonly tracer?: Tracer | undefined;
}

/** Limit of kubelets that are read at once (count), so that their answers do not fill the memory. */
const maxReadings = 50;
/** Interval (ms) after the first reading of a node, so that its usage is soon known. */
const firstIntervalMs = 5_000;
/** Share of the interval of readings after which one counts as late. */
const lateShare = 1.5;

/** Reads the kubelets at intervals, and has their short history. */
export class Scraper {
  readonly #options: ScraperOptions;
  #history = emptyHistory;
  #startMs: number | undefined;
  #wake: (() => void) | undefined;

  constructor(options: ScraperOptions) {
    this.#options = options;
  }

  get history(): History {
    return this.#history;
  }

  /** Whether there is usage. A cluster without Pods has that of its nodes only. */
  get isReady(): boolean {
    return this.#history.nodes.values().some(({ previous }) => previous !== undefined);
  }

  /** Whether the current reading takes far longer than it should. */
  get isLate(): boolean {
    const { clock, resolutionMs } = this.#options;
    if (this.#startMs === undefined) return false;
    return clock.monotonicMs() - this.#startMs > lateShare * resolutionMs;
  }

  /** Reads soon, as there is a new node. */
  hurry(): void {
    this.#wake?.();
  }

  /** Reads until the signal aborts; calls back after each reading. */
  async run(onRead: () => void, signal: AbortSignal): Promise<void> {
    const { clock, metrics, tracer } = this.#options;
    while (!signal.aborted) {
      const startMs = clock.monotonicMs();
      this.#startMs = startMs;
      const span = tracer?.start(undefined, () => ({ name: "read kubelets" }));
      const readings = await this.#readAll(span, signal);
      span?.set({ "k8ts.nodes_read": readings.size });
      span?.end();
      this.#history = nextHistory(this.#history, readings, this.#options.resolutionMs);
      const tookMs = clock.monotonicMs() - startMs;
      metrics.tick.observe(tookMs / 1000);
      metrics.stored(this.#history);
      onRead();
      await this.#pause(this.#intervalMs() - tookMs, signal);
    }
  }

  /** Shorter while a node that has been read once has no usage yet. */
  #intervalMs(): number {
    const { resolutionMs } = this.#options;
    const isNew = [...this.#history.nodes.values()].some(({ previous }) => !previous);
    return isNew ? Math.min(firstIntervalMs, resolutionMs) : resolutionMs;
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#wake = () => stop.abort();
    const either = AbortSignal.any([signal, stop.signal]);
    await this.#options.clock.sleep(Math.max(ms, 0), either).catch(() => undefined);
    this.#wake = undefined;
  }

  async #readAll(round: Span | undefined, signal: AbortSignal): Promise<Map<string, NodePoints>> {
    const { nodes, selector } = this.#options;
    const chosen = nodes().filter(({ metadata }) => selector.matches(metadata.labels));
    const limited = limitConcurrency(maxReadings);
    const found = await Promise.all(
      chosen.map(async (node) => {
        const points = await limited(() => this.#read(node, round, signal));
        return points ? [[node.metadata.name ?? "", points] as const] : [];
      }),
    );
    return new Map(found.flat());
  }

  /** The points of a node; undefined if it does not answer. */
  async #read(
    node: Node,
    round: Span | undefined,
    signal: AbortSignal,
  ): Promise<NodePoints | undefined> {
    const { clock, timeoutMs, metrics, place, log } = this.#options;
    const { name = "" } = node.metadata;
    const timeout = new AbortController();
    const span = round?.child("read kubelet", { "k8s.node.name": name }, "client");
    using _timer = clock.setTimer(timeoutMs, () => timeout.abort());
    const startMs = clock.monotonicMs();
    const requestMs = clock.now();
    try {
      const url = kubeletLocation(node, place);
      const text = await this.#options.read(url, AbortSignal.any([signal, timeout.signal]));
      const points = readPoints(text, requestMs);
      metrics.requests.with({ success: "true" }).inc();
      return points;
    } catch (error) {
      if (signal.aborted) return undefined;
      span?.fail(timeout.signal.aborted ? "no answer in time" : String(error));
      metrics.requests.with({ success: "false" }).inc();
      if (!isReady(node)) log.v(4, "failed to read a node that is not ready", { node: name });
      else if (timeout.signal.aborted) log.info("failed to read node in time", { node: name });
      else log.error(error, "failed to read node", { node: name });
      return undefined;
    } finally {
      span?.end();
      metrics.duration.with({ node: name }).observe((clock.monotonicMs() - startMs) / 1000);
      metrics.lastRequest.with({ node: name }).set(Math.trunc(clock.now() / 1000));
    }
  }
}

const isReady = ({ status }: Node): boolean =>
  (status?.conditions ?? []).some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  );
