import { type ApiServerOptions, apiHandler } from "#/apiserver/api-server.ts";
import { inProcess } from "#/apiserver/auth/in-process.ts";
import { serveCustomResources } from "#/apiserver/crd/serve-crds.ts";
import { addDiscovery } from "#/apiserver/discovery/discovery-paths.ts";
import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { InProcessTransport } from "#/apiserver/http/in-process-transport.ts";
import { Paths } from "#/apiserver/http/paths.ts";
import type { TraceFilters } from "#/apiserver/http/trace-filters.ts";
import type { Authenticator } from "#/apiserver/model/authenticator.ts";
import type { Authorizer } from "#/apiserver/model/authorizer.ts";
import type { Filter, Handler, UserInfo } from "#/apiserver/model/exchange.ts";
import { addOpenApi } from "#/apiserver/openapi/open-api-paths.ts";
import { Registry } from "#/apiserver/registry/registry.ts";
import { freezeSharedValues } from "#/apiserver/registry/sharing/shared.ts";
import type { Declaration } from "#/apiserver/registry/strategy.ts";
import { builtInResources } from "#/apiserver/resources/index.ts";
import { Client, type ClientOptions } from "#/client/client.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { enabledFeatures } from "#/machinery/component/feature-gates.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import type { Random } from "#/std/base/random.ts";
import { type Clock, systemClock } from "#/std/time/clock.ts";
import type { Storage } from "#/storage/base/storage.ts";
import { MemoryStorage } from "./memory-storage/memory-storage.ts";
import { openPlainFilters } from "./plain-filters.ts";

freezeSharedValues();

/** The default user of test requests: may do everything. */
export const admin: UserInfo = {
  name: "admin",
  groups: ["system:masters", "system:authenticated"],
};

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body as JSON; the type is up to the test. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reaches into answers of every shape.
  readonly json: any;
}

export interface CallOptions {
  readonly user?: UserInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A real API server with memory storage, in this process, with an HTTP interface for tests. */
export class TestApiServer implements AsyncDisposable {
  readonly registry: Registry;
  readonly handler: Handler;
  readonly #stop: AbortController;

  constructor(registry: Registry, handler: Handler, stop: AbortController) {
    this.registry = registry;
    this.handler = handler;
    this.#stop = stop;
  }

  /** A client of the server in this process; objects it reads are frozen, as they are shared. */
  client(user: UserInfo = admin, options: ClientOptions = {}): Client {
    return new Client(this.transport(user), options);
  }

  /** The in-process transport of the server. */
  transport(user: UserInfo = admin): Transport {
    return new InProcessTransport(this.handler, { user, freeze: true });
  }

  /** Sends a request; an object body is sent as JSON. */
  async call(
    method: string,
    url: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer> {
    const bytes =
      body instanceof Uint8Array
        ? body
        : Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const reply = await callInProcess(this.handler, {
      method,
      url,
      headers: { "content-type": "application/json", ...options.headers },
      body: bytes,
      user: options.user ?? admin,
      ...(options.signal ? { signal: options.signal } : {}),
    });
    const text = (await collectBody(reply, options.signal)).toString();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      get json() {
        return JSON.parse(text) as unknown;
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.registry[Symbol.asyncDispose]();
    await this.registry.storage[Symbol.asyncDispose]();
  }
}

/** Replaceable parts: the resources, the clock, and each gate, which may need the registry. */
export interface StartOptions extends Gates {
  readonly resources?: readonly Declaration[];
  readonly clock?: Clock;
  /** Default true. */
  readonly collectsGarbage?: boolean;
  /** The source of generated names and uids. */
  readonly random?: Random | undefined;
  /** The storage; it is closed with the server. */
  readonly storage?: Storage;
  readonly gates?: (registry: Registry) => MaybePromise<Gates>;
}

/** The parts between a request and its verb. */
interface Gates extends Partial<Omit<ApiServerOptions, "registry" | "filters" | "traceVerb">> {
  readonly authenticators?: readonly Authenticator[];
  readonly trace?: TraceFilters;
  /** Filters by name, instead of the server's own. */
  readonly filters?: Readonly<Record<string, Filter>>;
}

const alwaysAllow: Authorizer = {
  name: "AlwaysAllow",
  authorize: () => ({ decision: "allow", reason: "" }),
};

/** Starts a server with every built-in resource and all gates open. */
export async function startApiServer(options: StartOptions = {}): Promise<TestApiServer> {
  const { resources = builtInResources(), clock = systemClock, gates, ...replaced } = options;
  const storage = options.storage ?? new MemoryStorage({ clock });
  const { collectsGarbage = true, random } = options;
  const registry = await Registry.open({ storage, resources, clock, collectsGarbage, random });
  const paths = new Paths();
  addDiscovery(paths, registry.catalog, "127.0.0.1:6443");
  addOpenApi(paths, registry.catalog);
  const parts = {
    registry,
    paths,
    authenticators: [inProcess],
    authorizer: alwaysAllow,
    admission: { mutate: () => undefined, validate: () => undefined },
    enabled: enabledFeatures(),
    ...replaced,
    ...(await gates?.(registry)),
  };
  const filters = await openPlainFilters(parts, parts.filters);
  const handler = apiHandler({ ...parts, filters, traceVerb: parts.trace?.verb });
  const stop = new AbortController();
  if (options.resources === undefined) {
    const enabled = replaced.enabled ?? enabledFeatures();
    await serveCustomResources(registry, { enabled, routeToEndpoints: false }, stop.signal);
  }
  return new TestApiServer(registry, handler, stop);
}
