import assert from "node:assert/strict";
import { test } from "node:test";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { requestOf } from "./request.ts";

const basic = `Basic ${Buffer.from("admin:wrong").toString("base64")}`;

for (const mode of ["", "AlwaysAllow", "RBAC,AlwaysAllow"]) {
  test(`a server with --authorization-mode=${mode || "(default)"} needs credentials`, async () => {
    await using server = await startTlsServer([], { mode });
    const ask = (authorization?: string) =>
      requestOf(server, { path: "/api/v1/secrets", ...(authorization && { authorization }) });
    assert.equal((await ask()).status, 401);
    assert.equal((await ask(basic)).status, 401);
    assert.equal((await ask("Bearer bobtoken")).status, 200);
  });
}
