import assert from "node:assert/strict";
import { test } from "node:test";
import { serveHttp, splitHostPort } from "./http-endpoint.ts";

test("serveHttp() answers paths by the handler, and 404 elsewhere", async () => {
  await using endpoint = await serveHttp({ host: "127.0.0.1", port: 0 }, (path) =>
    path === "/health" ? { status: 503, body: ["not ", "yet"] } : undefined,
  );
  const found = await fetch(`http://127.0.0.1:${endpoint.port}/health?x=1`);
  assert.deepEqual([found.status, await found.text()], [503, "not yet"]);
  const missing = await fetch(`http://127.0.0.1:${endpoint.port}/x`);
  assert.deepEqual([missing.status, await missing.text()], [404, "404 page not found\n"]);
});

for (const [text, expected] of [
  ["127.0.0.1:80", { host: "127.0.0.1", port: 80 }],
  ["[::1]:80", { host: "::1", port: 80 }],
  [":80", { host: "", port: 80 }],
  ["::1", undefined],
  ["localhost", undefined],
] as const) {
  test(`splitHostPort() reads ${text}`, () => {
    assert.deepEqual(splitHostPort(text), expected);
  });
}
