import assert from "node:assert/strict";
import { test } from "node:test";
import { normalizeAnchors } from "./normalize-anchors.ts";
import { cleanChain } from "./trust-bundles.ts";

const block = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;

test("normalizeAnchors() gives each certificate once, without comments", () => {
  const texts = [`# one\n${block("QUJD")}${block("RE\nVG")}`, block("QUJD")];
  assert.equal(normalizeAnchors(texts), block("QUJD") + block("REVG"));
});

test("cleanChain() keeps the order", () => {
  assert.equal(cleanChain(`x\n${block("Wg==")}y\n${block("QQ==")}`), block("Wg==") + block("QQ=="));
});
