import assert from "node:assert/strict";
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { keyIdOf, parseJwt, signJwt, verifyJwt } from "./jwt.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ec384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const ed = generateKeyPairSync("ed25519");

const encode = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const rsaToken = await signJwt(rsa.privateKey, "k", { iss: "a" });
const ecToken = await signJwt(ec.privateKey, "k", { iss: "a" });
const [, claims = "", rsaSignature = ""] = rsaToken.split(".");

/** The token with another header, and the same claims and signature. */
const withHeader = (header: unknown): string => `${encode(header)}.${claims}.${rsaSignature}`;

const refused: readonly (readonly [name: string, token: string])[] = [
  ["nothing", ""],
  ["two parts", `${encode({ alg: "RS256" })}.${claims}`],
  ["four parts", `${rsaToken}.a`],
  ["padding", `${rsaToken}=`],
  ["characters of the other base64", rsaToken.replace(".", "+.")],
  ["a line break", `${rsaToken}\n`],
  ["a length that bytes cannot have", `${encode({ alg: "RS256" })}.${claims}.abcde`],
  ["a header that is no JSON", withHeader("{")],
  ["a header that is a list", withHeader([])],
  ["a header that is null", withHeader(null)],
  ["no algorithm", withHeader({ kid: "k" })],
  ["an algorithm that is no text", withHeader({ alg: ["RS256"] })],
  ["a critical header", withHeader({ alg: "RS256", crit: ["b64"], b64: false })],
  ["a critical header that is empty", withHeader({ alg: "RS256", crit: [] })],
  ["an algorithm that comes twice", withHeader('{"alg":"none","alg":"RS256"}')],
  ["the same key in another spelling", withHeader('{"alg":"none","\\u0061lg":"RS256"}')],
  ["a claim that comes twice", `${encode({ alg: "RS256" })}.${encode('{"iss":"a","iss":"b"}')}.AA`],
  [
    "a claim that comes twice further down",
    `${encode({ alg: "RS256" })}.${encode('{"a":[{"b":1,"b":2}]}')}.AA`,
  ],
  ["claims that are no object", `${encode({ alg: "RS256" })}.${encode("1")}.AA`],
  ["a token of a megabyte", `${encode({ alg: "RS256" })}.${"A".repeat(1 << 20)}.AA`],
];
for (const [name, token] of refused) {
  test(`parseJwt() refuses ${name}`, () => assert.equal(parseJwt(token), undefined));
}

test("parseJwt() accepts different keys, and texts that look like keys", () => {
  const body = { a: { a: '{"a":1,"a":2}' }, b: [{ a: 1 }, { a: 2 }], __proto__x: 1 };
  assert.deepEqual(parseJwt(`${encode({ alg: "x" })}.${encode(body)}.`)?.claims, body);
});

for (const [name, header, kid] of [
  ["a text", { alg: "x", kid: "../../k" }, "../../k"],
  ["empty", { alg: "x", kid: "" }, undefined],
  ["a number", { alg: "x", kid: 1 }, undefined],
  ["an object", { alg: "x", kid: { $ne: "" } }, undefined],
  ["a key within the token", { alg: "x", jwk: {}, jku: "https://a", x5c: [] }, undefined],
] as const) {
  test(`parseJwt() reads a key id that is ${name} as ${kid}`, () => {
    assert.equal(parseJwt(withHeader(header))?.header.kid, kid);
  });
}

/** A token signed with the public key as a secret (algorithm confusion). */
function confused(key: KeyObject, alg: string): string {
  const signed = `${encode({ alg })}.${claims}`;
  const secret = key.export({ type: "spki", format: "pem" });
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

const verified: readonly (readonly [string, string, KeyObject, boolean])[] = [
  ["the key's own token", rsaToken, rsa.publicKey, true],
  ["the private key as a public one", rsaToken, createPublicKey(rsa.privateKey), true],
  [
    "the token of another key",
    rsaToken,
    generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey,
    false,
  ],
  ["an EC token", ecToken, ec.publicKey, true],
  ["an EC token with an RSA key", ecToken, rsa.publicKey, false],
  ["an RSA token with an EC key", rsaToken, ec.publicKey, false],
  ["ES256 with a key of another curve", ecToken, ec384.publicKey, false],
  ["no signature", rsaToken.replace(/[^.]*$/, ""), rsa.publicKey, false],
  ["a signature that is cut off", ecToken.slice(0, -4), ec.publicKey, false],
  ["other claims", rsaToken.replace(claims, encode({ iss: "b" })), rsa.publicKey, false],
  ["an EC signature in DER", derSigned(), ec.publicKey, false],
  ["an EC signature of zeros", ecToken.replace(/[^.]*$/, "A".repeat(86)), ec.publicKey, false],
  ...["none", "None", "NONE", "", "HS256", "rs256", "RS256 ", "__proto__", "constructor"].map(
    (alg) => [`alg ${alg}`, withHeader({ alg }), rsa.publicKey, false] as const,
  ),
  ["alg none without a signature", `${encode({ alg: "none" })}.${claims}.`, rsa.publicKey, false],
  ["HS256 with the public key as secret", confused(rsa.publicKey, "HS256"), rsa.publicKey, false],
  ["RS256 with an HMAC", confused(rsa.publicKey, "RS256"), rsa.publicKey, false],
  ["PS256 with a signature of RS256", withHeader({ alg: "PS256" }), rsa.publicKey, false],
  ["EdDSA, which Kubernetes does not have", withHeader({ alg: "EdDSA" }), ed.publicKey, false],
];
for (const [name, token, key, expected] of verified) {
  test(`verifyJwt() ${expected ? "accepts" : "refuses"} ${name}`, () => {
    const jwt = parseJwt(token);
    assert.ok(jwt);
    assert.equal(verifyJwt(jwt, key), expected);
  });
}

/** The EC token with its signature in the other encoding. */
function derSigned(): string {
  const raw = Buffer.from(ecToken.split(".")[2] ?? "", "base64url");
  const integer = (bytes: Buffer) => Buffer.concat([Buffer.of(2, 33, 0), bytes]);
  const body = Buffer.concat([integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
  const der = Buffer.concat([Buffer.of(0x30, body.length), body]).toString("base64url");
  return ecToken.replace(/[^.]*$/, der);
}

test("verifyJwt() ignores the unused last bits of a signature, as Go does", () => {
  // 64 bytes are 86 characters, the last of which has four unused bits.
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet[alphabet.indexOf(ecToken.at(-1) ?? "") | 1] ?? "";
  const jwt = parseJwt(ecToken.slice(0, -1) + last);
  assert.ok(jwt && verifyJwt(jwt, ec.publicKey));
});

test("keyIdOf() is a digest of the public key", () => {
  assert.match(keyIdOf(ec.publicKey), /^[\w-]{43}$/);
  assert.notEqual(keyIdOf(ec.publicKey), keyIdOf(rsa.publicKey));
});
