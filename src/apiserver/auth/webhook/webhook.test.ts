import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
type Answer = { status: number; body: unknown };

let directory: string;
let server: Server;
let kubeconfig: string;
/** The reviews that the webhook received, and its next response. */
let asked: unknown[] = [];
let answer: (review: never) => Answer | undefined = () => ({ status: 200, body: {} });

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "webhook-"));
  const authority = await TestAuthority.create(directory);
  const { certFile, keyFile } = await authority.issue("webhook");
  const ca = await readFile(authority.caFile);
  const tls = { cert: await readFile(certFile), key: await readFile(keyFile), ca };
  server = createServer({ ...tls, requestCert: true }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as never;
    asked.push(review);
    const said = answer(review);
    if (!said) return; // The webhook does not respond.
    response.writeHead(said.status);
    response.end(typeof said.body === "string" ? said.body : JSON.stringify(said.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  kubeconfig = join(directory, "kubeconfig");
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "w", user: "a" } }],
      clusters: [
        {
          name: "w",
          cluster: { server: `https://127.0.0.1:${port}/x`, "certificate-authority": "ca.crt" },
        },
      ],
      users: [{ name: "a", user: { "client-certificate": certFile, "client-key": keyFile } }],
    }),
  );
});
after(async () => {
  server.close();
  server.closeAllConnections();
  await rm(directory, { recursive: true, force: true });
});

test("a token webhook identifies the user of a token, and is called once", async () => {
  asked = [];
  answer = ({ spec }: { spec: { token: string } }) => ({
    status: 200,
    body: {
      status:
        spec.token === "good"
          ? { authenticated: true, user: { username: "w", groups: ["g"], extra: { e: ["1"] } } }
          : { authenticated: false, error: "who?" },
    },
  });
  await using api = await startSecuredServer({
    flags: [
      `--authentication-token-webhook-config-file=${kubeconfig}`,
      "--authentication-token-webhook-version=v1",
    ],
  });
  for (let n = 0; n < 3; n++) {
    assert.deepEqual((await api.as("good", "POST", self, {})).json.status.userInfo, {
      username: "w",
      groups: ["g", "system:authenticated"],
      extra: { e: ["1"] },
    });
  }
  assert.deepEqual(asked, [
    {
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: {},
      spec: { token: "good", audiences: ["https://kubernetes.default.svc"] },
      status: { user: {} },
    },
  ]);
  assert.equal((await api.as("bad", "POST", self, {})).status, 401);
});

const broken: readonly { name: string; said: Answer }[] = [
  { name: "garbage", said: { status: 200, body: "<html>" } },
  { name: "an empty object", said: { status: 200, body: {} } },
  { name: "null", said: { status: 200, body: "null" } },
  { name: "403", said: { status: 403, body: { status: { authenticated: true, allowed: true } } } },
];

for (const { name, said } of broken) {
  test(`webhooks that answer ${name} authenticate and authorize no request`, async () => {
    answer = () => said;
    await using api = await startSecuredServer({
      flags: [
        `--authentication-token-webhook-config-file=${kubeconfig}`,
        `--authorization-webhook-config-file=${kubeconfig}`,
        "--authorization-mode=Webhook",
      ],
    });
    assert.equal((await api.as("any", "POST", self, {})).status, 401);
    const { status } = await api.as("bobtoken", "GET", "/api/v1/secrets");
    assert.ok(status === 403 || status === 500, String(status));
  });
}

function configured(webhook: object): Promise<string> {
  const file = join(directory, "authorization.yaml");
  const config = {
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "AuthorizationConfiguration",
    authorizers: [
      {
        type: "Webhook",
        name: "w",
        webhook: {
          timeout: "1s",
          subjectAccessReviewVersion: "v1",
          matchConditionSubjectAccessReviewVersion: "v1",
          failurePolicy: "Deny",
          connectionInfo: { type: "KubeConfigFile", kubeConfigFile: kubeconfig },
          ...webhook,
        },
      },
      { type: "RBAC", name: "rbac" },
    ],
  };
  return writeFile(file, JSON.stringify(config)).then(() => file);
}

test("an authorization webhook is called if its conditions match, and its decision is final", async () => {
  asked = [];
  answer = ({ spec }: { spec: { user: string } }) => ({
    status: 200,
    body: { status: spec.user === "alice" ? { allowed: true } : { denied: true, reason: "no" } },
  });
  const file = await configured({
    matchConditions: [
      { expression: "has(request.resourceAttributes)" },
      { expression: "request.resourceAttributes.resource == 'pods'" },
    ],
  });
  const flags = [`--authorization-config=${file}`];
  await using api = await startSecuredServer({ flags, mode: "" });
  assert.equal(
    (await api.as("alicetoken", "GET", "/api/v1/pods?fieldSelector=metadata.name!=b")).status,
    200,
  );
  assert.deepEqual(asked, [
    {
      kind: "SubjectAccessReview",
      apiVersion: "authorization.k8s.io/v1",
      metadata: {},
      spec: {
        resourceAttributes: {
          verb: "list",
          version: "v1",
          resource: "pods",
          fieldSelector: {
            requirements: [{ key: "metadata.name", operator: "NotIn", values: ["b"] }],
          },
        },
        user: "alice",
        groups: ["g1", "g2", "system:authenticated"],
        uid: "alice-uid",
      },
      status: { allowed: false },
    },
  ]);
  const refused = await api.as("bobtoken", "GET", "/api/v1/pods");
  assert.equal(
    refused.json.message,
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope: no',
  );
  assert.equal((await api.as("bobtoken", "GET", "/api/v1/secrets")).status, 403);
  assert.equal(asked.length, 2);
});

test("a webhook that does not respond refuses, if that is its failure policy", async () => {
  answer = () => undefined;
  const file = await configured({ timeout: "200ms" });
  await using api = await startSecuredServer({
    flags: [`--authorization-config=${file}`],
    mode: "",
  });
  const { status } = await api.as("bobtoken", "GET", "/api/v1/pods");
  assert.equal(status, 500);
});
