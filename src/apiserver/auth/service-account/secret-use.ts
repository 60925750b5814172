import type { Secret } from "#/api/core/v1.ts";
import { logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import type { Handler } from "../../model/exchange.ts";
import { loopback } from "../base/loopback.ts";

const log = logger("legacy-token");
const lastUsedLabel = "kubernetes.io/legacy-token-last-used";
const dayMs = 24 * 60 * 60 * 1000;

/** Labels Secrets with the date of the last use of their token. Upstream: pkg/serviceaccount/legacy.go. */
export class SecretUse {
  /** Client for the server's own requests; nothing is labelled before it is set. */
  handler: Handler | undefined;
  readonly #clock: Clock;
  /** Labels in progress, so that a burst of requests causes one write. */
  readonly #pending = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({ metadata }: Secret): void {
    const { name = "", namespace = "", uid = "", labels } = metadata;
    const now = this.#clock.now();
    const today = dayOf(now);
    const last = labels?.[lastUsedLabel];
    if (!this.handler || last === today || last === dayOf(now + dayMs)) return;
    const url = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    if (this.#pending.has(url)) return;
    this.#pending.add(url);
    const patch = { metadata: { name, namespace, uid, labels: { [lastUsedLabel]: today } } };
    loopback(this.handler, "PATCH", url, patch)
      .catch((error) => log.error(error, "Failed to label legacy service account token", { url }))
      .finally(() => this.#pending.delete(url));
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
