import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecureContext } from "node:tls";
import { tlsSettings } from "./tls-settings.ts";

const flags = (...curves: string[]) => ({
  "tls-min-version": "",
  "tls-cipher-suites": [],
  "tls-curve-preferences": curves,
});

test("tlsSettings() maps key exchanges by their numbers", () => {
  const settings = tlsSettings(flags("4588", "29", "23"));
  assert.equal(settings.ecdhCurve, "X25519MLKEM768:X25519:P-256");
  assert.ok(createSecureContext(settings));
  assert.equal("ecdhCurve" in tlsSettings(flags()), false);
});

for (const [curves, message] of [
  [["0"], /curve preference 0 is out of range \(must be 1-65535\)/],
  [["29", "29"], /duplicate curve preference 29/],
  [["1"], /curve preference 1 is not supported/],
] as const) {
  test(`tlsSettings() refuses curves ${curves.join(",")}`, () => {
    assert.throws(() => tlsSettings(flags(...curves)), message);
  });
}
