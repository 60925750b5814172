import assert from "node:assert/strict";
import test from "node:test";
import {
  bodyMediaType,
  bodyPatchType,
  customPatchTypes,
  mediaTypes,
  patchTypes,
} from "./media-type.ts";
import { wantsPretty } from "./negotiate.ts";

const bodies: [contentType: string | undefined, expected: string | undefined][] = [
  [undefined, "application/json"],
  ["", "application/json"],
  ["application/json", "application/json"],
  ["Application/JSON", "application/json"],
  ["application/json; charset=utf-8", "application/json"],
  ['application/yaml;charset="utf-8";x=y;', "application/yaml"],
  ["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"],
  ["application/json; charset", undefined],
  ["application/json, application/yaml", undefined],
  ["text/plain", undefined],
  ["application/cbor", undefined],
];
for (const [contentType, expected] of bodies) {
  test(`bodyMediaType() takes ${contentType} for ${expected}`, () => {
    assert.equal(bodyMediaType(contentType, mediaTypes), expected);
  });
}

const patches: [contentType: string | undefined, expected: string | undefined][] = [
  ["application/merge-patch+json", "application/merge-patch+json"],
  ["application/json-patch+json; charset=utf-8", "application/json-patch+json"],
  ["application/apply-patch+yaml;x", "application/apply-patch+yaml"],
  ["application/json", undefined],
  [";application/json-patch+json", undefined],
  [undefined, undefined],
];
for (const [contentType, expected] of patches) {
  test(`bodyPatchType() takes ${contentType} for ${expected}`, () => {
    assert.equal(bodyPatchType(contentType, patchTypes), expected);
  });
}

test("bodyPatchType() rejects strategic merge patches of custom resources", () => {
  const strategic = "application/strategic-merge-patch+json";
  assert.equal(bodyPatchType(strategic, patchTypes), strategic);
  assert.equal(bodyPatchType(strategic, customPatchTypes), undefined);
});

const readers: [query: string | undefined, userAgent: string | undefined, expected: boolean][] = [
  [undefined, undefined, false],
  [undefined, "curl/8.5.0", true],
  [undefined, "Mozilla/5.0 (X11)", true],
  [undefined, "kubectl/v1.37.1", false],
  ["true", "kubectl/v1.37.1", true],
  ["0", "curl/8.5.0", false],
  ["maybe", "curl/8.5.0", false],
  ["", "Wget/1.21", true],
];
for (const [query, userAgent, expected] of readers) {
  test(`wantsPretty() is ${expected} for pretty=${query} and ${userAgent}`, () => {
    assert.equal(wantsPretty(query, userAgent), expected);
  });
}
