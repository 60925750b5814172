import assert from "node:assert/strict";
import { test } from "node:test";
import recorded from "./recorded/server-responses.json" with { type: "json" };
import { fromServerResponse } from "./server-response.ts";

const deployments = { group: "apps", name: "deployments" };

for (const { code, verb, status } of recorded) {
  test(`fromServerResponse() words ${verb} ${code} as upstream does`, () => {
    const error = fromServerResponse({
      code,
      verb,
      resource: deployments,
      name: "web",
      message: 'body "x"',
      retryAfterSeconds: 3,
      unexpected: verb === "GET",
    });
    assert.deepEqual(error.status, { kind: "Status", apiVersion: "v1", ...status });
  });
}

test("fromServerResponse() works without a resource", () => {
  const error = fromServerResponse({ code: 500, verb: "GET", message: "" });
  assert.equal(
    error.message,
    'an error on the server ("") has prevented the request from succeeding',
  );
  const unknown = fromServerResponse({ code: 406, verb: "GET", message: "unknown" });
  assert.equal(
    unknown.message,
    "the server was unable to respond with a content type that the client supports",
  );
});
