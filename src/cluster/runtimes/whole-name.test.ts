import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeName } from "./whole-name.ts";

const digest = `sha256:${"ab".repeat(32)}`;
for (const [name, expected] of [
  ["web:1", "docker.io/library/web:1"],
  ["web", "docker.io/library/web:latest"],
  ["shop/web:1", "docker.io/shop/web:1"],
  ["docker.io/web:1", "docker.io/library/web:1"],
  ["index.docker.io/shop/web", "docker.io/shop/web:latest"],
  [`web@${digest}`, `docker.io/library/web@${digest}`],
  ["localhost/web:1", "localhost/web:1"],
  ["localhost:5000/web", "localhost:5000/web:latest"],
  ["k8ts.local/pause:1", "k8ts.local/pause:1"],
  ["registry.k8s.io/e2e-test-images/agnhost:2.6", "registry.k8s.io/e2e-test-images/agnhost:2.6"],
  [digest, digest],
] as const) {
  test(`wholeName() of ${name}`, () => {
    assert.equal(wholeName(name), expected);
  });
}
