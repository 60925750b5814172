import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const missing = "/api/v1/namespaces/default/pods/nope";
const yaml = [
  "apiVersion: v1",
  "code: 404",
  "details:",
  "  kind: pods",
  "  name: nope",
  "kind: Status",
  'message: pods "nope" not found',
  "metadata: {}",
  "reason: NotFound",
  "status: Failure",
  "",
].join("\n");

test("statusReply() responds in a media type that the client accepts", async () => {
  await using api = await startApiServer();
  const ask = (accept: string) => api.call("GET", missing, undefined, { headers: { accept } });
  const inYaml = await ask("application/yaml;q=0.9,application/json;q=0.5");
  assert.deepEqual([inYaml.headers["content-type"], inYaml.text], ["application/yaml", yaml]);
  const inProtobuf = await ask("application/vnd.kubernetes.protobuf");
  assert.equal(inProtobuf.headers["content-type"], "application/vnd.kubernetes.protobuf");
  assert.match(inProtobuf.text, /^k8s\0.*Status.*Failure.*pods "nope" not found/s);
  const asTable = await ask("application/json;as=Table;v=v1;g=meta.k8s.io");
  assert.match(asTable.text, /^\{\n {2}"kind": "Status",/);
  assert.equal(asTable.json.code, 404);
});

const available = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const refusals = [
  {
    ask: { method: "GET", path: missing, accept: "text/html" },
    expected: [406, `406: Not Acceptable\n\nAvailable representations: ${available}`],
  },
  {
    ask: { method: "GET", path: "/api/v1/pods", accept: "application/*" },
    expected: [
      406,
      `406: Not Acceptable\n\nAvailable representations: ${available}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch`,
    ],
  },
  {
    ask: { method: "GET", path: missing, accept: "application/json;as=Foo" },
    expected: [406, `only the following media types are accepted: ${available}`],
  },
  {
    ask: { method: "PUT", path: "/api/v1/namespaces/default/pods", accept: "text/html" },
    expected: [405, "the server does not allow this method on the requested resource"],
  },
  {
    ask: { method: "PATCH", path: missing, accept: "text/html" },
    expected: [415, "415: Unsupported Media Type"],
  },
];
for (const { ask, expected } of refusals) {
  test(`chooseWriter() refuses ${ask.method} ${ask.path} in ${ask.accept}`, async () => {
    await using api = await startApiServer();
    const { accept } = ask;
    const answer = await api.call(ask.method, ask.path, {}, { headers: { accept } });
    assert.deepEqual([answer.status, answer.json.message], expected);
  });
}
