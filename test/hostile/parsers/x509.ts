import { createPublicKey } from "node:crypto";
import { readCertificate } from "#/std/x509/certificate.ts";
import { readCertificateRequest, readPemRequest } from "#/std/x509/certificate-request.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { DerError, readDer, readOid } from "#/std/x509/der.ts";
import { sequence } from "#/std/x509/der-writer.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { parseJwt, verifyJwt } from "#/std/x509/jwt.ts";
import { readPemBlocks, writePem } from "#/std/x509/pem.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around } from "./growths.ts";

const key = generateKey("ec");
const names = {
  dns: ["kubernetes", "*.example.com"],
  ips: ["10.0.0.1", "fd00::1"],
  emails: ["a@example.com"],
  uris: ["spiffe://a/b"],
};
const subject = { commonName: "system:node:a", organizations: ["system:nodes", "b"] };
const certificate = selfSign(
  {
    subject,
    names,
    usages: ["digital signature", "cert sign", "client auth", "server auth"],
    isAuthority: true,
    notBefore: 1_700_000_000_000,
    notAfter: 2_000_000_000_000,
  },
  key,
);
const request = createCertificateRequest({ subject, names, key });
const derOf = (pem: string): Buffer => readPemBlocks(pem)[0]?.der ?? Buffer.alloc(0);

/** All nested elements, at any depth. */
function walk(bytes: Uint8Array): number {
  let count = 0;
  const open = [bytes];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const { tag, content } of readDer(next)) {
      count++;
      if (tag === 0x06) readOid(content);
      if ((tag & 0x20) !== 0) open.push(content);
    }
  }
  return count;
}

const publicKey = createPublicKey(key);
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const token = `${encode({ alg: "ES256", kid: "a" })}.${encode({ iss: "a", exp: 1 })}.${"A".repeat(86)}`;

export const x509Parsers: readonly HostileParser[] = [
  hostileParser({
    name: "der",
    corpus: [derOf(certificate), derOf(request), sequence(sequence(sequence()))],
    parse: walk,
    errors: [DerError],
    grows: ["\u0005\u0000", "\u0006\u0001\u0001"],
  }),
  hostileParser({
    name: "x509",
    corpus: [derOf(certificate)],
    parse: readCertificate,
    errors: [DerError],
    inputs: 300,
  }),
  hostileParser({
    name: "pkcs10",
    corpus: [derOf(request)],
    parse: readCertificateRequest,
    errors: [DerError],
    inputs: 300,
  }),
  hostileParser({
    name: "csr",
    corpus: [request],
    parse: readPemRequest,
    errors: [DerError],
    grows: ["-----BEGIN CERTIFICATE REQUEST-----\n"],
  }),
  hostileParser({
    name: "pem",
    corpus: [
      certificate,
      `${certificate}text\n${request}`,
      "-----BEGIN A-----\nB: c\n\nAAAA\n-----END A-----\n",
    ],
    parse: (input) => readPemBlocks(input.toString("latin1")),
    write: (blocks) => blocks.map(({ type, der }) => writePem(type, der)).join(""),
    errors: [],
    tokens: ["-----BEGIN ", "-----END ", "-----", "\n", ": "],
    grows: [
      "-----BEGIN A-----\n",
      "-----BEGIN ",
      "-----END A-----\n",
      "-----BEGIN A-----\nAAAA\n",
      around("-----BEGIN A-----\n", "\n"),
      around("-----BEGIN A-----", " "),
      around("-----BEGIN A-----\n", "a:\n", "-----END A-----\n"),
      around("-----BEGIN A-----\n", "a", "\n-----END A-----\n"),
      around("-----BEGIN A-----\n\n-----END A-----", " ", "x"),
    ],
  }),
  hostileParser({
    name: "jwt",
    corpus: [token],
    parse: (input) => {
      const jwt = parseJwt(input.toString("latin1"));
      return jwt && verifyJwt(jwt, publicKey);
    },
    errors: [],
    tokens: [
      ".",
      encode({ alg: "none" }),
      encode({ alg: "HS256" }),
      encode({ crit: ["b64"] }),
      "=",
      "e30",
    ],
    grows: [".", "a", "e30."],
  }),
];
