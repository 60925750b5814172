import type { EndpointSlice } from "#/api/discovery/v1.ts";
import type { StepSink } from "#/client/journey/recorder.ts";
import { newlyReady, type ReadyEndpoint } from "#/machinery/journey/ready-endpoints.ts";
import type { Clock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";

/**
 * Limit of reports about Pods of other nodes (per second, after a burst): every node's proxy writes rules for every
 * endpoint.
 */
const othersPerSecond = 20;
const othersBurst = 200;

const serviceLabel = "kubernetes.io/service-name";

interface Waiting extends ReadyEndpoint {
  readonly family: string;
  readonly service: string;
  readonly fromMs: number;
}

/** Reports when this node has rules for a Pod that has become ready: the last step of its journey. */
export class ProxySteps {
  readonly #sink: StepSink;
  readonly #nodeName: string;
  readonly #others: TokenBucket;
  #waiting: Waiting[] = [];
  #isStarted = false;

  constructor(sink: StepSink, nodeName: string, clock: Clock) {
    this.#sink = sink;
    this.#nodeName = nodeName;
    this.#others = new TokenBucket({ qps: othersPerSecond, burst: othersBurst, clock });
  }

  /** From now on changes are reported: the objects that the proxy finds at its start are not new. */
  start(): void {
    this.#isStarted = true;
  }

  /** A slice is new or has changed. */
  changed(before: EndpointSlice | undefined, now: EndpointSlice): void {
    if (!this.#isStarted || !this.#sink.isOn) return;
    const fromMs = this.#sink.now();
    const service = now.metadata.labels?.[serviceLabel] ?? "";
    for (const endpoint of newlyReady(before, now)) {
      if (endpoint.nodeName !== this.#nodeName && !this.#others.tryTake()) continue;
      this.#waiting.push({ ...endpoint, family: now.addressType, service, fromMs });
    }
  }

  /** The rules of a family are written. */
  written(family: string): void {
    if (this.#waiting.length === 0) return;
    const toMs = this.#sink.now();
    const done = this.#waiting.filter((one) => one.family === family);
    this.#waiting = this.#waiting.filter((one) => one.family !== family);
    for (const { of, service, fromMs } of done) {
      const facts = { node: this.#nodeName, service };
      this.#sink.add({ of, layer: "service", name: "proxy rules", fromMs, toMs, facts });
    }
  }
}
