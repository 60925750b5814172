import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { parseJwt, signJwt } from "#/std/x509/jwt.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import type { IssuerKeys } from "./issuer-keys.ts";
import { verifyToken } from "./verify-token.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const issuer = { find: async () => [publicKey] } as unknown as IssuerKeys;
const clock = new FakeClock();
const now = Math.floor(clock.now() / 1000);
const expired = "oidc: token is expired";
const early = "oidc: current time is before the nbf (not before) time";

/** The error for a token with these claims; undefined if it is valid. */
const cases: readonly (readonly [name: string, claims: object, problem: string | undefined])[] = [
  ["valid", { exp: now + 60 }, undefined],
  ["a fraction of a second", { exp: now + 60.9 }, undefined],
  ["no expiry", {}, expired],
  ["expiry null", { exp: null }, expired],
  ["expiry now", { exp: now }, expired],
  ["expiry in a second", { exp: now + 1 }, undefined],
  ["expiry 0", { exp: 0 }, expired],
  ["expiry before 1970", { exp: -1 }, expired],
  ["expiry as text", { exp: String(now + 60) }, "claim exp is no number"],
  ["expiry far away", { exp: 1e300 }, undefined],
  ["not before now", { exp: now + 60, nbf: now }, undefined],
  ["not before within the leeway", { exp: now + 600, nbf: now + 300 }, undefined],
  ["not before after the leeway", { exp: now + 600, nbf: now + 301 }, early],
  ["not before as text", { exp: now + 60, nbf: "0" }, "claim nbf is no number"],
  ["issued in the future", { exp: now + 60, iat: now + 1e6 }, undefined],
  ["issued at no number", { exp: now + 60, iat: {} }, "claim iat is no number"],
  ["another audience", { exp: now + 60, aud: "b" }, 'oidc: expected audience in ["a"] got ["b"]'],
  ["no audience", { exp: now + 60, aud: [] }, 'oidc: expected audience in ["a"] got []'],
  ["one of several audiences", { exp: now + 60, aud: ["b", "a"] }, undefined],
];
for (const [name, claims, problem] of cases) {
  test(`verifyToken() ${problem === undefined ? "takes" : "refuses"} ${name}`, async () => {
    const jwt = parseJwt(await signJwt(privateKey, "k", { aud: "a", ...claims }));
    assert.ok(jwt);
    const verified = verifyToken(jwt, issuer, { algorithms: ["ES256"], audiences: ["a"], clock });
    if (problem === undefined) await verified;
    else await assert.rejects(verified, { message: problem });
  });
}

test("verifyToken() refuses an algorithm that is not configured", async () => {
  const jwt = parseJwt(await signJwt(privateKey, "k", { aud: "a", exp: now + 60 }));
  assert.ok(jwt);
  const verified = verifyToken(jwt, issuer, { algorithms: ["RS256"], audiences: ["a"], clock });
  const message = 'oidc: malformed jwt: unexpected signature algorithm "ES256"';
  await assert.rejects(verified, { message });
});
