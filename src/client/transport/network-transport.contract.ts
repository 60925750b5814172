import assert from "node:assert/strict";
import { test } from "node:test";
import { selfSubjectReviews } from "#/api/authentication/v1.ts";
import { configMaps, namespaces } from "#/api/core/v1.ts";
import { isStatusError } from "#/machinery/meta/status-error.ts";
import { freePort } from "#/testing/free-port.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { Client } from "../client.ts";
import { ConnectionError } from "./connection-error.ts";
import { type CredentialOptions, openCredentials } from "./credentials.ts";
import type { HttpsTransportOptions } from "./https-transport.ts";
import type { Transport } from "./transport.ts";

/** The contract of all network transports. */
export function networkTransportContract(
  name: string,
  openTransport: (options: HttpsTransportOptions) => Transport,
): void {
  const open = (server: string, options: CredentialOptions): Client =>
    new Client(openTransport({ server, credentials: openCredentials(options) }));

  test(`${name} sends requests over TLS`, async (t) => {
    await using server = await startTlsServer();
    const { caFile } = server.authority;
    await using transport = openTransport({
      server: server.url,
      credentials: openCredentials({ caFile, token: "admintoken" }),
    });
    const client = new Client(transport);
    const settings = { metadata: { name: "settings", namespace: "default" }, data: { a: "1" } };

    await t.test("objects are written and read", async () => {
      const made = await client.create(configMaps, settings);
      assert.equal(made.kind, "ConfigMap");
      const ref = { name: "settings", namespace: "default" };
      const patched = await client.patch(configMaps, ref, { data: { b: "2" } }, { type: "merge" });
      assert.deepEqual(patched.data, { a: "1", b: "2" });
      const list = await client.list(configMaps, { namespace: "default" });
      assert.deepEqual(
        list.items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata.name]),
        [["ConfigMap", "v1", "settings"]],
      );
    });

    await t.test(
      "a deletion's options are sent as its body, and the connection goes on",
      async () => {
        const ref = { name: "gone", namespace: "default" };
        const made = await client.create(configMaps, { metadata: ref });
        const wrong = client.delete(configMaps, ref, { preconditions: { uid: "other" } });
        await assert.rejects(wrong, (error) => isStatusError(error, "Conflict"));
        const uid = made.metadata?.uid ?? "";
        await client.delete(configMaps, ref, { preconditions: { uid } });
        await assert.rejects(client.get(configMaps, ref), (error) =>
          isStatusError(error, "NotFound"),
        );
      },
    );

    await t.test("a failure is a StatusError", async () => {
      const missing = client.get(namespaces, { name: "nowhere" });
      await assert.rejects(missing, (error) => isStatusError(error, "NotFound"));
      const again = client.create(configMaps, settings);
      await assert.rejects(again, { message: 'configmaps "settings" already exists' });
    });

    await t.test("an unknown path is a StatusError", async () => {
      await assert.rejects(client.request({ method: "GET", path: "/apis/none.example/v1/x" }), {
        message: "the server could not find the requested resource",
      });
    });

    await t.test("a watch yields events until its loop is left", async () => {
      const seen: string[] = [];
      for await (const event of client.watch(configMaps, {
        namespace: "default",
        sendInitialEvents: true,
        resourceVersionMatch: "NotOlderThan",
      })) {
        seen.push(`${event.type} ${event.object.metadata?.name ?? ""}`);
        if (event.type === "BOOKMARK") break;
      }
      assert.deepEqual(seen, ["ADDED settings", "BOOKMARK "]);
    });

    await t.test("a watch of an expired version is a StatusError", async () => {
      const watch = client.watch(configMaps, { resourceVersion: "invalid" });
      await assert.rejects(watch.next(), (error) => isStatusError(error));
    });

    await t.test("requests stop when their signal aborts", async () => {
      const stop = new AbortController();
      const reason = new Error("no more");
      const watching = async () => {
        const options = { resourceVersion: "0", signal: stop.signal };
        for await (const _event of client.watch(configMaps, options)) stop.abort(reason);
      };
      await assert.rejects(watching(), reason);
      await assert.rejects(client.get(namespaces, { name: "x" }, { signal: stop.signal }), reason);
    });
  });

  test(`${name} authenticates`, async (t) => {
    await using server = await startTlsServer();
    const { caFile } = server.authority;
    const whoAmI = async (options: CredentialOptions) => {
      const client = open(server.url, { caFile, ...options });
      await using _transport = client.transport;
      const review = await client.create(selfSubjectReviews, { metadata: {} });
      return review.status?.userInfo?.username;
    };
    await t.test("with a certificate", async () => {
      const { certFile, keyFile } = await server.authority.issue("carol");
      assert.equal(await whoAmI({ certFile, keyFile }), "carol");
    });
    await t.test("as an impersonated user", async () => {
      const impersonate = { user: "dave", groups: ["g1", "g2"] };
      assert.equal(await whoAmI({ token: "admintoken", impersonate }), "dave");
    });
    await t.test("without credentials", async () => {
      await assert.rejects(whoAmI({ token: "wrong" }), { message: "Unauthorized" });
    });
    await t.test("to an untrusted server", async () => {
      await assert.rejects(open(server.url, {}).get(namespaces, { name: "default" }), {
        message: `Get "${server.url}/api/v1/namespaces/default": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      });
      assert.equal(await whoAmI({ caFile: undefined, insecure: true, token: "bobtoken" }), "bob");
    });
  });

  test(`${name} reports errors with client-go's messages`, async () => {
    const port = await freePort();
    const client = open(`https://127.0.0.1:${port}`, {});
    const failed = client.list(namespaces, { limit: 1 });
    await assert.rejects(failed, (error) => {
      assert.ok(error instanceof ConnectionError);
      const url = `https://127.0.0.1:${port}/api/v1/namespaces?limit=1`;
      const reason = `dial tcp 127.0.0.1:${port}: connect: connection refused`;
      assert.deepEqual(
        [error.message, error.reason, error.code],
        [`Get "${url}": ${reason}`, reason, "ECONNREFUSED"],
      );
      return true;
    });
  });

  test(`${name} does not use the environment's proxy for a server on this machine`, async (t) => {
    await using server = await startTlsServer();
    const { caFile } = server.authority;
    const old = process.env["HTTPS_PROXY"];
    process.env["HTTPS_PROXY"] = `http://127.0.0.1:${await freePort()}`;
    t.after(() => {
      if (old === undefined) delete process.env["HTTPS_PROXY"];
      else process.env["HTTPS_PROXY"] = old;
    });
    const client = open(server.url, { caFile, token: "admintoken" });
    await using _transport = client.transport;
    assert.equal((await client.list(namespaces)).kind, "NamespaceList");
  });

  test(`${name} opens no connection after it was closed`, async () => {
    await using server = await startTlsServer();
    const { caFile } = server.authority;
    const client = open(server.url, { caFile, token: "admintoken" });
    await client.list(namespaces);
    await client.transport[Symbol.asyncDispose]();
    await assert.rejects(client.list(namespaces), { message: /: the client was closed$/ });
  });
}
