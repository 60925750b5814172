import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { test } from "node:test";
import { configMaps, namespaces } from "#/api/core/v1.ts";
import { clusterRoleBindings, clusterRoles } from "#/api/rbac/v1.ts";
import { Client } from "#/client/client.ts";
import { openCredentials } from "#/client/transport/credentials.ts";
import { HttpsTransport } from "#/client/transport/https-transport.ts";
import { parseFlags } from "#/std/flags/flags.ts";
import { Registry } from "#/std/metrics/metrics.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { serveComponent } from "./component-server.ts";
import {
  delegatedAuthenticationFlags,
  delegatedAuthorizationFlags,
  secureServingFlags,
} from "./component-server-flags.ts";

interface Shown {
  readonly token?: string;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

function get(port: number, path: string, { token, cert, key, ...shown }: Shown = {}) {
  return new Promise<string>((resolve, reject) => {
    const headers = { ...shown.headers, ...(token && { authorization: `Bearer ${token}` }) };
    const tls = { rejectUnauthorized: false, agent: false, ...(cert && key ? { cert, key } : {}) };
    const options = { port, host: "127.0.0.1", path, headers, ...tls };
    const request = httpsRequest(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => {
        const json = text.startsWith("{") ? (JSON.parse(text) as { message?: string }) : undefined;
        resolve(`${response.statusCode} ${json?.message ?? text}`);
      });
    });
    request.once("error", reject);
    request.end();
  });
}

test("serveComponent() serves health to everyone, other paths to authorized users", async (t) => {
  await using server = await startTlsServer();
  const { authority, url } = server;
  await using transport = new HttpsTransport({
    server: url,
    credentials: openCredentials({ caFile: authority.caFile, token: "admintoken" }),
  });
  const client = new Client(transport);
  const metadata = { name: "seer" };
  const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
  await client.create(clusterRoles, { metadata, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "seer" };
  const subjects = ["alice", "carol"].map((name) => ({
    apiGroup: "rbac.authorization.k8s.io",
    kind: "User",
    name,
  }));
  await client.create(clusterRoleBindings, { metadata, roleRef, subjects });
  await client
    .create(namespaces, { metadata: { name: "kube-system" }, spec: {} })
    .catch(() => undefined);
  const ca = await readFile(authority.caFile, "utf8");
  await client.create(configMaps, {
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: {
      "client-ca-file": ca,
      "requestheader-client-ca-file": ca,
      "requestheader-allowed-names": '["front"]',
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
    },
  });

  const flagSet = {
    ...secureServingFlags(0),
    ...delegatedAuthenticationFlags,
    ...delegatedAuthorizationFlags,
  };
  const metrics = new Registry();
  metrics.counter({ name: "things_total", help: "Things." }).inc();
  let well = true;
  await using component = await serveComponent({
    name: "test",
    flagTexts: { v: "2" },
    client,
    flags: parseFlags(flagSet, ["--bind-address=127.0.0.1"]).values,
    metrics,
    configz: () => ({ "test.config.k8s.io": { a: 1 } }),
    healthz: [
      {
        name: "mood",
        check() {
          if (!well) throw new Error("low");
        },
      },
    ],
    api: {
      attributesOf: ({ pathname }) =>
        pathname === "/things" ? { verb: "list", resource: "things" } : undefined,
      answer: ({ pathname }) => (pathname === "/things" ? { body: "all things" } : undefined),
    },
  });
  const { port } = component;

  await t.test("health", async () => {
    assert.equal(await get(port, "/healthz"), "200 ok");
    assert.equal(
      await get(port, "/livez?verbose"),
      "200 [+]ping ok\n[+]mood ok\nlivez check passed\n",
    );
    well = false;
    assert.equal(
      await get(port, "/readyz"),
      "500 [+]ping ok\n[-]mood failed: reason withheld\nreadyz check failed\n",
    );
  });
  await t.test("an anonymous user", async () => {
    assert.equal(
      await get(port, "/metrics"),
      '403 forbidden: User "system:anonymous" cannot get path "/metrics"',
    );
    assert.equal(await get(port, "/metrics", { token: "wrong" }), "401 Unauthorized");
  });
  await t.test("a token", async () => {
    const metricsText =
      "200 # HELP things_total Things.\n# TYPE things_total counter\nthings_total 1\n";
    assert.equal(await get(port, "/metrics", { token: "alicetoken" }), metricsText);
    assert.equal(
      await get(port, "/configz", { token: "alicetoken" }),
      '403 forbidden: User "alice" cannot get path "/configz"',
    );
    assert.equal(
      await get(port, "/configz", { token: "admintoken" }),
      '200 {"test.config.k8s.io":{"a":1}}',
    );
    assert.equal(await get(port, "/none", { token: "admintoken" }), "404 404 page not found\n");
  });
  await t.test("a certificate", async () => {
    const { certFile, keyFile } = await authority.issue("carol");
    const shown = { cert: await readFile(certFile), key: await readFile(keyFile) };
    assert.match(await get(port, "/metrics", shown), /^200 /);
    const headers = { "x-remote-user": "root", "x-remote-group": "system:masters" };
    assert.match(await get(port, "/configz", { ...shown, headers }), /^403 .*"carol"/);
  });
  await t.test("a front proxy", async () => {
    const { certFile, keyFile } = await authority.issue("front");
    const shown = { cert: await readFile(certFile), key: await readFile(keyFile) };
    const as = (user: string, group: string) => ({
      ...shown,
      headers: { "x-remote-user": user, "x-remote-group": group },
    });
    assert.equal(await get(port, "/things", as("root", "system:masters")), "200 all things");
    // The aggregator forwards no groups when it asks for discovery.
    const aggregator = { ...shown, headers: { "x-remote-user": "system:kube-aggregator" } };
    assert.match(await get(port, "/apis/none", aggregator), /^404 /);
    assert.equal(
      await get(port, "/things", as("bob", "dev")),
      '403 things is forbidden: User "bob" cannot list resource "things" in API group "" at the cluster scope',
    );
  });
  await t.test("a path that is no URL", async () => {
    assert.equal(await get(port, "//"), '400 invalid path "//"');
    assert.match(await get(port, "/healthz"), /^500 /);
  });
});
