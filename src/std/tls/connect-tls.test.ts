import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer as createPlain, type Server, type Socket } from "node:net";
import { test } from "node:test";
import { createServer, type TlsOptions } from "node:tls";
import { systemClock } from "../time/clock.ts";
import { integer, sequence, time } from "../x509/der-writer.ts";
import { issueCertificate, nameBytes, selfSign } from "../x509/issue-certificate.ts";
import { writePem } from "../x509/pem.ts";
import { generateKey, keyPem, signatureAlgorithm, signed } from "../x509/signing-key.ts";
import { connectTls, type TlsClientOptions } from "./connect-tls.ts";
import { dialFailure } from "./dial-failure.ts";
import { trustOf } from "./trust.ts";
import { TrustingAgent } from "./trusting-agent.ts";

const now = systemClock.now();
const day = 86_400_000;
const valid = { notBefore: now - day, notAfter: now + day };
const signing = ["digital signature", "cert sign"];

interface Pair {
  readonly certificate: string;
  readonly key: KeyObject;
}

const root = authority("root");
const intermediate = issued("intermediate", root, { isAuthority: true, usages: signing });
const leaf = issued("leaf", intermediate);
const lone = (() => {
  const key = generateKey();
  const names = { ips: ["127.0.0.1"] };
  const usages = ["digital signature", "server auth"];
  return {
    certificate: selfSign({ subject: { commonName: "lone" }, usages, names, ...valid }, key),
    key,
  };
})();
const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;

function authority(commonName: string, more = {}): Pair {
  const key = generateKey();
  const options = {
    subject: { commonName },
    usages: signing,
    isAuthority: true,
    ...valid,
    ...more,
  };
  return { certificate: selfSign(options, key), key };
}

function issued(commonName: string, by: Pair, more = {}, key = generateKey()): Pair {
  const options = {
    subject: { commonName },
    publicKey: createPublicKey(key),
    usages: ["digital signature", "server auth"],
    names: { ips: ["127.0.0.1"], dns: ["localhost"] },
    ...valid,
    ...more,
  };
  return { certificate: issueCertificate(options, by), key };
}

/** A self-signed certificate of version 1, which has no extensions. */
function versionOne(commonName: string): Pair {
  const key = generateKey();
  const name = nameBytes({ commonName });
  const body = sequence(
    integer(Buffer.of(7)),
    signatureAlgorithm(key),
    name,
    sequence(time(valid.notBefore), time(valid.notAfter)),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
  );
  return { certificate: writePem("CERTIFICATE", signed(body, key)), key };
}

const old = versionOne("old root");
const failed = "tls: failed to verify certificate: x509:";

const cases: readonly {
  readonly name: string;
  readonly chain: readonly Pair[];
  readonly trusted: string;
  readonly failure?: RegExp | string;
  readonly options?: TlsClientOptions;
}[] = [
  { name: "the root", chain: [leaf, intermediate], trusted: root.certificate },
  { name: "an intermediate", chain: [leaf], trusted: intermediate.certificate },
  { name: "the server's own certificate", chain: [leaf], trusted: leaf.certificate },
  {
    name: "a self-signed certificate that is no CA",
    chain: [lone],
    trusted: lone.certificate,
  },
  {
    name: "a root without extensions",
    chain: [issued("below", old)],
    trusted: old.certificate,
  },
  {
    name: "the root of a key of 1024 bits",
    chain: [issued("weak", root, {}, rsa)],
    trusted: root.certificate,
  },
  {
    name: "a bundle with other content in it",
    chain: [leaf, intermediate],
    trusted: `text\n${keyPem(lone.key)}\n${lone.certificate}\n${root.certificate}`,
  },
  {
    name: "the root, by a name that the certificate has",
    chain: [leaf, intermediate],
    trusted: root.certificate,
    options: { servername: "LOCALHOST" },
  },
  {
    name: "the root, but no intermediate is sent",
    chain: [leaf],
    trusted: root.certificate,
    failure: `${failed} certificate signed by unknown authority`,
  },
  {
    name: "another root of the same name",
    chain: [issued("a", root)],
    trusted: authority("root").certificate,
    failure: `${failed} certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "root")`,
  },
  {
    name: "nothing",
    chain: [leaf],
    trusted: "",
    failure: `${failed} certificate signed by unknown authority`,
  },
  {
    name: "the signer, which is no CA",
    chain: [issued("a", issued("signer", root))],
    trusted: root.certificate,
    failure: `${failed} certificate signed by unknown authority`,
  },
  {
    name: "the root of one that has expired",
    chain: [issued("a", root, { notBefore: now - 2 * day, notAfter: now - day })],
    trusted: root.certificate,
    failure:
      /x509: certificate has expired or is not yet valid: current time \d{4}-\S+Z is after \S+Z$/,
  },
  {
    name: "the root of one that is not valid yet",
    chain: [issued("a", root, { notBefore: now + day, notAfter: now + 2 * day })],
    trusted: root.certificate,
    failure: /current time \d{4}-\S+Z is before \S+Z$/,
  },
  {
    name: "the root of one without names",
    chain: [issued("127.0.0.1", root, { names: {} })],
    trusted: root.certificate,
    options: { servername: "localhost" },
    failure: `${failed} certificate is not valid for any names, but wanted to match localhost`,
  },
  {
    name: "the root of one whose common name is the server's",
    chain: [issued("localhost", root, { names: {} })],
    trusted: root.certificate,
    options: { servername: "localhost" },
    failure: `${failed} certificate relies on legacy Common Name field, use SANs instead`,
  },
  {
    name: "the root of one for other names",
    chain: [issued("a", root, { names: { dns: ["a.example", "*.b.example"], ips: ["10.0.0.1"] } })],
    trusted: root.certificate,
    options: { servername: "c.example" },
    failure: `${failed} certificate is valid for a.example, *.b.example, not c.example`,
  },
  {
    name: "the root of one for other addresses",
    chain: [issued("a", root, { names: { dns: ["a.example"], ips: ["10.0.0.1", "fd00::1"] } })],
    trusted: root.certificate,
    failure: `${failed} certificate is valid for 10.0.0.1, fd00::1, not 127.0.0.1`,
  },
  {
    name: "the root of a client's certificate",
    chain: [issued("a", root, { usages: ["digital signature", "client auth"] })],
    trusted: root.certificate,
    failure: `${failed} certificate specifies an incompatible key usage`,
  },
];

