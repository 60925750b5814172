import type { ApiRequest, Transport, WatchEvent } from "#/client/transport/transport.ts";

interface Interception {
  /** Called before each request and watch; may throw, or wait. */
  readonly before?: (request: ApiRequest, isWatch: boolean) => unknown;
  /** Called before each event of a watch is passed on; may wait. */
  readonly beforeEvent?: (request: ApiRequest, event: WatchEvent<unknown>) => unknown;
}

/** A transport whose requests a test can observe, delay and fail. */
export function interceptTransport(
  inner: Transport,
  { before, beforeEvent }: Interception,
): Transport {
  return {
    isWithoutNulls: inner.isWithoutNulls ?? false,
    async request(request) {
      await before?.(request, false);
      return await inner.request(request);
    },
    async *watch(request) {
      await before?.(request, true);
      for await (const event of inner.watch(request)) {
        await beforeEvent?.(request, event);
        yield event;
      }
    },
    stream: (request) => inner.stream(request),
    upgrade: (request, protocols) => inner.upgrade(request, protocols),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
