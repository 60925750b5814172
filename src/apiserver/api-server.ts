import { type Clock, systemClock } from "#/std/clock.ts";
import { logger } from "#/std/log.ts";
import type { Storage } from "#/storage/storage.ts";
import type { Admission } from "./admission/admission.ts";
import type { Authenticator } from "./auth/authenticator.ts";
import type { Authorizer } from "./auth/authorizer.ts";
import { authenticate } from "./http/authenticate.ts";
import { authorize } from "./http/authorize.ts";
import { answerErrors } from "./http/errors.ts";
import { chain, type Exchange, type Handler, type Reply, textReply } from "./http/exchange.ts";
import { standardHeaders } from "./http/standard-headers.ts";
import { Catalog } from "./registry/catalog.ts";
import { Feed } from "./registry/feed.ts";
import { openResource } from "./registry/open-resource.ts";
import type { Store } from "./registry/store.ts";
import type { Declaration } from "./registry/strategy.ts";
import { dispatch } from "./verbs/dispatch.ts";
import { encodeResult } from "./verbs/encode-result.ts";
import { JsonWriter } from "./verbs/object-writer.ts";
import type { VerbServices } from "./verbs/write-request.ts";

export interface ApiServerOptions {
  readonly storage: Storage;
  readonly resources: readonly Declaration[];
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly enabled: (feature: string) => boolean;
  readonly clock?: Clock;
}

/** The API server without a network in front of it: a handler, and the resources behind it. */
export class ApiServer implements AsyncDisposable {
  readonly catalog = new Catalog();
  readonly handler: Handler;
  readonly #services: VerbServices;
  readonly #stop = new AbortController();
  readonly #fed: Promise<void>;

  private constructor(options: ApiServerOptions, clock: Clock, fed: Promise<void>) {
    this.#fed = fed;
    this.#services = {
      clock,
      admission: options.admission,
      authorizer: options.authorizer,
      enabled: options.enabled,
      store: (group, name) => this.store(group, name),
    };
    const filters = [
      standardHeaders(),
      answerErrors(logger("apiserver")),
      authenticate(options.authenticators),
      authorize(options.authorizer),
    ];
    this.handler = chain(filters, (exchange) => this.#serve(exchange));
  }

  /** Opens the resources and follows the store. Rejects if the store can't be read. */
  static async start(options: ApiServerOptions): Promise<ApiServer> {
    const clock = options.clock ?? systemClock;
    const feed = new Feed(options.storage, clock);
    const stop = new AbortController();
    const { promise: started, resolve: onStarted } = Promise.withResolvers<void>();
    const fed = feed.run(stop.signal, onStarted);
    await Promise.race([started, fed]);
    const server = new ApiServer(options, clock, fed);
    server.#stop.signal.addEventListener("abort", () => stop.abort(), { once: true });
    const services = { storage: options.storage, feed, clock };
    const opened = options.resources.map((declaration) => openResource(declaration, services));
    for (const resource of await Promise.all(opened)) server.catalog.add(resource);
    return server;
  }

  /** The objects of a resource. */
  store(group: string, name: string): Store {
    const resource = this.catalog.findResource(group, name);
    if (!resource) throw new Error(`${name}.${group} is not served`);
    return resource.store;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#fed;
  }

  async #serve(exchange: Exchange): Promise<Reply> {
    if (!exchange.info.isResourceRequest) return textReply(404, "404 page not found\n");
    const { apiGroup, apiVersion, resource } = exchange.info;
    const target = this.catalog.find(apiGroup, apiVersion, resource);
    const result = target && dispatch(this.catalog, this.#services, exchange);
    if (!result) return textReply(404, "404 page not found\n");
    return encodeResult(await result, new JsonWriter(target, false), target);
  }
}
