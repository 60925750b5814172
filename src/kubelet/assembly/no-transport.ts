import type {
  ApiRequest,
  ApiResponse,
  ApiStream,
  Transport,
  UpgradedStream,
  WatchEvent,
} from "#/client/transport/transport.ts";

/** The transport without an API server: no request is ever answered, so that only static pods run. */
export class NoTransport implements Transport {
  request({ signal }: ApiRequest): Promise<ApiResponse> {
    return never(signal);
  }

  stream({ signal }: ApiRequest): Promise<ApiStream> {
    return never(signal);
  }

  // biome-ignore lint/correctness/useYield: a watch without events.
  async *watch({ signal }: ApiRequest): AsyncGenerator<WatchEvent<unknown>> {
    await never(signal);
  }

  upgrade({ signal }: ApiRequest): Promise<UpgradedStream> {
    return never(signal);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }
}

function never<T>(signal: AbortSignal | undefined): Promise<T> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
