import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readCertificate } from "./certificate.ts";
import { readCertificateRequest } from "./certificate-request.ts";
import { createCertificateRequest } from "./create-request.ts";
import { integer, sequence, time } from "./der-writer.ts";
import { issueCertificate, nameBytes, selfSign } from "./issue-certificate.ts";
import { writePem } from "./pem.ts";
import { generateKey, signatureAlgorithm, signed } from "./signing-key.ts";
import { verifyChain } from "./verify-chain.ts";

const now = Date.UTC(2026, 5, 1);
const validity = { notBefore: now - 3600_000, notAfter: now + 86_400_000 };
const authorityOptions = {
  subject: { commonName: "test-ca" },
  usages: ["digital signature", "key encipherment", "cert sign"],
  isAuthority: true,
  ...validity,
};
const names = {
  dns: ["kubernetes", "kubernetes.default.svc"],
  ips: ["10.96.0.1", "fd00::1"],
  emails: ["a@example.com"],
  uris: ["spiffe://example/x"],
};

const derOf = (text: string): Buffer =>
  Buffer.from(text.replace(/-----[^-]+-----|\s/g, ""), "base64");

for (const [type, key] of [
  ["EC", generateKey()],
  ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey],
  ["Ed25519", generateKeyPairSync("ed25519").privateKey],
] as const) {
  test(`issueCertificate() makes certificates signed by a CA with a key of type ${type}`, () => {
    const authority = selfSign(authorityOptions, key);
    const leaf = issueCertificate(
      {
        subject: { commonName: "system:node:n1", organizations: ["system:nodes"] },
        publicKey: createPublicKey(generateKey()),
        usages: ["digital signature", "client auth"],
        names,
        ...validity,
      },
      { certificate: authority, key },
    );
    const read = readCertificate(derOf(leaf));
    verifyChain([read], [readCertificate(derOf(authority))], { now, purpose: "client auth" });
    assert.deepEqual(
      read.subject.map(({ value }) => value),
      ["system:nodes", "system:node:n1"],
    );
    const x509 = new X509Certificate(leaf);
    assert.equal(x509.checkHost("kubernetes.default.svc"), "kubernetes.default.svc");
    assert.equal(x509.checkIP("10.96.0.1"), "10.96.0.1");
    assert.equal(x509.checkIP("fd00::1"), "fd00::1");
  });
}

test("issueCertificate() refuses an unknown usage", () => {
  assert.throws(() => selfSign({ ...authorityOptions, usages: ["flying"] }, generateKey()), {
    message: 'unrecognized usage values: ["flying"]',
  });
});

test("createCertificateRequest() makes a request that readCertificateRequest() reads", () => {
  const key = generateKey();
  const subject = { commonName: "system:node:n1", organizations: ["system:nodes"] };
  const read = readCertificateRequest(derOf(createCertificateRequest({ subject, names, key })));
  assert.deepEqual(read.names, names);
  assert.equal(read.signatureProblem, undefined);
  assert.deepEqual(
    read.subject.map(({ oid, value }) => [oid, value]),
    [
      ["2.5.4.10", "system:nodes"],
      ["2.5.4.3", "system:node:n1"],
    ],
  );
});

test("createCertificateRequest() and issueCertificate() are read by openssl", () => {
  const directory = mkdtempSync(join(tmpdir(), "k8ts-x509-"));
  try {
    const key = generateKey();
    const authority = selfSign(authorityOptions, key);
    const request = createCertificateRequest({ subject: { commonName: "x" }, names, key });
    const leaf = issueCertificate(
      {
        subject: readCertificateRequest(derOf(request)).subjectBytes,
        publicKey: createPublicKey(generateKey()),
        usages: ["digital signature", "decipher only", "server auth"],
        names,
        notBefore: Date.UTC(2020, 0, 1),
        notAfter: Date.UTC(2060, 0, 1),
      },
      { certificate: authority, key },
    );
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text);
      return join(directory, name);
    };
    const openssl = (...args: string[]): string =>
      execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    assert.match(
      openssl("req", "-noout", "-text", "-in", file("r", request)),
      /DNS:kubernetes, DNS:kubernetes.default.svc, email:a@example.com, IP Address:10.96.0.1/,
    );
    const text = openssl("x509", "-noout", "-text", "-in", file("l", leaf));
    assert.match(text, /Digital Signature, Decipher Only\n/);
    assert.match(text, /TLS Web Server Authentication\n/);
    openssl(
      "verify",
      "-attime",
      `${now / 1000}`,
      "-CAfile",
      file("ca", authority),
      file("l", leaf),
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
});

for (const [year, tag] of [
  [1949, 0x18],
  [1950, 0x17],
  [2026, 0x17],
  [2049, 0x17],
  [2050, 0x18],
] as const) {
  test(`certificates write the year ${year} as ${tag === 0x17 ? "UTCTime" : "GeneralizedTime"}`, () => {
    const encoded = time(Date.UTC(year, 1, 3, 4, 5, 6));
    const text = `${tag === 0x17 ? String(year).slice(2) : year}0203040506Z`;
    assert.deepEqual([encoded[0], encoded.subarray(2).toString()], [tag, text]);
  });
}

test("verifyChain() trusts a root without extensions for clients, as Go does", () => {
  const key = generateKey();
  const name = nameBytes({ commonName: "old root" });
  const body = sequence(
    integer(Buffer.of(7)),
    signatureAlgorithm(key),
    name,
    sequence(time(validity.notBefore), time(validity.notAfter)),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
  );
  const root = writePem("CERTIFICATE", signed(body, key));
  const leaf = issueCertificate(
    {
      subject: { commonName: "client" },
      publicKey: createPublicKey(generateKey()),
      usages: ["digital signature", "client auth"],
      ...validity,
    },
    { certificate: root, key },
  );
  const chain = [readCertificate(derOf(leaf))];
  verifyChain(chain, [readCertificate(derOf(root))], { now, purpose: "client auth" });
  assert.throws(
    () => verifyChain(chain, [readCertificate(derOf(root))], { now, purpose: "server auth" }),
    { message: "x509: certificate specifies an incompatible key usage" },
  );
});
