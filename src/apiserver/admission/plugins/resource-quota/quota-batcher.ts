import { type ResourceQuota, resourceQuotas } from "#/api/core/v1.ts";
import { internalError, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { deepCopy } from "#/machinery/objects/deep-copy.ts";
import { formatResourceList, type ResourceList } from "#/machinery/values/resource-list.ts";
import type { Attributes } from "../../../registry/admission.ts";
import type { Decoded } from "../../../registry/strategy.ts";
import { systemContext } from "../../../registry/system-context.ts";
import { viewDeclaration } from "../../../registry/view.ts";
import { trackManagers } from "../../../verbs/field-managers.ts";
import type { PluginServices } from "../../base/admission-plugin.ts";
import { listObjects } from "../../base/find-object.ts";
import { forbid } from "../../base/forbid.ts";
import {
  type Charge,
  chargeQuotas,
  type OpenQuota,
  openQuota,
  QuotaRefusal,
} from "./quota-charge.ts";

type Subject = Pick<Attributes, "resource" | "name" | "object" | "namespace" | "dryRun">;

/** A waiting request. */
interface Waiter {
  readonly subject: Subject;
  readonly charge: Charge;
  readonly settled: PromiseWithResolvers<void>;
}

/** Limit of retries of a quota write after a conflict (count). */
const retries = 3;
/** Limit of the wait of a request (ms). */
const timeoutMs = 10_000;
const manager = "kube-apiserver";

/**
 * Charges requests to the quotas of their namespace in batches, so that no request is checked against usage that
 * another is about to change: requests that arrive while a batch is written form the next one.
 */
export class QuotaBatcher {
  readonly #services: PluginServices;
  /** Waiting requests by namespace; an entry means that a batch of it is in progress. */
  readonly #waiting = new Map<string, Waiter[]>();

  constructor(services: PluginServices) {
    this.#services = services;
  }

  /** Resolves once the request is charged; rejects if it exceeds a quota. */
  async charge(subject: Subject, charge: Charge): Promise<void> {
    const waiter: Waiter = { subject, charge, settled: Promise.withResolvers() };
    const queue = this.#waiting.get(subject.namespace);
    if (queue) queue.push(waiter);
    else {
      this.#waiting.set(subject.namespace, [waiter]);
      void this.#work(subject.namespace);
    }
    using timer = this.#services.clock.setTimer(timeoutMs, () =>
      waiter.settled.reject(internalError(new Error("resource quota evaluation timed out"))),
    );
    await waiter.settled.promise;
    timer.cancel();
  }

  async #work(namespace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(namespace) ?? [];
      if (batch.length === 0) {
        this.#waiting.delete(namespace);
        return;
      }
      this.#waiting.set(namespace, []);
      try {
        await this.#settle(namespace, batch);
      } catch (error) {
        for (const { settled } of batch) settled.reject(error);
      }
    }
  }

  async #settle(namespace: string, batch: readonly Waiter[]): Promise<void> {
    let waiters = batch;
    let names: ReadonlySet<string> | undefined;
    for (let attempt = 0; waiters.length > 0; attempt++) {
      const quotas = await this.#quotas(namespace, names);
      const { charged, after } = chargeAll(quotas, waiters);
      const outcomes = await Promise.all(
        after.flatMap(({ quota, used }, index) =>
          used === quotas[index]?.used ? [] : [this.#write(quota, used)],
        ),
      );
      const failed = outcomes.filter((outcome) => outcome !== undefined);
      if (failed.length === 0) {
        for (const { settled } of charged) settled.resolve();
        return;
      }
      if (attempt === retries) throw failed.at(-1)?.error;
      names = new Set(failed.map(({ name }) => name));
      waiters = charged;
    }
  }

  /** The current quotas; only those with the given names, if any. */
  async #quotas(
    namespace: string,
    names: ReadonlySet<string> | undefined,
  ): Promise<readonly OpenQuota[]> {
    if (names) await this.#services.registry.store(resourceQuotas).freshen();
    return [...listObjects(this.#services.registry, resourceQuotas, namespace)]
      .filter(({ metadata }) => !names || names.has(metadata.name ?? ""))
      .map(openQuota);
  }

  /** Writes the usage of a quota; returns the error, if any. */
  async #write(
    quota: Decoded<ResourceQuota>,
    used: ResourceList,
  ): Promise<{ name: string; error: unknown } | undefined> {
    const { registry, enabled } = this.#services;
    const { namespace = "", name = "" } = quota.metadata;
    const target = registry.resource(resourceQuotas);
    const { declaration, store } = target.resource;
    const view = declaration.status === true ? {} : (declaration.status ?? {});
    const context = systemContext(registry, enabled, namespace);
    const next = deepCopy(quota);
    next.status = { ...next.status, used: formatResourceList(used) };
    trackManagers(target, quota, next, { manager, subresource: "status", now: context.now });
    try {
      await store.update(
        {
          name,
          hooks: viewDeclaration(declaration, view),
          transform: () => next,
          validateCreate: () => undefined,
          validateUpdate: () => undefined,
        },
        { ...context, subresource: "status" },
      );
      return undefined;
    } catch (error) {
      return { name, error };
    }
  }
}

/** Charges requests in order; those that are refused, or need no write, are settled at once. */
function chargeAll(
  quotas: readonly OpenQuota[],
  waiters: readonly Waiter[],
): { readonly charged: readonly Waiter[]; readonly after: readonly OpenQuota[] } {
  let after = quotas;
  const charged: Waiter[] = [];
  for (const waiter of waiters) {
    const { subject, charge, settled } = waiter;
    try {
      const used = chargeQuotas(after, charge);
      if (subject.dryRun || used.every((list) => list === undefined)) settled.resolve();
      else {
        after = after.map((open, index) => ({ ...open, used: used[index] ?? open.used }));
        charged.push(waiter);
      }
    } catch (error) {
      settled.reject(refusal(subject, error));
    }
  }
  return { charged, after };
}

function refusal(subject: Subject, error: unknown): unknown {
  if (!(error instanceof QuotaRefusal)) return error;
  return error.plain ? statusWithoutReason(error.message) : forbid(subject, error.message);
}
