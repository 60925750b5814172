/** Upstream: staging/src/k8s.io/client-go/rest. */

import type { Resource } from "#/api/base/resource.ts";
import type { ListMeta } from "#/api/meta/v1.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isGone, StatusError } from "#/machinery/meta/status-error.ts";
import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import { TokenBucket } from "#/std/time/token-bucket.ts";
import { metaOf, refOf } from "./object-key.ts";
import {
  createRequest,
  deleteCollectionRequest,
  deleteRequest,
  type GetOptions,
  getRequest,
  type ListOptions,
  listRequest,
  type PatchOptions,
  patchRequest,
  type RemoveOptions,
  type RequestOptions,
  updateRequest,
  type WatchOptions,
  type WriteOptions,
  watchRequest,
} from "./requests.ts";
import type { ObjectRef } from "./resource-path.ts";
import {
  type RequestSubject,
  responseError,
  retryAfterSeconds,
} from "./transport/response-error.ts";
import type { ApiRequest, ApiResponse, Transport, WatchEvent } from "./transport/transport.ts";

/** Objects of one kind, and the resource version of the list. */
export interface ObjectList<T> {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

export interface ClientOptions {
  /** Also the default field manager of writes: its part before the slash. */
  readonly userAgent?: string;
  /** Limit of requests per second; default no limit. */
  readonly qps?: number;
  /** Limit of requests at once before qps applies; default twice qps. */
  readonly burst?: number;
  readonly clock?: Clock;
  /**
   * Whether get(), list() and watch() remove null fields from objects, as a Go program reads null
   * as absent. Default true. request() never changes a body.
   */
  readonly dropsNulls?: boolean;
  /** Called with the text of each Warning header. */
  readonly onWarning?: (text: string) => void;
  readonly metrics?: RequestMetrics;
}

/** Measures requests. */
export interface RequestMetrics {
  /** Called after each attempt; the status is undefined if there was no response. */
  tried(request: SentRequest, status: number | undefined, isRetry: boolean): void;
  /** Called after the last attempt. Watches are not timed. */
  timed(request: SentRequest, ms: number): void;
  /** Called when the client's own rate limit has let the request pass. */
  throttled(request: SentRequest, ms: number): void;
}

interface SentRequest {
  readonly method: string;
  readonly host: string;
}

/** Page size of listAll(); upstream's. */
const defaultPageSize = 500;
/** Limit of retries of a request to a busy server; upstream's. */
const maxRetries = 10;

/**
 * Reads and writes objects of every resource, built in or not. Failures are StatusErrors, or
 * ConnectionErrors if there was no response. A response with Retry-After (429, 5xx) is retried
 * after that time.
 */
export class Client {
  readonly transport: Transport;
  readonly options: ClientOptions;
  readonly #clock: Clock;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #bucket: TokenBucket | undefined;
  readonly #dropsNulls: boolean;

  constructor(transport: Transport, options: ClientOptions = {}) {
    const { userAgent, qps = 0, burst = Math.ceil(qps * 2), clock = systemClock } = options;
    this.transport = transport;
    this.#dropsNulls = (options.dropsNulls ?? true) && !transport.isWithoutNulls;
    this.#clock = clock;
    this.options = options;
    this.#headers = userAgent === undefined ? {} : { "user-agent": userAgent };
    this.#bucket = qps > 0 ? new TokenBucket({ qps, burst, clock }) : undefined;
  }

  get<T>(resource: Resource<T>, ref: ObjectRef, options?: GetOptions): Promise<T> {
    const request = getRequest(resource, ref, options);
    return this.#read(request, { resource, name: ref.name });
  }

  /**
   * One page, or all objects if there is no limit. Items have kind and apiVersion, as single
   * objects do.
   */
  async list<T>(resource: Resource<T>, options?: ListOptions): Promise<ObjectList<T>> {
    const list = await this.#read<ObjectList<T>>(listRequest(resource, options), { resource });
    return { ...list, items: (list.items ?? []).map((item) => named(item, resource)) };
  }

  /** All objects, read page by page; the list restarts at once if its pages expire. */
  async listAll<T>(resource: Resource<T>, options: ListOptions = {}): Promise<readonly T[]> {
    const limit = options.limit ?? defaultPageSize;
    const first = await this.list(resource, { ...options, limit });
    if (!first.metadata.continue) return first.items;
    const items = [...first.items];
    const { resourceVersion, resourceVersionMatch, ...same } = options;
    let token: string | undefined = first.metadata.continue;
    while (token) {
      try {
        const page: ObjectList<T> = await this.list(resource, { ...same, limit, continue: token });
        items.push(...page.items);
        token = page.metadata.continue;
      } catch (error) {
        if (!isGone(error)) throw error;
        return (await this.list(resource, { ...options, limit: undefined })).items;
      }
    }
    return items;
  }

  /** The events of one connection. Most callers need an informer instead. */
  async *watch<T>(resource: Resource<T>, options?: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    const request = this.#prepared(watchRequest(resource, options));
    await this.#throttle(request);
    const events = this.#counted(this.transport.watch(request)) as AsyncIterable<WatchEvent<T>>;
    if (!this.#dropsNulls) return yield* events;
    for await (const event of events) yield dropNulls(event);
  }

  create<T>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions & { readonly namespace?: string | undefined } = {},
  ): Promise<T> {
    const { name, namespace = options.namespace } = metaOf(object);
    const request = createRequest(resource, { namespace }, object, options);
    return this.#send(request, { resource, name });
  }

  update<T>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    const ref = refOf(object);
    return this.#send(updateRequest(resource, ref, object, options), { resource, name: ref.name });
  }

