import assert from "node:assert/strict";
import { once } from "node:events";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { type EndpointSlice, endpointSlices } from "#/api/discovery/v1.ts";
import { type ProxiedCluster, startProxiedCluster } from "#/testing/start-proxied-cluster.ts";

const base = "/api/v1/namespaces/default";

/** Creates a Service "s" with one endpoint, the pod "p", at the port of a server in this process. */
async function serveBehind(
  cluster: ProxiedCluster,
  listener: RequestListener,
): Promise<Disposable> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const { api } = cluster;
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  const status = { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] };
  await api.call("PATCH", `${base}/pods/p/status`, { status }, merge);
  const ports = [{ name: "web", port: 80 }];
  const service = { metadata: { name: "s" }, spec: { clusterIP: "None", ports } };
  assert.equal((await api.call("POST", `${base}/services`, service)).status, 201);
  const slice = {
    metadata: { name: "s-1", labels: { "kubernetes.io/service-name": "s" } },
    addressType: "IPv4",
    // The API accepts no loopback addresses from clients, but this is not a cluster.
    endpoints: [
      { addresses: ["10.0.0.9"], targetRef: { kind: "Pod", namespace: "default", name: "q" } },
    ],
    ports: [{ name: "web", port }],
  };
  const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  assert.equal((await api.call("POST", slices, slice)).status, 201);
  const stored = api.registry.store(endpointSlices).findCached("default", "s-1");
  assert.ok(stored);
  const { endpoints } = stored.parsed() as unknown as EndpointSlice;
  const endpoint = endpoints?.[0];
  assert.ok(endpoint?.targetRef);
  endpoint.addresses = ["127.0.0.1"];
  endpoint.targetRef.name = "p";
  return { [Symbol.dispose]: () => void server.close() };
}

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

async function send(
  port: number,
  path: string,
  { method, body, headers }: Sent = {},
): Promise<{ response: IncomingMessage; body: string }> {
  const request = httpRequest({
    port,
    host: "127.0.0.1",
    path,
    method: method ?? "GET",
    headers: { ...headers },
  });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { response, body: await text(response) };
}

test("a service's proxy forwards requests and responses, with their bodies", async () => {
  await using cluster = await startProxiedCluster({});
  using _ = await serveBehind(cluster, (request, response) => {
    const {
      host,
      "x-forwarded-uri": uri,
      "x-forwarded-for": from,
      te,
      authorization,
    } = request.headers;
    response.writeHead(201, {
      "x-own": "1",
      "access-control-allow-origin": "*",
      connection: "x-hop",
      "x-hop": "1",
    });
    response.write(
      JSON.stringify({
        method: request.method,
        url: request.url,
        host,
        uri,
        from,
        te,
        authorization,
      }),
    );
    request.pipe(response);
  });
  const sent = {
    method: "PUT",
    body: "x".repeat(100_000),
    headers: { authorization: "a", te: "gzip", host: "h" },
  };
  const { response, body } = await send(
    cluster.port,
    `${base}/services/s:web/proxy/a%20b/c/?q=%20+`,
    sent,
  );
  assert.equal(response.statusCode, 201);
  assert.equal(response.headers["x-own"], "1");
  assert.equal(response.headers["x-hop"], undefined);
  assert.equal(response.headers["access-control-allow-origin"], undefined);
  const end = body.indexOf("}") + 1;
  assert.deepEqual(JSON.parse(body.slice(0, end)), {
    method: "PUT",
    url: "/a%20b/c/?q=%20+",
    host: "h",
    uri: "/api/v1/namespaces/default/services/s:web/proxy/a%20b/c/",
    from: "127.0.0.1",
  });
  assert.equal(body.length - end, 100_000);
});

test("a service's proxy rewrites links and redirects", async () => {
  await using cluster = await startProxiedCluster({});
  const page = `<a href="/x?a=1&amp;b">x</a><a href='rel'></a><IMG SRC=/i.png><script>"<a href='/y'>"</script><a href="http://else/z">`;
  using _ = await serveBehind(cluster, (request, response) => {
    if (request.url === "/go") response.writeHead(302, { location: "/there" }).end();
    else
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8", "content-encoding": "gzip" })
        .end(gzipSync(page));
  });
  const root = `${base}/services/s:80/proxy`;
  const { response } = await send(cluster.port, `${root}/go`);
  assert.equal(response.headers.location, `${root}/there`);
  const rooted = await send(cluster.port, `${root}?a=b`);
  assert.equal(rooted.response.statusCode, 301);
  assert.equal(rooted.response.headers.location, `${root}/?a=b`);
  const request = httpRequest({
    port: cluster.port,
    host: "127.0.0.1",
    path: `${root}/page`,
  }).end();
  const [got] = (await once(request, "response")) as [IncomingMessage];
  const html = gunzipSync(Buffer.concat(await Array.fromAsync(got as AsyncIterable<Buffer>)));
  assert.equal(
    html.toString(),
    `<a href="${root}/x?a=1&amp;b">x</a><a href='rel'></a><IMG SRC="${root}/i.png"><script>"<a href='/y'>"</script><a href="http://else/z">`,
  );
});

test("a service's proxy forwards pages that are too large to rewrite", async () => {
  await using cluster = await startProxiedCluster({});
  const page = `<a href="/x">${"y".repeat(5_000_000)}`;
  using _ = await serveBehind(cluster, (_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end(page);
  });
  const { body } = await send(cluster.port, `${base}/services/s:web/proxy/page`);
  assert.equal(body.length, page.length);
  assert.ok(body.startsWith('<a href="/x">y'));
});

const refusals = [
  ["services/a:b:c:d/proxy/", 400, 'invalid service request "a:b:c:d"'],
  ["services/ftp:s:80/proxy/", 400, 'invalid service request "ftp:s:80"'],
  ["services/s:81/proxy/", 503, 'no service port 81 found for service "s"'],
  ["services/s:other/proxy/", 503, 'no endpoints available for service "s"'],
  ["services/none/proxy/", 503, 'no endpoints available for service "none"'],
  ["services/none:80/proxy/", 404, 'services "none" not found'],
  ["pods/none/proxy/", 404, 'pods "none" not found'],
  ["pods/a:b:c:d/proxy/", 400, 'invalid pod request "a:b:c:d"'],
  ["../../nodes/none/proxy/", 404, 'nodes "none" not found'],
  ["../../nodes/n/proxy/", 400, "address not allowed"],
] as const;

test("a proxy without a reachable backend reports the reason", async () => {
  await using cluster = await startProxiedCluster({});
  {
    using _ = await serveBehind(cluster, (_request, response) => response.destroy());
    const cut = await send(cluster.port, `${base}/services/s:web/proxy/x`);
    assert.equal(cut.response.statusCode, 503);
    assert.equal(JSON.parse(cut.body).message, "error trying to reach service: EOF");
    for (const [path, code, message] of refusals) {
      const { status, json } = await cluster.api.call(
        "GET",
        new URL(`http://a${base}/${path}`).pathname,
      );
      assert.deepEqual({ path, code: status, message: json.message }, { path, code, message });
    }
  }
  const refused = await send(cluster.port, `${base}/services/s:web/proxy/x`);
  assert.match(
    JSON.parse(refused.body).message,
    /^error trying to reach service: dial tcp 127.0.0.1:\d+: connect: connection refused$/,
  );
});
