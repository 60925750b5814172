import assert from "node:assert/strict";
import { test } from "node:test";
import { readCertificate } from "./certificate.ts";
import { readCertificateRequest } from "./certificate-request.ts";
import { createCertificateRequest } from "./create-request.ts";
import { DerError, readAddress, readBoolean, readDer, readOid } from "./der.ts";
import { selfSign } from "./issue-certificate.ts";
import { readPemBlocks } from "./pem.ts";
import { generateKey } from "./signing-key.ts";

const refused: readonly (readonly [name: string, hex: string, message: string])[] = [
  ["a length in more bytes than it needs", "048101ff", "DER length is not minimal"],
  ["a length with a leading zero", "04820001ff", "DER length is not minimal"],
  ["a length that is cut off", "0482ff", "DER ends too early"],
  ["a length of unknown size", "0480ff0000", "DER length is out of range"],
  ["a tag of several bytes", "1f8101", "DER tag is out of range"],
  ["too many elements", "0500".repeat(20_000), "DER has too many elements"],
];
for (const [name, hex, message] of refused) {
  test(`readDer() refuses ${name}`, () => {
    assert.throws(() => readDer(Buffer.from(hex, "hex")), new DerError(message));
  });
}

for (const hex of ["", "80", "2a80", "2a8001", "2affffffffff7f", "01".repeat(200)]) {
  test(`readOid() refuses ${hex.slice(0, 20)}`, () => {
    assert.throws(
      () => readOid(Buffer.from(hex, "hex")),
      new DerError("invalid object identifier"),
    );
  });
}

for (const bytes of [0, 1, 5, 8, 17]) {
  test(`readAddress() refuses ${bytes} bytes`, () => {
    const message = `x509: cannot parse IP address of length ${bytes}`;
    assert.throws(() => readAddress(Buffer.alloc(bytes)), new DerError(message));
  });
}

test("readBoolean() accepts no other byte as true: a critical extension must not become uncritical", () => {
  assert.equal(readBoolean({ tag: 1, content: Buffer.of(0xff) }), true);
  assert.equal(readBoolean({ tag: 1, content: Buffer.of(0) }), false);
  assert.throws(() => readBoolean({ tag: 1, content: Buffer.of(1) }), DerError);
});

const key = generateKey();
const derOf = (pem: string): Buffer => readPemBlocks(pem)[0]?.der ?? Buffer.alloc(0);
const certificate = derOf(
  selfSign(
    {
      subject: { commonName: "a" },
      names: { ips: ["1.2.3.4"] },
      usages: ["cert sign"],
      isAuthority: true,
      notBefore: 0,
      notAfter: 2_000_000_000_000,
    },
    key,
  ),
);

/** The certificate with some bytes replaced. */
function changed(from: string, to: string): Buffer {
  const hex = certificate.toString("hex");
  assert.ok(hex.includes(from), `${from} is in the certificate`);
  return Buffer.from(hex.replace(from, to), "hex");
}

test("readCertificate() refuses a critical flag that is neither true nor false", () => {
  // Basic constraints, critical.
  assert.throws(() => readCertificate(changed("0603551d130101ff", "0603551d13010101")), DerError);
});

test("readCertificate() refuses a duplicate extension", () => {
  // Key usage becomes a second basic constraints.
  const message = "x509: certificate contains duplicate extensions";
  const twice = changed("0603551d0f", "0603551d13");
  assert.throws(() => readCertificate(twice), new DerError(message));
});

test("readCertificateRequest() refuses an invalid key with a DerError", () => {
  const request = derOf(createCertificateRequest({ subject: { commonName: "a" }, key }));
  const broken = Buffer.from(
    request.toString("hex").replace("2a8648ce3d0201", "2a8648ce3d0209"),
    "hex",
  );
  assert.throws(() => readCertificateRequest(broken), DerError);
});
