import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Certificate, readCertificate } from "#/std/x509/certificate.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { Exchange } from "../model/exchange.ts";
import { clientCertificate, PeerVerifier } from "./client-certificate.ts";
import { requestHeader } from "./request-header.ts";

const directory = mkdtempSync(join(tmpdir(), "certificates-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const day = 24 * 60 * 60 * 1000;

interface Issue {
  readonly name: string;
  readonly subject: string;
  /** The name of the issuing authority; absent if self-signed. */
  readonly by?: string;
  readonly extensions?: readonly string[];
}

/** Makes a key and a certificate with the openssl program, and returns the certificate's bytes. */
function issue({ name, subject, by, extensions = [] }: Issue): Uint8Array {
  const file = (kind: string, of = name): string => join(directory, `${of}.${kind}`);
  const openssl = (...args: string[]): void => {
    execFileSync("openssl", args, { stdio: "pipe" });
  };
  openssl(
    "genpkey",
    "-algorithm",
    "EC",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-out",
    file("key"),
  );
  writeFileSync(file("ext"), extensions.join("\n"));
  openssl("req", "-new", "-key", file("key"), "-subj", subject, "-utf8", "-out", file("csr"));
  const signer = by
    ? ["-CA", file("crt", by), "-CAkey", file("key", by), "-CAcreateserial"]
    : ["-signkey", file("key")];
  const common = ["-in", file("csr"), "-out", file("crt"), "-days", "2", "-extfile", file("ext")];
  openssl("x509", "-req", ...signer, ...common);
  return new X509Certificate(readFileSync(file("crt"))).raw;
}

const authority = ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign"];
const client = ["extendedKeyUsage=clientAuth"];
const ca = issue({ name: "ca", subject: "/CN=ca", extensions: authority });
const otherCa = issue({ name: "other", subject: "/CN=ca", extensions: authority });
const roots = [readCertificate(ca)];
const clock = new FakeClock((roots[0]?.notBefore ?? 0) + day);

function exchange(certificates: Uint8Array[], headers: Record<string, string> = {}): Exchange {
  return { peer: { address: "", certificates, secure: true }, headers } as unknown as Exchange;
}

const verifier = (list: readonly Certificate[] = roots): PeerVerifier =>
  new PeerVerifier(() => list, clock);
const authenticate = (...certificates: Uint8Array[]) =>
  clientCertificate(verifier()).authenticate(exchange(certificates));

test("clientCertificate() takes CN for the user and each O for a group", () => {
  const raw = issue({
    name: "carol",
    subject: "/O=dev/O=a\\,b \\+ ü/CN=carol",
    by: "ca",
    extensions: client,
  });
  const fingerprint = new X509Certificate(raw).fingerprint256.replaceAll(":", "").toLowerCase();
  assert.deepEqual(authenticate(raw), {
    name: "carol",
    groups: ["dev", "a,b + ü"],
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  });
});

test("clientCertificate() finds no user without a certificate or a common name", () => {
  assert.equal(authenticate(), undefined);
  const raw = issue({ name: "noname", subject: "/O=dev", by: "ca", extensions: client });
  assert.equal(authenticate(raw), undefined);
});

test("clientCertificate() trusts a chain through an intermediate authority", () => {
  const middle = issue({ name: "middle", subject: "/CN=middle", by: "ca", extensions: authority });
  const raw = issue({ name: "deep", subject: "/CN=deep", by: "middle", extensions: client });
  assert.deepEqual((authenticate(raw, middle) as { name: string }).name, "deep");
  assert.throws(() => authenticate(raw), /unknown authority/);
});

const refused: readonly { name: string; make: () => Uint8Array[]; message: RegExp }[] = [
  {
    name: "a certificate of another authority with the same name",
    make: () => [
      issue({ name: "fake", subject: "/CN=x", by: "other", extensions: client }),
      otherCa,
    ],
    message: /unknown authority/,
  },
  {
    name: "a self-signed certificate",
    make: () => [issue({ name: "own", subject: "/CN=admin/O=system:masters", extensions: client })],
    message: /unknown authority/,
  },
  {
    name: "a server's certificate",
    make: () => [
      issue({
        name: "server",
        subject: "/CN=x",
        by: "ca",
        extensions: ["extendedKeyUsage=serverAuth"],
      }),
    ],
    message: /incompatible key usage/,
  },
  {
    name: "a certificate signed by a client certificate",
    make: () => {
      const middle = issue({ name: "leafca", subject: "/CN=y", by: "ca", extensions: client });
      return [issue({ name: "leaf", subject: "/CN=x", by: "leafca", extensions: client }), middle];
    },
    message: /unknown authority/,
  },
  {
    name: "a certificate below an authority with a path length that is exceeded",
    make: () => {
      const limited = ["basicConstraints=critical,CA:true,pathlen:0", "keyUsage=keyCertSign"];
      const top = issue({ name: "top", subject: "/CN=top", by: "ca", extensions: limited });
      const low = issue({ name: "low", subject: "/CN=low", by: "top", extensions: authority });
      return [issue({ name: "lowest", subject: "/CN=x", by: "low", extensions: client }), low, top];
    },
    message: /unknown authority/,
  },
  {
    name: "a certificate below an authority with constraints on names",
    make: () => {
      const limited = [...authority, "nameConstraints=critical,permitted;DNS:example.com"];
      const top = issue({ name: "named", subject: "/CN=named", by: "ca", extensions: limited });
      return [issue({ name: "below", subject: "/CN=x", by: "named", extensions: client }), top];
    },
    message: /unknown authority/,
  },
];

for (const { name, make, message } of refused) {
  test(`clientCertificate() refuses ${name}`, () => {
    const chain = make();
    assert.throws(() => authenticate(...chain), message);
  });
}

test("PeerVerifier refuses a certificate once it has expired, on the same connection too", async () => {
  const raw = issue({ name: "old", subject: "/CN=old", by: "ca", extensions: client });
  const later = new FakeClock(clock.now());
  const authenticator = clientCertificate(new PeerVerifier(() => roots, later));
  const connection = exchange([raw]);
  assert.equal((authenticator.authenticate(connection) as { name: string }).name, "old");
  await later.advance(3 * day);
  assert.throws(() => authenticator.authenticate(connection), /expired/);
});

test("PeerVerifier examines a refused certificate once for the requests of a connection, until time may make it valid", async () => {
  const raw = issue({ name: "early", subject: "/CN=early", by: "ca", extensions: client });
  const time = new FakeClock(readCertificate(raw).notBefore - 5_000);
  const authenticator = clientCertificate(new PeerVerifier(() => roots, time));
  const connection = exchange([raw]);
  const [first, second] = [1, 2].map(() => {
    try {
      return authenticator.authenticate(connection);
    } catch (error) {
      return error;
    }
  });
  assert.match(`${first}`, /not yet valid/);
  assert.equal(first, second);
  await time.advance(15_000);
  assert.equal((authenticator.authenticate(connection) as { name: string }).name, "early");
});

test("requestHeader() trusts a proxy with a certificate of its authority and an allowed name only", () => {
  const proxy = issue({ name: "front", subject: "/CN=front", by: "ca", extensions: client });
  const stranger = issue({ name: "back", subject: "/CN=back", by: "ca", extensions: client });
  const authenticator = requestHeader({
    verifier: verifier(),
    allowedNames: ["front"],
    usernameHeaders: ["X-Remote-User"],
    uidHeaders: ["X-Remote-Uid"],
    groupHeaders: ["X-Remote-Group"],
    extraPrefixes: ["X-Remote-Extra-"],
  });
  const headers = {
    "x-remote-user": "alice",
    "x-remote-uid": "7",
    "x-remote-group": "a, b",
    "x-remote-extra-scopes%2fone": "s",
  };
  assert.deepEqual(authenticator.authenticate(exchange([proxy], headers)), {
    name: "alice",
    uid: "7",
    groups: ["a, b"],
    extra: { "scopes/one": ["s"] },
  });
  assert.equal(authenticator.authenticate(exchange([proxy])), undefined);
  assert.equal(authenticator.authenticate(exchange([], headers)), undefined);
  assert.throws(() => authenticator.authenticate(exchange([stranger], headers)), /allowed list/);
});
