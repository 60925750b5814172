import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { ApiHttpServer, type ServerOptions } from "./server.ts";

async function get(session: ClientHttp2Session, path: string, token?: string): Promise<number> {
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  const stream = session.request({ ":path": path, ...authorization });
  const [headers] = (await once(stream, "response")) as [{ ":status"?: number }];
  stream.resume();
  await once(stream, "close");
  return headers[":status"] ?? 0;
}

const credentials: readonly (readonly [string, string | undefined, number, boolean])[] = [
  ["a known user keeps the connection", "admintoken", 200, false],
  ["a stranger loses the connection after one request", undefined, 403, true],
  ["a bad token loses the connection after one request", "wrong", 401, true],
];
for (const [name, token, status, closes] of credentials) {
  test(`ApiHttpServer over HTTP/2: ${name}`, async () => {
    await using server = await startTlsServer();
    const session = connect(server.url, { rejectUnauthorized: false });
    const goaway = once(session, "goaway").then(() => true);
    assert.equal(await get(session, "/api/v1/namespaces/default/pods", token), status);
    assert.equal(await Promise.race([goaway, closes ? goaway : false]), closes);
    session.destroy();
  });
}

async function plain(options: Partial<ServerOptions>) {
  await using stack = new AsyncDisposableStack();
  const api = stack.use(await startApiServer());
  const handler: ServerOptions["handler"] = async (exchange) => {
    exchange.user = { name: "admin", groups: ["system:masters"] };
    Object.assign(exchange.peer, { user: exchange.user });
    return api.handler(exchange);
  };
  const server = stack.use(
    new ApiHttpServer({ handler, clock: systemClock, onError: () => undefined, ...options }),
  );
  const port = await server.listen(0, "127.0.0.1");
  const own = stack.move();
  return { port, server, api, [Symbol.asyncDispose]: () => own.disposeAsync() };
}

test("ApiHttpServer.drain() ends watches and waits for other requests", async () => {
  await using running = await plain({});
  const url = `http://127.0.0.1:${running.port}/api/v1/pods`;
  const watch = await fetch(`${url}?watch=1`);
  assert.equal(watch.status, 200);
  running.server.stopAccepting();
  await running.server.drain(5_000, 20);
  assert.equal(await watch.text(), "");
  assert.equal(running.server.active, 0);
});