for (const { name, chain, trusted, failure, options = {} } of cases) {
  test(`connectTls() that trusts ${name} ${failure ? "fails with Go's message" : "connects"}`, async () => {
    const [first] = chain;
    const got: string[] = [];
    await using server = await serving(
      createServer(
        {
          cert: chain.map(({ certificate }) => certificate).join("\n"),
          key: keyPem(first?.key ?? lone.key),
          ciphers: "DEFAULT:@SECLEVEL=0",
        } satisfies TlsOptions,
        (socket) =>
          socket.on("data", (data) => got.push(String(data))).on("error", () => undefined),
      ),
    );
    const socket = connectTls({ ...server.address, trust: trustOf(trusted), ...options });
    // Data written before the server is verified must not reach an untrusted server.
    socket.write("secret");
    const outcome = await Promise.race([
      once(socket, "error").then(([error]) => dialFailure(error, "127.0.0.1:1")),
      once(socket, "secureConnect").then(() =>
        socket.destroyed
          ? once(socket, "error").then(([error]) => dialFailure(error, ""))
          : "connected",
      ),
    ]);
    if (failure instanceof RegExp) assert.match(outcome, failure);
    else assert.equal(outcome, failure ?? "connected");
    if (failure) assert.deepEqual(got, []);
    socket.destroy();
  });
}

test("connectTls() reports a peer without TLS, or with an old version, with Go's message", async () => {
  const trust = trustOf(root.certificate);
  await using plain = await serving(createPlain((socket) => socket.end("SMTP ready\r\n")));
  const [first] = await once(connectTls({ ...plain.address, trust }), "error");
  assert.equal(dialFailure(first, "h:1"), "tls: first record does not look like a TLS handshake");
  const tls = { cert: leaf.certificate, key: keyPem(leaf.key), ciphers: "DEFAULT:@SECLEVEL=0" };
  await using old = await serving(
    createServer({ ...tls, minVersion: "TLSv1", maxVersion: "TLSv1.1" }),
  );
  const [second] = await once(connectTls({ ...old.address, trust }), "error");
  assert.equal(dialFailure(second, "h:1"), "remote error: tls: protocol version not supported");
});

test("TrustingAgent keeps connections of different trust apart", () => {
  const agent = new TrustingAgent({});
  const nameFor = (bundle: string) =>
    agent.getName({ host: "a", trust: trustOf(bundle) } as object);
  assert.equal(nameFor(root.certificate), nameFor(root.certificate));
  assert.notEqual(nameFor(root.certificate), nameFor(leaf.certificate));
});

async function serving(
  server: Server,
): Promise<AsyncDisposable & { address: { host: string; port: number } }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => undefined)));
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: { host: "127.0.0.1", port },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
