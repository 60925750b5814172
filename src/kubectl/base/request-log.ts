/** Upstream: staging/src/k8s.io/client-go/transport/round_trippers.go, staging/src/k8s.io/client-go/rest/request.go. */
import { STATUS_CODES } from "node:http";
import { Readable } from "node:stream";
import type { SelectedContext } from "#/client/kubeconfig/select-context.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type ApiStream,
  formatQuery,
  type Headers,
  type Transport,
  type UpgradedStream,
  type WatchEvent,
} from "#/client/transport/transport.ts";
import { userAgent } from "#/client/transport/user-agent.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Host } from "./host.ts";
import { klog } from "./klog.ts";

interface RequestLogOptions {
  /** 6: each response; 7: request headers; 8: response headers, and bodies; 9: curl commands. */
  readonly level: number;
  readonly selected: SelectedContext;
  readonly host: Host;
}

/** Limit of a logged body (characters), by verbosity; none from 10 on. */
const bodyLimits: readonly (readonly [level: number, characters: number])[] = [
  [10, Number.POSITIVE_INFINITY],
  [9, 10_240],
  [8, 1024],
];

/** A transport that logs requests and responses, by -v. */
export class LoggedTransport implements Transport {
  readonly #inner: Transport;
  readonly #options: RequestLogOptions;

  constructor(inner: Transport, options: RequestLogOptions) {
    this.#inner = inner;
    this.#options = options;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const began = this.#sent(request);
    const response = await this.#logFailure(request, began, this.#inner.request(request));
    this.#answered(request, response, began);
    const { body } = response;
    this.#body("Response Body", typeof body === "string" ? body : `${JSON.stringify(body)}\n`);
    return response;
  }

  async stream(request: ApiRequest): Promise<ApiStream> {
    const began = this.#sent(request);
    const response = await this.#logFailure(request, began, this.#inner.stream(request));
    this.#answered(request, response, began);
    return response;
  }

  async *watch(request: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    const began = this.#sent(request);
    let isAnswered = false;
    for await (const event of this.#inner.watch(request)) {
      if (!isAnswered) this.#answered(request, { status: 200, headers: {} }, began);
      isAnswered = true;
      yield event;
    }
  }

  async upgrade(request: ApiRequest, protocols: readonly string[]): Promise<UpgradedStream> {
    const began = this.#sent(request);
    const upgrade = this.#inner.upgrade(request, protocols);
    const upgraded = await this.#logFailure(request, began, upgrade);
    this.#answered(request, { status: 101, headers: {} }, began);
    return upgraded;
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  /** Logs a request; returns the time at which it was sent. */
  #sent(request: ApiRequest): number {
    const { level } = this.#options;
    this.#body("Request Body", bodyText(request.body));
    const headers = this.#headers(request);
    if (level >= 9) {
      const shown = headers.map(([name, value]) => ` -H ${goQuote(`${name}: ${value}`)}`).join("");
      const text = `curl -v -X${request.method} ${shown} '${this.#url(request)}'`;
      this.#log("round_trippers.go:527", `"Request" curlCommand=${block(text)}`);
    } else if (level >= 7) {
      const text = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
      this.#log("round_trippers.go:527", `"Request" ${this.#what(request)} headers=${block(text)}`);
    }
    return this.#options.host.clock.now();
  }

  #answered(
    request: ApiRequest,
    { status, headers }: { readonly status: number; readonly headers: Headers },
    began: number,
  ): void {
    const { level, host } = this.#options;
    const parts = [
      '"Response"',
      ...(level === 7 || level === 8 ? [] : [this.#what(request)]),
      `status=${goQuote(status === 0 ? "" : `${status} ${STATUS_CODES[status] ?? ""}`.trim())}`,
      ...(level >= 8 ? [`headers=${block(headerLines(headers))}`] : []),
      `milliseconds=${Math.round(host.clock.now() - began)}`,
    ];
    this.#log("round_trippers.go:632", parts.join(" "));
  }

  /** A request without a response is logged with an empty status. */
  async #logFailure<T>(request: ApiRequest, began: number, answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#answered(request, { status: 0, headers: {} }, began);
      throw error;
    }
  }

  #body(title: string, text: string): void {
    const limit = bodyLimits.find(([level]) => this.#options.level >= level)?.[1];
    if (limit === undefined) return;
    const shown =
      text.length > limit
        ? `${text.slice(0, limit)} [truncated ${text.length - limit} chars]`
        : text;
    const value = shown.includes("\n") ? block(shown.trimEnd()) : goQuote(shown);
    this.#log("helper.go:105", `${goQuote(title)} body=${value}`);
  }

  #what(request: ApiRequest): string {
    return `verb=${goQuote(request.method)} url=${goQuote(this.#url(request))}`;
  }

  #url({ path, query }: ApiRequest): string {
    const server = (this.#options.selected.cluster.server ?? "").replace(/\/+$/, "");
    return `${server}${path}${formatQuery(query)}`;
  }

  /** The headers of a request, including those that the transport adds; secrets are masked. */
  #headers(request: ApiRequest): (readonly [name: string, value: string])[] {
    const { user } = this.#options.selected;
    const authorization =
      user.token || user.tokenFile || user.exec ? "Bearer" : user.username ? "Basic" : undefined;
    const all: Headers = {
      accept: "application/json",
      ...(authorization === undefined ? {} : { authorization: `${authorization} <masked>` }),
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      "user-agent": userAgent("kubectl"),
      ...request.headers,
    };
    return Object.entries(all)
      .map(([name, value]) => [canonical(name), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  #log(place: string, text: string): void {
    klog(this.#options.host, "I", place, text);
  }
}

function bodyText(body: unknown): string {
  if (body === undefined) return "";
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  return body instanceof Readable ? "" : JSON.stringify(body);
}

/** Headers of a connection, which HTTP/2 doesn't have. */
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding"];

function headerLines(headers: Headers): string {
  return Object.entries(headers)
    .filter(([name]) => !connectionHeaders.includes(name))
    .map(([name, value]) => `${canonical(name)}: ${value}`)
    .sort()
    .join("\n");
}

/** `content-type` as Go writes it: `Content-Type`. */
function canonical(name: string): string {
  return name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

/** A multi-line text in klog's format. */
function block(text: string): string {
  return `<\n${text.replace(/^/gm, "\t")}\n >`;
}
