import type { Connect } from "./connect.ts";
import { formatTerm, type LeaderTerm, termHeader } from "./leader-term.ts";
import type { ApiRequest, Transport } from "./transport/transport.ts";

/** The right to send requests, which may end at any time. */
export interface Fence {
  /** Aborts when the right has ended. */
  readonly signal: AbortSignal;
  /** Throws if the right has ended, even if this process was stopped meanwhile and has not noticed yet. */
  readonly check: () => void;
  /** The term in which writes are to be carried out, also those that were sent in it; undefined for any time. */
  readonly term?: LeaderTerm | undefined;
}

/** The fence of a component that needs not lead: it lets everything through until the signal aborts. */
export const openFence = (signal: AbortSignal): Fence => ({ signal, check: () => undefined });

/** Connects only while the fence lets through: what was begun as leader sends no request after the leadership has ended. */
export const fencedConnect =
  (connect: Connect, fence: Fence): Connect =>
  (as) =>
    fencedTransport(connect(as), fence);

/**
 * A transport that sends nothing once the fence is closed. What it has sent before has no effect after the term, if the
 * API server is one of ours.
 */
export function fencedTransport(inner: Transport, fence: Fence): Transport {
  const admit = (request: ApiRequest): ApiRequest => {
    fence.signal.throwIfAborted();
    fence.check();
    if (fence.term === undefined || request.method === "GET") return request;
    return { ...request, headers: { ...request.headers, [termHeader]: formatTerm(fence.term) } };
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
    const current = (): Fence => {
      if (!this.#fence) throw new Error("only the leader writes");
      return this.#fence;
    };
    const fenced = fencedTransport(inner, {
      signal: new AbortController().signal,
      check: () => {
        const { signal, check } = current();
        signal.throwIfAborted();
        check();
      },
      get term() {
        return current().term;
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
