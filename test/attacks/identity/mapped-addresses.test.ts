import assert from "node:assert/strict";
import { test } from "node:test";
import { Connections } from "#/apiserver/proxy/connections.ts";
import { startApiServer } from "#/testing/start-api-server.ts";

const forbidden = [
  "127.0.0.1",
  "::ffff:127.0.0.1",
  "::FFFF:7f00:1",
  "0:0:0:0:0:ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:0.0.0.0",
  "::ffff:224.0.0.1",
  "::ffff:255.255.255.255",
  "::1",
  "::",
];
const allowed = ["192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7"];

test("a Node's address in another form does not lead to the server's own machine", async () => {
  const dialed: string[] = [];
  using connections = new Connections({
    dial: (address) => {
      dialed.push(address);
      return Promise.reject(new Error("the test has no network"));
    },
  });
  await using api = await startApiServer({ connections });
  await api.call("POST", "/api/v1/nodes", { metadata: { name: "n" } });
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const proxied = async (address: string) => {
    const status = { addresses: [{ type: "InternalIP", address }] };
    const patched = await api.call("PATCH", "/api/v1/nodes/n/status", { status }, merge);
    assert.equal(patched.status, 200, patched.text);
    return api.call("GET", "/api/v1/nodes/http:n:10249/proxy/healthz");
  };
  for (const address of forbidden) {
    const answer = await proxied(address);
    assert.deepEqual([answer.status, answer.json.message], [400, "address not allowed"], address);
  }
  assert.deepEqual(dialed, []);
  for (const address of allowed) assert.equal((await proxied(address)).status, 503, address);
  assert.equal(dialed.length, allowed.length);
});
