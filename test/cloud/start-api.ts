import { callInProcess } from "#/apiserver/http/in-process.ts";
import { ApiHttpServer } from "#/apiserver/http/server.ts";
import type { Handler } from "#/apiserver/model/exchange.ts";
import { systemClock } from "#/std/time/clock.ts";
import { admin, startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

export interface CaseApi extends AsyncDisposable {
  readonly api: TestApiServer;
  readonly url: string;
}

/** Starts an API server for a program in another process: plain HTTP, every request is an administrator's. */
export async function startApi(): Promise<CaseApi> {
  await using starting = new AsyncDisposableStack();
  const everyone = { name: "everyone", authenticate: () => admin };
  const api = starting.use(await startApiServer({ authenticators: [everyone] }));
  const front: Handler = (exchange) =>
    exchange.path === "/healthz"
      ? callInProcess(api.handler, { method: "GET", url: "/api", user: admin })
      : api.handler(exchange);
  const http = starting.use(
    new ApiHttpServer({ handler: front, clock: systemClock, onError: () => undefined }),
  );
  const port = await http.listen(0, "127.0.0.1");
  const stack = starting.move();
  return {
    api,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
