import { ApiServer, type ApiServerOptions } from "#/apiserver/api-server.ts";
import { inProcess } from "#/apiserver/auth/in-process.ts";
import type { UserInfo } from "#/apiserver/http/exchange.ts";
import { callInProcess, collectBody } from "#/apiserver/http/in-process.ts";
import { builtInResources } from "#/apiserver/resources/index.ts";
import { MemoryStorage } from "#/storage/memory/memory-storage.ts";

/** The user of test requests that name no other: may do everything. */
export const admin: UserInfo = {
  name: "admin",
  groups: ["system:masters", "system:authenticated"],
};

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The body as JSON; a test knows what it expects. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reaches into answers of every shape.
  readonly json: any;
}

export interface CallOptions {
  readonly user?: UserInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A real API server over memory storage, in this process, with a front door for tests. */
export class TestApiServer implements AsyncDisposable {
  readonly server: ApiServer;
  readonly #storage: MemoryStorage;

  constructor(server: ApiServer, storage: MemoryStorage) {
    this.server = server;
    this.#storage = storage;
  }

  /** Sends a request; an object body goes as JSON. */
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
    const reply = await callInProcess(this.server.handler, {
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
    await this.server[Symbol.asyncDispose]();
    await this.#storage[Symbol.asyncDispose]();
  }
}

/** Starts a server with every built-in resource; each gate can be replaced. */
export async function startApiServer(
  options: Partial<ApiServerOptions> = {},
): Promise<TestApiServer> {
  const storage = new MemoryStorage();
  const server = await ApiServer.start({
    storage,
    resources: builtInResources,
    authenticators: [inProcess],
    authorizer: { name: "AlwaysAllow", authorize: () => ({ decision: "allow", reason: "" }) },
    admission: { mutate: () => undefined, validate: () => undefined },
    enabled: () => false,
    ...options,
  });
  return new TestApiServer(server, storage);
}
