import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwn } from "../../parity/reference.ts";

const secret = "a-secret-that-no-profile-shows";

test("a permission on profiles shows no Secrets", async () => {
  await using target = await startOwn([]);
  const send = (method: string, path: string, body?: object, as?: string) =>
    target.send({
      method,
      path,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      ...(as && { credential: { headers: { authorization: `Bearer ${as}` } } }),
    });
  const made = await send("POST", "/api/v1/namespaces/default/secrets", {
    metadata: { name: "victim" },
    stringData: { key: secret },
  });
  assert.equal(made.status, 201, made.text);
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await send("POST", `${rbac}/clusterroles`, {
    metadata: { name: "profiles" },
    rules: [{ nonResourceURLs: ["/debug/pprof/*"], verbs: ["get"] }],
  });
  await send("POST", `${rbac}/clusterrolebindings`, {
    metadata: { name: "profiles" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "profiles" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }],
  });
  const encoded = Buffer.from(secret).toString("base64");
  for (const name of ["heap", "allocs", "profile"]) {
    const { status, text } = await send(
      "GET",
      `/debug/pprof/${name}?seconds=1`,
      undefined,
      "bobtoken",
    );
    assert.equal(status, 200, text.slice(0, 200));
    assert.ok(!text.includes(encoded) && !text.includes(secret), name);
  }
  const refused = await send("GET", "/debug/pprof/heapsnapshot", undefined, "bobtoken");
  assert.equal(refused.status, 404);
});
