import assert from "node:assert/strict";
import { test } from "node:test";
import { registryPort } from "./registry-port.ts";

test("registryPort() is the same for all nodes of a cluster", () => {
  const port = registryPort({ name: "dev", role: "server" });
  assert.ok(port >= 15_000 && port < 16_000);
  assert.equal(registryPort({ name: "dev-node2", role: "agent" }), port);
  assert.notEqual(registryPort({ name: "dev-node2", role: "server" }), port);
  for (const role of ["server", "agent"] as const) {
    assert.equal(registryPort({ name: "k8ts", role }), 5001);
  }
  assert.equal(registryPort({ name: "k8ts-node2", role: "agent" }), 5001);
});
