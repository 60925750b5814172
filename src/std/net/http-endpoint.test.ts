import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { FakeClock } from "#/testing/fake-clock.ts";
import { keepServing, serveHttp } from "./http-endpoint.ts";

test("serveHttp() responds by the handler, or with 404", async () => {
  await using endpoint = await serveHttp({ host: "127.0.0.1", port: 0 }, (path) =>
    path === "/health" ? { status: 503, body: ["not ", "yet"] } : undefined,
  );
  const found = await fetch(`http://127.0.0.1:${endpoint.port}/health?x=1`);
  assert.deepEqual([found.status, await found.text()], [503, "not yet"]);
  const missing = await fetch(`http://127.0.0.1:${endpoint.port}/x`);
  assert.deepEqual([missing.status, await missing.text()], [404, "404 page not found\n"]);
});

test("serveHttp() goes on after a request for what is no URL", async () => {
  await using endpoint = await serveHttp({ host: "127.0.0.1", port: 0 }, (path) =>
    path === "//" ? { body: "found" } : undefined,
  );
  const answered = Promise.withResolvers<number | undefined>();
  request({ port: endpoint.port, host: "127.0.0.1", path: "//" }, ({ statusCode }) =>
    answered.resolve(statusCode),
  ).end();
  assert.equal(await answered.promise, 200);
});

test("keepServing() listens as soon as the address is free", async () => {
  const clock = new FakeClock();
  const taken = await serveHttp({ host: "127.0.0.1", port: 0 }, () => ({ body: "first" }));
  const { promise: failed, resolve: onFailure } = Promise.withResolvers<unknown>();
  const address = { host: "127.0.0.1", port: taken.port };
  const { signal } = new AbortController();
  const options = { clock, signal, onFailure };
  await using _kept = keepServing(address, () => ({ body: "second" }), options);
  await failed;
  await taken[Symbol.asyncDispose]();
  await clock.advance(5000);
  await clock.advance(0);
  const reply = await fetch(`http://127.0.0.1:${taken.port}/`);
  assert.equal(await reply.text(), "second");
});

test("serveHttp() answers requests whose path is no URL, and those whose handler fails", async () => {
  await using endpoint = await serveHttp({ host: "127.0.0.1", port: 0 }, (path) => {
    if (path === "/fails") throw new Error("no");
    return path === "/ok" ? { body: "ok" } : undefined;
  });
  const statusOf = async (target: string): Promise<string> => {
    const socket = connect(endpoint.port, "127.0.0.1");
    socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const text = await socket.setEncoding("latin1").toArray();
    return text.join("").slice("HTTP/1.1 ".length).slice(0, 3);
  };
  for (const target of ["//", "//[", "///", "*", "http://other:99999/", "/%ff", "/["]) {
    assert.equal(await statusOf(target), "404", target);
  }
  assert.equal(await statusOf("/fails"), "500");
  assert.equal(await statusOf("/ok"), "200");
});
