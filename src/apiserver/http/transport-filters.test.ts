import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { limitInFlight } from "../fairness/limit-in-flight.ts";
import { type Filter, textReply } from "../model/exchange.ts";
import { allowOrigins } from "./allow-origins.ts";
import { limitTime } from "./limit-time.ts";
import { refuseNew } from "./refuse-new.ts";
import { strictTransport } from "./strict-transport.ts";

const pods = "/api/v1/namespaces/default/pods";
const never: Filter = () => new Promise(() => undefined);
const both =
  (outer: Filter, inner: Filter): Filter =>
  (exchange, next) =>
    outer(exchange, (passed) => inner(passed, next));

test("limitTime() answers 504 when a request takes too long", async () => {
  const clock = new FakeClock();
  using limited = limitTime(clock, 60_000);
  await using api = await startApiServer({ filters: { timeout: both(limited, never) } });
  const late = api.call("GET", pods);
  const early = api.call("GET", `${pods}?timeout=2s`);
  await clock.advance(3_000);
  assert.deepEqual((await early).json, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "Timeout: request did not complete within the allotted timeout",
    reason: "Timeout",
    details: {},
    code: 504,
  });
  await clock.advance(60_000);
  assert.equal((await late).status, 504);
});

test("limitTime() has no timer while no request is pending", async () => {
  const clock = new FakeClock();
  using limited = limitTime(clock, 60_000);
  const gate = Promise.withResolvers<void>();
  const hold: Filter = async (exchange, next) => {
    await gate.promise;
    return next(exchange);
  };
  await using api = await startApiServer({ filters: { timeout: both(limited, hold) } });
  assert.equal(clock.pendingTimers, 0);
  const answers = Promise.all([api.call("GET", pods), api.call("GET", pods)]);
  await clock.advance(10_000);
  assert.equal(clock.pendingTimers, 1);
  gate.resolve();
  assert.deepEqual(
    (await answers).map(({ status }) => status),
    [200, 200],
  );
  await clock.advance(1_000);
  assert.equal(clock.pendingTimers, 0);
  const later = await api.call("GET", pods);
  assert.equal(later.status, 200);
});

test("limitTime() refuses an invalid timeout", async () => {
  using limited = limitTime(new FakeClock(), 60_000);
  await using api = await startApiServer({ filters: { timeout: limited } });
  const answer = await api.call("GET", `${pods}?timeout=soon`);
  assert.deepEqual(
    [answer.status, answer.json.message],
    [400, 'invalid timeout specified in the request URL - time: invalid duration "soon"'],
  );
});

test("limitInFlight() counts reads and writes separately, and exempts system:masters", async () => {
  const user = { name: "u", groups: ["system:authenticated"] };
  const gate = Promise.withResolvers<void>();
  const hold: Filter = async () => {
    await gate.promise;
    return textReply(200, "ok");
  };
  const limit = limitInFlight({ reading: 1, writing: 1 });
  const filters = { priorityandfairness: both(limit, hold) };
  await using api = await startApiServer({ filters });
  const running = [
    api.call("GET", pods, undefined, { user }),
    api.call("POST", pods, {}, { user }),
    api.call("GET", pods),
  ];
  const refused = await api.call("GET", pods, undefined, { user });
  assert.deepEqual(
    [refused.status, refused.headers["retry-after"], refused.text],
    [429, "1", "Too many requests, please try again later.\n"],
  );
  gate.resolve();
  assert.deepEqual(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await api.call("GET", pods, undefined, { user })).status, 200);
});

test("refuseNew() answers with Retry-After once the server stops", async () => {
  let stopping = false;
  await using api = await startApiServer({ filters: { shutdown: refuseNew(() => stopping) } });
  assert.equal((await api.call("GET", pods)).status, 200);
  stopping = true;
  const { status, text, headers } = await api.call("GET", pods);
  assert.deepEqual(
    [status, text, headers["retry-after"], headers["connection"]],
    [429, "The apiserver is shutting down, please try again later.\n", "5", "close"],
  );
  const agent = { headers: { "user-agent": "kube-apiserver/v1.37.1" } };
  assert.equal((await api.call("GET", pods, undefined, agent)).status, 200);
  assert.equal((await api.call("GET", "/readyz")).status, 404);
});

test("allowOrigins() adds headers for allowed origins only", async () => {
  await using api = await startApiServer({
    filters: { origins: allowOrigins(["^https://ok\\.example$"]) },
  });
  const from = (origin: string, method = "GET") =>
    api.call(method, pods, undefined, { headers: { origin } });
  const good = await from("https://ok.example");
  assert.equal(good.headers["access-control-allow-origin"], "https://ok.example");
  assert.equal((await from("https://ok.example", "OPTIONS")).status, 204);
  const bad = await from("https://bad.example");
  assert.equal(bad.headers["access-control-allow-origin"], undefined);
});

test("strictTransport() adds its header", async () => {
  await using api = await startApiServer({
    filters: { stricttransport: strictTransport(["max-age=1", "preload"]) },
  });
  const { headers } = await api.call("GET", pods);
  assert.equal(headers["strict-transport-security"], "max-age=1; preload");
});
