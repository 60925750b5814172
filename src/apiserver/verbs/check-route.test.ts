import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";

const missing = "the server could not find the requested resource";
const notAllowed = "the server does not allow this method on the requested resource";
const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** As kube-apiserver answers them. */
const cases: readonly (readonly [string, number, string])[] = [
  ["GET /api/v1/namespaces/default/nodes", 404, missing],
  ["GET /api/v1/namespaces/default/nodes/x", 404, missing],
  ["GET /api/v1/namespaces/default/namespaces/default", 404, missing],
  ["POST /apis/rbac.authorization.k8s.io/v1/namespaces/default/clusterroles", 404, missing],
  ["GET /apis/apps/v1/deployments/x", 404, missing],
  ["GET /apis/apps/v1/deployments/x/status", 404, missing],
  ["PUT /apis/apps/v1/deployments/x", 404, missing],
  [`GET ${deployments}/x/status/y`, 404, missing],
  ["POST /apis/apps/v1/deployments", 405, notAllowed],
  ["DELETE /apis/apps/v1/deployments", 405, notAllowed],
  ["DELETE /api/v1/namespaces", 405, notAllowed],
  [`PUT ${deployments}`, 405, notAllowed],
  [`PATCH ${deployments}`, 405, notAllowed],
  [`POST ${deployments}/x`, 405, notAllowed],
];

let api: TestApiServer;
before(async () => {
  api = await startApiServer();
});
after(() => api[Symbol.asyncDispose]());

for (const [line, status, message] of cases) {
  test(`checkRoute() refuses ${line}`, async () => {
    const [method = "", path = ""] = line.split(" ");
    const answer = await api.call(method, path, {});
    assert.deepEqual([answer.status, answer.json.message], [status, message]);
  });
}
