import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type CertificateFiles, TestAuthority } from "#/testing/certificates.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { WebhookServer } from "#/testing/webhook-server.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const maps = "/api/v1/namespaces/default/configmaps";

let directory: string;
let certificate: CertificateFiles;
let caBundle: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "recursion-"));
  const authority = await TestAuthority.create(directory);
  certificate = await authority.issue("webhook");
  caBundle = (await readFile(authority.caFile)).toString("base64");
});
after(() => rm(directory, { recursive: true }));

async function startServer(): Promise<TestApiServer> {
  const api = await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"]);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  return api;
}

const onEverything = (url: string) => ({
  metadata: { name: "all" },
  webhooks: [
    {
      name: "all.example.com",
      rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }],
      clientConfig: { url, caBundle },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 1,
    },
  ],
});

test("a webhook that refuses everything can't refuse to be removed", async () => {
  await using server = await WebhookServer.start(certificate, () => ({
    response: { allowed: false, status: { code: 403, message: "never" } },
  }));
  await using api = await startServer();
  assert.equal((await api.call("POST", configurations, onEverything(server.url()))).status, 201);
  assert.equal((await api.call("POST", maps, { metadata: { name: "a" } })).status, 403);
  assert.equal((await api.call("DELETE", `${configurations}/all`)).status, 200);
  assert.equal((await api.call("POST", maps, { metadata: { name: "a" } })).status, 201);
});

test("a webhook that makes the requests it is called for times out, and every request is refused", async () => {
  let api: TestApiServer | undefined;
  let depth = 0;
  await using server = await WebhookServer.start(certificate, async () => {
    depth++;
    await api?.call("POST", maps, { metadata: { generateName: "again-" } });
    return { response: { allowed: true } };
  });
  await using own = await startServer();
  api = own;
  await own.call("POST", configurations, onEverything(server.url()));
  const refused = await own.call("POST", maps, { metadata: { name: "first" } });
  assert.equal(refused.status, 500);
  assert.match(
    refused.json.message,
    /failed calling webhook "all.example.com": .*context deadline exceeded/,
  );
  assert.ok(depth > 1);
  await own.call("DELETE", `${configurations}/all`);
  assert.equal((await own.call("GET", `${maps}/first`)).status, 404);
});
