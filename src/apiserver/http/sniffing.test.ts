import assert from "node:assert/strict";
import { test } from "node:test";
import { startSecuredServer } from "#/testing/start-secured-server.ts";

const sniffing = "x-content-type-options";

test("refusals of authorization and impersonation have a header against content sniffing", async () => {
  await using api = await startSecuredServer({});
  const secrets = await api.as("bobtoken", "GET", "/api/v1/secrets");
  assert.deepEqual([secrets.status, secrets.headers[sniffing]], [403, "nosniff"]);
  const other = await api.send("GET", "/api/v1/secrets", undefined, {
    authorization: "Bearer bobtoken",
    "impersonate-user": "alice",
  });
  assert.deepEqual([other.status, other.headers[sniffing]], [403, "nosniff"]);
});
