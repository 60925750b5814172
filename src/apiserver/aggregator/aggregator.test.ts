import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { addDiscovery } from "#/apiserver/discovery/discovery-paths.ts";
import { Paths } from "#/apiserver/http/paths.ts";
import { addOpenApi } from "#/apiserver/openapi/open-api-paths.ts";
import { logger } from "#/std/log/log.ts";
import { nextTurn } from "#/std/time/clock.ts";
import { TestAuthority } from "#/testing/certificates.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { Aggregator } from "./aggregator.ts";

const url = "/apis/apiregistration.k8s.io/v1/apiservices";
const resources = [
  { name: "fruits", singularName: "fruit", namespaced: true, kind: "Fruit", verbs: ["get"] },
  { name: "fruits/status", singularName: "", namespaced: true, kind: "Fruit", verbs: ["get"] },
];

/** Another API server: it serves one group, and answers other requests with the user's identity. */
function fruitServer(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/apis") {
    response.writeHead(406).end();
    return;
  }
  response.setHeader("content-type", "application/json");
  if (request.url === "/apis/fruit.example.com/v1") {
    const groupVersion = "fruit.example.com/v1";
    response.end(JSON.stringify({ kind: "APIResourceList", groupVersion, resources }));
    return;
  }
  if (request.url === "/openapi/v3") {
    const url = "/openapi/v3/apis/fruit.example.com/v1?hash=A";
    const other = { serverRelativeURL: "/x" };
    const paths = { "apis/fruit.example.com/v1": { serverRelativeURL: url }, version: other };
    response.end(JSON.stringify({ paths }));
    return;
  }
  if (request.url === "/openapi/v2") {
    const paths = {
      "/apis/fruit.example.com/v1/fruits": { get: { schema: { $ref: "#/definitions/Fruit" } } },
      "/apis/other.example.com/v1/x": { get: { schema: { $ref: "#/definitions/Other" } } },
    };
    const Fruit = { properties: { peel: { $ref: "#/definitions/Peel" } } };
    response.end(JSON.stringify({ paths, definitions: { Fruit, Peel: {}, Other: {} } }));
    return;
  }
  if (request.url === "/apis/fruit.example.com/v1/moved") {
    response.writeHead(302, { location: "/elsewhere" }).end();
    return;
  }
  const subject = (request.socket as TLSSocket).getPeerCertificate().subject.CN;
  const { "x-remote-user": user, "x-remote-group": groups, host } = request.headers;
  const extra = request.headers["x-remote-extra-scopes%2fa"];
  response.end(JSON.stringify({ url: request.url, subject, user, groups, extra, host }));
}

interface Setup extends AsyncDisposable {
  readonly api: TestApiServer;
  readonly port: number;
}

async function start(): Promise<Setup> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "k8ts-aggregator-"));
  starting.defer(() => rm(folder, { recursive: true }));
  const authority = await TestAuthority.create(folder);
  const [server, client] = await Promise.all(
    ["server", "front-proxy"].map(async (name) => {
      const { certFile, keyFile } = await authority.issue(name);
      return { cert: await readFile(certFile), key: await readFile(keyFile) };
    }),
  );
  const ca = await readFile(authority.caFile);
  const fruits = createServer({ ...server, ca, requestCert: true }, fruitServer);
  fruits.listen(0, "127.0.0.1");
  await once(fruits, "listening");
  starting.defer(() => fruits.closeAllConnections());
  starting.defer(() => void fruits.close());
  const paths = new Paths();
  let aggregator: Aggregator | undefined;
  const api = starting.use(
    await startApiServer({
      paths,
      gates: (registry) => {
        aggregator = new Aggregator({
          registry,
          log: logger("test"),
          routeToEndpoints: false,
          rejectRedirects: true,
          identity: () => ({ ...client }),
        });
        addDiscovery(paths, registry.catalog, "1.2.3.4:6443", aggregator);
        addOpenApi(paths, registry.catalog, aggregator);
        return { aggregator };
      },
    }),
  );
  const stop = new AbortController();
  starting.defer(() => stop.abort());
  await aggregator?.start(api.handler, stop.signal);
  const port = (fruits.address() as AddressInfo).port;
  const stack = starting.move();
  return { api, port, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Registers the fruit server's API, at its address outside the cluster. */
async function register({ api, port }: Setup, spec: object = {}): Promise<void> {
  const external = { type: "ExternalName", externalName: "127.0.0.1" };
  const service = { metadata: { name: "fruits" }, spec: external };
  await api.call("POST", "/api/v1/namespaces/default/services", service);
  // The certificate is for the address, not for a name in the cluster, so it can't be verified.
  const body = {
    metadata: { name: "v1.fruit.example.com" },
    spec: {
      group: "fruit.example.com",
      version: "v1",
      groupPriorityMinimum: 17790,
      versionPriority: 10,
      service: { namespace: "default", name: "fruits", port },
      insecureSkipTLSVerify: true,
      ...spec,
    },
  };
  const created = await api.call("POST", url, body);
  assert.equal(created.status, 201, created.text);
}

async function until(check: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 20_000; turn++) {
    if (await check()) return;
    await nextTurn();
  }
  assert.fail("it never came true");
}

async function condition(api: TestApiServer, name: string): Promise<Record<string, string>> {
  const { json } = await api.call("GET", `${url}/${name}`);
  return json.status?.conditions?.[0] ?? {};
}

