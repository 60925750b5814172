import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { signJwt } from "#/std/x509/jwt.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { type SecuredServer, startSecuredServer } from "#/testing/start-secured-server.ts";
import { readPrivateKey } from "./service-account/keys.ts";

/** Attempts to get access, or more access than permitted. Each is refused. */

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const accounts = "/api/v1/namespaces/default/serviceaccounts";
const rbac = "/apis/rbac.authorization.k8s.io/v1";

async function start(clock?: FakeClock): Promise<SecuredServer> {
  const server = await startSecuredServer(clock ? { clock } : {});
  await server.as("admintoken", "POST", accounts, { metadata: { name: "sa" } });
  return server;
}

async function issue(server: SecuredServer, spec: object = {}): Promise<string> {
  const { json } = await server.as("admintoken", "POST", `${accounts}/sa/token`, { spec });
  return json.status.token;
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const parts = (token: string): [string, string, string] =>
  token.split(".") as [string, string, string];
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(parts(token)[1], "base64url").toString());

test("a valid token is accepted (the control for the tests below)", async () => {
  await using server = await start();
  const { json } = await server.as(await issue(server), "POST", self, {});
  assert.equal(json.status.userInfo.username, "system:serviceaccount:default:sa");
});

const forgeries: readonly {
  readonly name: string;
  readonly forge: (good: string, server: SecuredServer) => MaybePromise<string>;
}[] = [
  { name: "alg none", forge: (good) => `${encode({ alg: "none" })}.${parts(good)[1]}.` },
  {
    name: "alg none with the old signature",
    forge: (good) => `${encode({ alg: "none" })}.${parts(good)[1]}.${parts(good)[2]}`,
  },
  {
    name: "claims changed",
    forge: (good) => {
      const claims = { ...claimsOf(good), sub: "system:serviceaccount:kube-system:admin" };
      return [parts(good)[0], encode(claims), parts(good)[2]].join(".");
    },
  },
  {
    name: "the public key as an HMAC secret",
    async forge(good, { directory }) {
      const pem = await readFile(join(directory, "service-account.key"));
      const signed = `${encode({ alg: "HS256" })}.${parts(good)[1]}`;
      return `${signed}.${createHmac("sha256", pem).update(signed).digest("base64url")}`;
    },
  },
  {
    name: "a foreign key under the server's key id",
    forge(good) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const { kid } = JSON.parse(Buffer.from(parts(good)[0], "base64url").toString());
      return signJwt(privateKey, kid, claimsOf(good));
    },
  },
  { name: "no signature", forge: (good) => `${parts(good)[0]}.${parts(good)[1]}.` },
  { name: "an extra part", forge: (good) => `${good}.x` },
  {
    name: "__proto__ as algorithm",
    forge: (good) => `${encode({ alg: "__proto__" })}.${parts(good)[1]}.x`,
  },
  { name: "nothing but dots", forge: () => ".." },
  { name: "a hundred kilobytes", forge: () => "x".repeat(100_000) },
];

for (const { name, forge } of forgeries) {
  test(`a forged token is refused: ${name}`, async () => {
    await using server = await start();
    const forged = await forge(await issue(server), server);
    const { status, json } = await server.as(forged, "POST", self, {});
    assert.deepEqual({ status, message: json.message }, { status: 401, message: "Unauthorized" });
  });
}

test("a token for another audience is refused", async () => {
  await using server = await start();
  const token = await issue(server, { audiences: ["vault"] });
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
});

test("a token is refused once it has expired", async () => {
  const clock = new FakeClock();
  await using server = await start(clock);
  const token = await issue(server, { expirationSeconds: 600 });
  assert.equal((await server.as(token, "POST", self, {})).status, 201);
  await clock.advance(600_000 + 61_000);
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
});

test("a token is invalid once its pod is deleted, even if another pod has the name", async () => {
  await using server = await start();
  const pods = "/api/v1/namespaces/default/pods";
  const pod = {
    metadata: { name: "p" },
    spec: { serviceAccountName: "sa", containers: [{ name: "c", image: "i" }] },
  };
  await server.as("admintoken", "POST", pods, pod);
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
  const token = await issue(server, { boundObjectRef });
  assert.equal((await server.as(token, "POST", self, {})).status, 201);
  await server.as("admintoken", "DELETE", `${pods}/p?gracePeriodSeconds=0`);
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
  await server.as("admintoken", "POST", pods, pod);
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
});

test("a token is invalid once its service account is deleted, even if another has the name", async () => {
  await using server = await start();
  const token = await issue(server);
  await server.as("admintoken", "DELETE", `${accounts}/sa`);
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
  await server.as("admintoken", "POST", accounts, { metadata: { name: "sa" } });
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
});

test("a token can't be bound to a pod of another service account", async () => {
  await using server = await start();
  const spec = { serviceAccountName: "other", containers: [{ name: "c", image: "i" }] };
  const pods = "/api/v1/namespaces/default/pods";
  await server.as("admintoken", "POST", pods, { metadata: { name: "p" }, spec });
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "p" };
  const body = { spec: { boundObjectRef } };
  const { json } = await server.as("admintoken", "POST", `${accounts}/sa/token`, body);
  assert.equal(
    json.message,
    'cannot bind token for serviceaccount "sa" to pod running with different serviceaccount name.',
  );
});

