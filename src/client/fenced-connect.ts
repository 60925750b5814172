import type { Connect } from "./connect.ts";
import type { ApiRequest, Transport } from "./transport/transport.ts";

/** The right to send requests, which may end at any time. */
export interface Fence {
  /** Aborts when the right has ended. */
  readonly signal: AbortSignal;
  /** Throws if the right has ended, even if this process was stopped meanwhile and has not noticed yet. */
  readonly check: () => void;
}

/** Connects only while the fence lets through: what was begun as leader sends no request after the leadership has ended. */
export const fencedConnect =
  (connect: Connect, fence: Fence): Connect =>
  (as) =>
    fencedTransport(connect(as), fence);

/** A transport that sends nothing once the fence is closed. */
export function fencedTransport(inner: Transport, fence: Fence): Transport {
  const admit = (request: ApiRequest): ApiRequest => {
    fence.signal.throwIfAborted();
    fence.check();
    return request;
  };
  return {
    ...(inner.host === undefined ? {} : { host: inner.host }),
    ...(inner.isWithoutNulls === undefined ? {} : { isWithoutNulls: inner.isWithoutNulls }),
    async request(request) {
      return await inner.request(admit(request));
    },
    async stream(request) {
      return await inner.stream(admit(request));
    },
    watch: (request) => inner.watch(admit(request)),
    async upgrade(request, protocols) {
      return await inner.upgrade(admit(request), protocols);
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

/** The writes of a component that reads before it leads: they are refused until its gate is opened, and after its term. */
export class WriteGate {
  #fence: Fence | undefined;

  open(fence: Fence): void {
    this.#fence = fence;
  }

  guard(inner: Transport): Transport {
    const fenced = fencedTransport(inner, {
      signal: new AbortController().signal,
      check: () => {
        if (!this.#fence) throw new Error("only the leader writes");
        this.#fence.signal.throwIfAborted();
        this.#fence.check();
      },
    });
    const request: Transport["request"] = (one) =>
      (one.method === "GET" ? inner : fenced).request(one);
    return {
      ...fenced,
      request,
      stream: (one) => inner.stream(one),
      watch: (one) => inner.watch(one),
    };
  }
}