test("Aggregator registers this server's own APIs", async () => {
  await using setup = await start();
  const { json } = await setup.api.call("GET", `${url}/v2.autoscaling`);
  assert.deepEqual(json.metadata.labels, {
    "kube-aggregator.kubernetes.io/automanaged": "onstart",
  });
  assert.deepEqual(json.spec, {
    group: "autoscaling",
    version: "v2",
    groupPriorityMinimum: 17500,
    versionPriority: 30,
  });
  const { lastTransitionTime: _, ...local } = json.status.conditions[0];
  assert.deepEqual(local, {
    type: "Available",
    status: "True",
    reason: "Local",
    message: "Local APIServices are always available",
  });
});

test("Aggregator forwards requests with the user's identity, and shows the API", async () => {
  await using setup = await start();
  const { api, port } = setup;
  await register(setup);
  await until(async () => (await condition(api, "v1.fruit.example.com"))["reason"] === "Passed");
  const user = { name: "jane", groups: ["a", "b"], extra: { "scopes/a": ["x"] } };
  const path = "/apis/fruit.example.com/v1/namespaces/default/fruits/apple?watch=0";
  const { json, status } = await api.call("GET", path, undefined, { user });
  assert.equal(status, 200);
  assert.deepEqual(json, {
    url: path,
    subject: "front-proxy",
    user: "jane",
    groups: "a, b",
    extra: "x",
    host: `127.0.0.1:${port}`,
  });
  const moved = await api.call("GET", "/apis/fruit.example.com/v1/moved");
  assert.equal(moved.status, 502);
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const discovery = async () => {
    const answer = await api.call("GET", "/apis", undefined, { headers: { accept } });
    const index = answer.json.items.findIndex(
      (item: { metadata: { name: string } }) => item.metadata.name === "fruit.example.com",
    );
    return { index, versions: answer.json.items[index].versions };
  };
  await until(async () => (await discovery()).versions[0].freshness === "Current");
  const responseKind = { group: "", version: "", kind: "Fruit" };
  assert.deepEqual(await discovery(), {
    index: 2, // After apiregistration.k8s.io and apps, by its priority.
    versions: [
      {
        version: "v1",
        resources: [
          {
            resource: "fruits",
            responseKind,
            scope: "Namespaced",
            singularResource: "fruit",
            verbs: ["get"],
            subresources: [{ subresource: "status", responseKind, verbs: ["get"] }],
          },
        ],
        freshness: "Current",
      },
    ],
  });
  const index = await api.call("GET", "/openapi/v3");
  const { serverRelativeURL } = index.json.paths["apis/fruit.example.com/v1"];
  const document = await api.call("GET", serverRelativeURL, undefined, { user });
  assert.deepEqual([document.json.url, document.json.user], [serverRelativeURL, "jane"]);
  assert.notEqual(index.json.paths.version?.serverRelativeURL, "/x");
  const { paths, definitions } = (await api.call("GET", "/openapi/v2")).json;
  assert.ok(paths["/apis/fruit.example.com/v1/fruits"] && paths["/api/v1/pods"]);
  assert.equal(paths["/apis/other.example.com/v1/x"], undefined);
  assert.deepEqual([definitions.Peel, definitions.Other], [{}, undefined]);
  const group = await api.call("GET", "/apis/fruit.example.com");
  assert.equal(group.json.preferredVersion.groupVersion, "fruit.example.com/v1");
});

test("Aggregator says why an API isn't available", async () => {
  await using setup = await start();
  const { api } = setup;
  await register(setup, { insecureSkipTLSVerify: false });
  await until(
    async () => (await condition(api, "v1.fruit.example.com"))["reason"] === "FailedDiscoveryCheck",
  );
  const at = `https://127.0.0.1:${setup.port}/apis/fruit.example.com/v1`;
  assert.equal(
    (await condition(api, "v1.fruit.example.com"))["message"],
    `failing or missing response from ${at}: Get "${at}": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  );
  const refused = await api.call("GET", "/apis/fruit.example.com/v1/fruits");
  assert.deepEqual([refused.status, refused.text], [503, "service unavailable\n"]);
  await api.call("DELETE", "/api/v1/namespaces/default/services/fruits");
  await until(
    async () => (await condition(api, "v1.fruit.example.com"))["reason"] === "ServiceNotFound",
  );
  await api.call("DELETE", `${url}/v1.fruit.example.com`);
  assert.equal((await api.call("GET", "/apis/fruit.example.com/v1/fruits")).status, 404);
});

test("Aggregator registers the APIs of custom resources as they are added and removed", async () => {
  await using setup = await start();
  const { api } = setup;
  const schema = { openAPIV3Schema: { type: "object" } };
  const crd = {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Cluster",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  assert.equal((await api.call("POST", crds, crd)).status, 201);
  await until(async () => (await api.call("GET", `${url}/v1.example.com`)).status === 200);
  const { json } = await api.call("GET", `${url}/v1.example.com`);
  assert.equal(json.metadata.labels["kube-aggregator.kubernetes.io/automanaged"], "true");
  assert.deepEqual([json.spec.groupPriorityMinimum, json.spec.versionPriority], [1000, 100]);
  await api.call("DELETE", `${url}/v1.example.com`);
  await until(async () => (await api.call("GET", `${url}/v1.example.com`)).status === 200);
  await api.call("DELETE", `${crds}/widgets.example.com`);
  await until(async () => (await api.call("GET", `${url}/v1.example.com`)).status === 404);
});