test("a legacy token that a secret no longer holds is refused", async () => {
  await using server = await start();
  const key = readPrivateKey(
    await readFile(join(server.directory, "service-account.key"), "utf8"),
    "",
  );
  const { json: account } = await server.as("admintoken", "GET", `${accounts}/sa`);
  const prefix = "kubernetes.io/serviceaccount/";
  const token = await signJwt(key, "", {
    iss: "kubernetes/serviceaccount",
    sub: "system:serviceaccount:default:sa",
    [`${prefix}namespace`]: "default",
    [`${prefix}secret.name`]: "s",
    [`${prefix}service-account.name`]: "sa",
    [`${prefix}service-account.uid`]: account.metadata.uid,
  });
  const secrets = "/api/v1/namespaces/default/secrets";
  const data = { token: Buffer.from(token).toString("base64") };
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
  await server.as("admintoken", "POST", secrets, { metadata: { name: "s" }, data });
  assert.equal((await server.as(token, "POST", self, {})).status, 201);
  await server.as("admintoken", "PUT", `${secrets}/s`, { metadata: { name: "s" }, data: {} });
  assert.equal((await server.as(token, "POST", self, {})).status, 401);
});

test("headers of a front proxy are ignored without its certificate", async () => {
  await using server = await start();
  const headers = { "x-remote-user": "admin", "x-remote-group": "system:masters" };
  const { json } = await server.send("GET", "/api/v1/secrets", undefined, headers);
  assert.equal(
    json.message,
    'secrets is forbidden: User "system:anonymous" cannot list resource "secrets" in API group "" at the cluster scope',
  );
});

test("a request with an invalid credential is not treated as anonymous", async () => {
  await using server = await start();
  assert.equal((await server.send("GET", "/version")).status, 404);
  assert.equal((await server.as("wrong", "GET", "/version")).status, 401);
});

const impersonations = [
  {
    name: "of a user",
    headers: { "impersonate-user": "admin" },
    message:
      'secrets is forbidden: User "bob" cannot impersonate-on:user-info:list resource "secrets" in API group "" at the cluster scope',
  },
  {
    name: "of a privileged group",
    headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" },
    message:
      'secrets is forbidden: User "bob" cannot impersonate-on:user-info:list resource "secrets" in API group "" at the cluster scope',
  },
  {
    name: "of a node",
    headers: { "impersonate-user": "system:node:n" },
    message:
      'secrets is forbidden: User "bob" cannot impersonate-on:arbitrary-node:list resource "secrets" in API group "" at the cluster scope',
  },
  {
    name: "of a service account",
    headers: { "impersonate-user": "system:serviceaccount:kube-system:x" },
    message:
      'secrets is forbidden: User "bob" cannot impersonate-on:serviceaccount:list resource "secrets" in API group "" at the cluster scope',
  },
  {
    name: "of a group without a user",
    headers: { "impersonate-group": "system:masters" },
    message:
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"system:masters"}, Extra:map[string][]string(nil)} without impersonating a user name',
  },
];

for (const { name, headers, message } of impersonations) {
  test(`impersonation ${name} is refused`, async () => {
    await using server = await start();
    const { json } = await server.send("GET", "/api/v1/secrets", undefined, {
      authorization: "Bearer bobtoken",
      ...headers,
    });
    assert.equal(json.message, message);
  });
}

test("permission to impersonate a user does not include groups", async () => {
  await using server = await start();
  const rules = [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"] }];
  await server.as("admintoken", "POST", `${rbac}/clusterroles`, { metadata: { name: "i" }, rules });
  await server.as("admintoken", "POST", `${rbac}/clusterrolebindings`, {
    metadata: { name: "i" },
    subjects: [{ kind: "User", name: "bob" }],
    roleRef: { kind: "ClusterRole", name: "i" },
  });
  const headers = { authorization: "Bearer bobtoken", "impersonate-user": "alice" };
  const plain = await server.send("POST", self, {}, headers);
  assert.deepEqual(plain.json.status.userInfo, {
    username: "alice",
    groups: ["system:authenticated"],
  });
  const mighty = { ...headers, "impersonate-group": "system:masters" };
  assert.equal((await server.send("POST", self, {}, mighty)).status, 403);
});

const paths = [
  "/api/v1/namespaces/default/pods/../../../../api/v1/secrets",
  "//api/v1/secrets",
  "/api/v1//secrets",
  "/api/v1/secrets/",
  "/api/v1/%73ecrets",
  "/api/v1/watch/secrets",
  "/apis//v1/secrets",
  "/healthz/../api/v1/secrets",
  "/api/../api/v1/secrets",
];

for (const path of paths) {
  test(`no manipulated path reads secrets: ${path}`, async () => {
    await using server = await start();
    await server.as("admintoken", "POST", "/api/v1/namespaces/default/secrets", {
      metadata: { name: "hidden" },
    });
    const { status, text } = await server.as("bobtoken", "GET", path);
    assert.ok(status === 403 || status === 404 || status === 400, `${status} ${text}`);
    assert.equal(text.includes("hidden"), false);
  });
}
