import { apiServices } from "#/api/apiregistration/v1.ts";
import type { Resource } from "#/api/base/resource.ts";
import { services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import type { Client } from "#/client/client.ts";
import { ignoreNotFound } from "#/machinery/meta/status-error.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Logger } from "#/std/log/log.ts";
import type { Clock } from "#/std/time/clock.ts";
import {
  apiServiceName,
  isOwn,
  namespace,
  planRegistration,
  type Registration,
  type ServingPlace,
  serviceName,
} from "./registration.ts";

interface PublisherOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** The place as it is now. */
  readonly place: () => ServingPlace;
}

/** Interval (ms) of checks of the registration: users may remove a metrics server of their own. */
const checkMs = 30_000;
/** Delay (ms) of another attempt after a failure. */
const retryMs = 1_000;

/** Keeps the API registered, unless another server is. */
export class Publisher {
  readonly #options: PublisherOptions;
  #wake: (() => void) | undefined;
  #isYielding = false;

  constructor(options: PublisherOptions) {
    this.#options = options;
  }

  /** Publishes soon, as the place has changed. */
  hurry(): void {
    this.#wake?.();
  }

  /** Publishes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    while (!signal.aborted) {
      let delayMs = checkMs;
      try {
        await this.#publish();
      } catch (error) {
        if (signal.aborted) return;
        log.warning("failed to register the metrics API", { error: String(error) });
        delayMs = retryMs;
      }
      await this.#pause(delayMs, signal);
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    this.#wake = () => stop.abort();
    const either = AbortSignal.any([signal, stop.signal]);
    await this.#options.clock.sleep(ms, either).catch(() => undefined);
    this.#wake = undefined;
  }

  async #publish(): Promise<void> {
    const { client, log, place } = this.#options;
    const plan = planRegistration(place());
    const [service, apiService] = await Promise.all([
      find(client, services, plan.service.metadata),
      find(client, apiServices, plan.apiService.metadata),
    ]);
    const yields = !isOwn(service, apiService);
    if (yields && !this.#isYielding) {
      log.info("left the metrics API to the server that is registered for it");
    }
    this.#isYielding = yields;
    if (yields) return await remove(client, endpointSlices, plan.slice.metadata);
    await ensure(client, services, plan.service, service, ["ports"]);
    const slice = await find(client, endpointSlices, plan.slice.metadata);
    await ensure(client, endpointSlices, plan.slice, slice, []);
    await ensure(
      client,
      apiServices,
      plan.apiService,
      apiService,
      Object.keys(plan.apiService.spec),
    );
  }
}

/** Removes the registration, unless it is another server's. */
export async function withdraw(client: Client): Promise<void> {
  const place = { address: "0.0.0.0", port: 0, isReady: false, authority: "" };
  const plan: Registration = planRegistration(place);
  const [service, apiService] = await Promise.all([
    find(client, services, { namespace, name: serviceName }),
    find(client, apiServices, { name: apiServiceName }),
  ]);
  await remove(client, endpointSlices, plan.slice.metadata);
  if (!isOwn(service, apiService)) return;
  await remove(client, apiServices, plan.apiService.metadata);
  await remove(client, services, plan.service.metadata);
}

const find = async <T>(
  client: Client,
  resource: Resource<T>,
  { namespace: where, name = "" }: ObjectMeta,
): Promise<T | undefined> =>
  await client.get(resource, { namespace: where, name }).catch(ignoreNotFound);

async function remove(
  client: Client,
  resource: Resource,
  { namespace: where, name = "" }: ObjectMeta,
): Promise<void> {
  await client.delete(resource, { namespace: where, name }).catch(ignoreNotFound);
}

interface Kept {
  readonly metadata: ObjectMeta;
  readonly spec?: object;
}

/** Creates an object, or updates the fields that it determines: its own, or those of its spec. */
async function ensure<T extends Kept>(
  client: Client,
  resource: Resource<T>,
  wanted: T,
  found: T | undefined,
  specFields: readonly string[],
): Promise<void> {
  if (!found) {
    await client.create(resource, wanted);
    return;
  }
  const spec = {
    ...found.spec,
    ...Object.fromEntries(
      Object.entries(wanted.spec ?? {}).filter(([name]) => specFields.includes(name)),
    ),
  };
  const labels = { ...found.metadata.labels, ...wanted.metadata.labels };
  const next: T = {
    ...found,
    ...(wanted.spec ? {} : wanted),
    metadata: { ...found.metadata, labels },
    ...(wanted.spec ? { spec } : {}),
  };
  if (!deepEqual(found, next)) await client.update(resource, next);
}
