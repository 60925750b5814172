import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { createServer } from "node:tls";
import { systemClock } from "#/std/time/clock.ts";
import { issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import type { BackendName, BackendTls } from "../table/backend-tls.ts";
import { connectBackend, whenReady } from "./connect-backend.ts";

const hourMs = 3_600_000;
const nowMs = systemClock.now();
const valid = { notBefore: nowMs - hourMs, notAfter: nowMs + hourMs };
const authority = (commonName: string) => {
  const key = generateKey();
  const usages = ["cert sign", "digital signature"];
  const certificate = selfSign(
    { subject: { commonName }, usages, isAuthority: true, ...valid },
    key,
  );
  return { certificate, key };
};
const ours = authority("ours");
const others = authority("others");

/** A server with a certificate for a.example and a URI, which answers with the name it was asked for. */
async function serve(t: TestContext): Promise<number> {
  const key = generateKey();
  const cert = issueCertificate(
    {
      subject: { commonName: "backend" },
      publicKey: createPublicKey(key),
      usages: ["digital signature", "server auth"],
      names: { dns: ["a.example", "*.wild.example"], uris: ["spiffe://x/backend"] },
      ...valid,
    },
    ours,
  );
  const server = createServer({ cert, key: keyPem(key), ALPNProtocols: ["h2", "http/1.1"] });
  server.on("tlsClientError", () => undefined);
  server.on("secureConnection", (socket) =>
    socket.on("error", () => undefined).end(`${socket.servername} ${socket.alpnProtocol}`),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const host = (name: string): BackendName => ({ kind: "host", host: name });
const uri = (text: string): BackendName => ({ kind: "uri", uri: text });
const wrongNames = /certificate has none of the names/;

for (const { name, names, trusts = ours, refused } of [
  { name: "its host", names: [host("a.example")] },
  { name: "a host that a wildcard has", names: [host("b.wild.example")] },
  { name: "the wildcard", names: [host("*.wild.example")] },
  { name: "its URI", names: [uri("spiffe://x/backend")] },
  { name: "one of several names", names: [host("b.example"), uri("spiffe://x/backend")] },
  { name: "another host", names: [host("b.example")], refused: wrongNames },
  { name: "another URI", names: [uri("spiffe://x/backend/more")], refused: wrongNames },
  { name: "a URI as host", names: [host("spiffe://x/backend")], refused: wrongNames },
  {
    name: "another authority",
    names: [host("a.example")],
    trusts: others,
    refused: /unknown auth/,
  },
  {
    name: "public authorities",
    names: [host("a.example")],
    trusts: "public" as const,
    refused: /unable to verify|self-signed/,
  },
]) {
  test(`connectBackend() ${refused ? "refuses" : "accepts"} a certificate by ${name}`, async (t) => {
    const port = await serve(t);
    const authorities = trusts === "public" ? undefined : trusts.certificate;
    const tls: BackendTls = { key: name, serverName: "a.example", names, authorities };
    const socket = connectBackend({ address: "127.0.0.1", port, tls }, "http/1.1");
    t.after(() => socket.destroy());
    let isReady = false;
    whenReady(socket, { tls }, () => {
      isReady = true;
    });
    if (refused) {
      const { promise, resolve } = Promise.withResolvers<Error>();
      socket.once("error", resolve);
      const error = await promise;
      assert.match(error.message, refused);
      return assert.equal(isReady, false);
    }
    const [data] = await once(socket, "data");
    assert.deepEqual([String(data), isReady], ["a.example http/1.1", true]);
  });
}
