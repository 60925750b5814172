import assert from "node:assert/strict";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startProxiedCluster } from "#/testing/start-proxied-cluster.ts";

const pod = "/api/v1/namespaces/default/pods/p";
const upgrades = [`${pod}/exec?command=id&stdout=true`, `${pod}/attach`, `${pod}/portforward`];
const serverNames = ["localhost", "kubernetes.default.svc", "10.96.0.1", "[::1]:6443"];

/** The status of the answer; that of an upgrade is 101. */
function ask(port: number, path: string, host: string, upgrade: boolean): Promise<string> {
  const headers = { host, ...(upgrade && { connection: "Upgrade", upgrade: "SPDY/3.1" }) };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const method = upgrade ? "POST" : "GET";
  const sent = request({ host: "127.0.0.1", port, path, method, headers, agent: false });
  sent.on("upgrade", (_, socket) => {
    socket.destroy();
    resolve("101");
  });
  sent.on("response", (response) =>
    text(response).then((body) => resolve(`${response.statusCode} ${body}`), reject),
  );
  sent.on("error", reject);
  sent.end();
  return promise;
}

function startKubelet(names: readonly string[]) {
  const seen: string[] = [];
  const behaviour = {
    request: (incoming: { url?: string | undefined }, response: { end(text: string): void }) => {
      seen.push(incoming.url ?? "");
      response.end("a line\n");
    },
    upgrade: (incoming: { url?: string | undefined }, socket: { end(text: string): void }) => {
      seen.push(incoming.url ?? "");
      socket.end(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n",
      );
    },
  };
  return { seen, starting: startProxiedCluster(behaviour, ["main"], names) };
}

test("exec, attach, port-forward and logs work by every name of the API server", async () => {
  const { starting } = startKubelet(["IP:127.0.0.1"]);
  await using cluster = await starting;
  for (const host of serverNames) {
    for (const path of upgrades) {
      assert.equal(await ask(cluster.port, path, host, true), "101", `${host} ${path}`);
    }
    assert.equal(await ask(cluster.port, `${pod}/log`, host, false), "200 a line\n", host);
  }
});

test("a Host header does not choose the name of the kubelet's certificate", async () => {
  const { starting, seen } = startKubelet(["DNS:localhost", "DNS:kubernetes.default.svc"]);
  await using cluster = await starting;
  for (const host of [...serverNames, "127.0.0.1"]) {
    for (const path of [...upgrades, `${pod}/log`]) {
      const answer = await ask(cluster.port, path, host, !path.endsWith("log"));
      assert.match(
        answer,
        /^500 .*cannot validate certificate for 127\.0\.0\.1/,
        `${host} ${path}`,
      );
    }
  }
  assert.deepEqual(seen, []);
});