  patch<T>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options: PatchOptions,
  ): Promise<T> {
    const request = patchRequest(resource, ref, patch, options);
    return this.#send(request, { resource, name: ref.name });
  }

  /** Resolves with the object if it is removed later, with a Status if it is already removed. */
  delete(resource: Resource, ref: ObjectRef, options?: RemoveOptions): Promise<unknown> {
    return this.#send(deleteRequest(resource, ref, options), { resource, name: ref.name });
  }

  async deleteCollection(resource: Resource, options?: RemoveOptions & ListOptions): Promise<void> {
    await this.#send(deleteCollectionRequest(resource, options), { resource });
  }

  getSubresource<R>(
    resource: Resource,
    ref: ObjectRef,
    subresource: string,
    options?: GetOptions,
  ): Promise<R> {
    const request = getRequest(resource, ref, options, subresource);
    return this.#read(request, { resource, name: ref.name });
  }

  /** PUT of a part of an object: status, scale, approval. */
  updateSubresource<T, S = T>(
    resource: Resource,
    ref: ObjectRef,
    subresource: string,
    body: S,
    options?: WriteOptions,
  ): Promise<T> {
    const request = updateRequest(resource, ref, body, options, subresource);
    return this.#send(request, { resource, name: ref.name });
  }

  /** POST to a part of an object: binding, eviction, token. */
  createSubresource<S, R>(
    resource: Resource,
    ref: ObjectRef,
    subresource: string,
    body: S,
    options?: WriteOptions,
  ): Promise<R> {
    const request = createRequest(resource, ref, body, options, subresource);
    return this.#send(request, { resource, name: ref.name });
  }

  updateStatus<T>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<T> {
    return this.updateSubresource(resource, refOf(object), "status", object, options);
  }

  /** A merge patch of the status, unless another type is given. */
  patchStatus<T>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: unknown,
    options: Partial<PatchOptions> = {},
  ): Promise<T> {
    return this.patch(resource, ref, patch, { type: "merge", ...options, subresource: "status" });
  }

  /** Sends any request; resolves with its body, rejects with a StatusError. */
  request<R = unknown>(request: ApiRequest, options: RequestOptions = {}): Promise<R> {
    return this.#send({ ...request, ...options }, {});
  }

  async #read<R>(request: ApiRequest, subject: RequestSubject): Promise<R> {
    const body = await this.#send<R>(request, subject);
    return this.#dropsNulls ? dropNulls(body) : body;
  }

  async #send<R>(request: ApiRequest, subject: RequestSubject): Promise<R> {
    const response = await this.#respond(this.#prepared(request));
    const error = responseError(request, response, subject);
    if (error) throw error;
    return response.body as R;
  }

  async #respond(request: ApiRequest): Promise<ApiResponse> {
    const { metrics } = this.options;
    // Loading perf_hooks takes longer than the request of a short command.
    if (!metrics) return await this.#respondInTime(request);
    const startMs = this.#clock.monotonicMs();
    try {
      return await this.#respondInTime(request);
    } finally {
      metrics.timed(this.#sent(request), this.#clock.monotonicMs() - startMs);
    }
  }

  async #respondInTime(request: ApiRequest): Promise<ApiResponse> {
    const { onWarning } = this.options;
    for (let retries = 0; ; retries++) {
      const wait = this.#throttle(request);
      if (wait) await wait;
      const response = await this.#try(request, retries > 0);
      const againMs = retries < maxRetries ? retryMs(response) : undefined;
      if (againMs === undefined) {
        if (onWarning) for (const text of response.warnings) onWarning(text);
        return response;
      }
      await this.#clock.sleep(againMs, request.signal);
    }
  }

  async #try(request: ApiRequest, isRetry: boolean): Promise<ApiResponse> {
    const { metrics } = this.options;
    if (!metrics) return await this.transport.request(request);
    let status: number | undefined;
    try {
      const response = await this.transport.request(request);
      status = response.status;
      return response;
    } finally {
      metrics.tried(this.#sent(request), status, isRetry);
    }
  }

  /** Waits for the client's own rate limit; undefined if no wait is needed. */
  #throttle(request: ApiRequest): MaybePromise<void> {
    const { metrics } = this.options;
    const wait = this.#bucket?.take(request.signal);
    if (!metrics || !this.#bucket) return wait;
    if (!wait) return void metrics.throttled(this.#sent(request), 0);
    const startMs = this.#clock.monotonicMs();
    return wait.finally(() =>
      metrics.throttled(this.#sent(request), this.#clock.monotonicMs() - startMs),
    );
  }

  /** Counts a watch once its result is known: at its first event, its end or its error. */
  async *#counted(events: AsyncIterable<WatchEvent<unknown>>): AsyncGenerator<WatchEvent<unknown>> {
    const { metrics } = this.options;
    if (!metrics) return yield* events;
    let isCounted = false;
    const count = (status: number | undefined): void => {
      if (!isCounted) metrics.tried(this.#sent({ method: "GET" }), status, false);
      isCounted = true;
    };
    try {
      for await (const event of events) {
        count(200);
        yield event;
      }
      count(200);
    } catch (error) {
      count(error instanceof StatusError ? error.status.code : undefined);
      throw error;
    }
  }

  #sent({ method }: { readonly method: string }): SentRequest {
    return { method, host: this.transport.host ?? "none" };
  }

  #prepared(request: ApiRequest): ApiRequest {
    return { ...request, headers: { ...this.#headers, ...request.headers } };
  }
}

/** An item with its kind and apiVersion, which lists leave out. */
function named<T>(item: T, resource: Resource<T>): T {
  if ((item as { kind?: string }).kind !== undefined) return item;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...item };
}

/** The delay that a busy server requests; undefined if the response is not to be retried. */
function retryMs({ status, headers }: ApiResponse): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = retryAfterSeconds(headers);
  return seconds === undefined ? undefined : seconds * 1000;
}
