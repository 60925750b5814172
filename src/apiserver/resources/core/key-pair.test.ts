import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { keyPairProblem } from "./key-pair.ts";

const pem = (type: string, body = "AAAA"): string =>
  `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`;
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const cases = [
  {
    name: "no certificate",
    certificate: "x",
    key,
    problem: "tls: failed to find any PEM data in certificate input",
  },
  {
    name: "a key for a certificate",
    certificate: key,
    key,
    problem:
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
  },
  {
    name: "no key",
    certificate: pem("CERTIFICATE"),
    key: "",
    problem: "tls: failed to find any PEM data in key input",
  },
  {
    name: "a certificate for a key",
    certificate: pem("CERTIFICATE"),
    key: pem("CERTIFICATE"),
    problem: "tls: found a certificate rather than a key in the PEM for the private key",
  },
  {
    name: "something else",
    certificate: pem("X"),
    key,
    problem:
      'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [X]',
  },
];

for (const { name, certificate, key: text, problem } of cases) {
  test(`keyPairProblem() reports ${name}`, () => {
    assert.equal(keyPairProblem(certificate, text), problem);
  });
}
