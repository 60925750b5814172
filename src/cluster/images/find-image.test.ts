import assert from "node:assert/strict";
import { test } from "node:test";
import { findImage } from "./find-image.ts";

const images = [
  {
    id: `sha256:${"ab".repeat(32)}`,
    names: ["docker.io/library/web:1", "shop/web:1"],
    sizeBytes: 1,
  },
  { id: `sha256:${"cd".repeat(32)}`, names: ["docker.io/ann/app:latest"], sizeBytes: 1 },
];
const cases: readonly (readonly [string, number | undefined, string | undefined])[] = [
  ["web:1", 0, "docker.io/library/web:1"],
  ["docker.io/library/web:1", 0, "docker.io/library/web:1"],
  ["shop/web:1", 0, "shop/web:1"],
  ["ann/app", 1, "docker.io/ann/app:latest"],
  ["abababab", 0, undefined],
  [`sha256:${"cd".repeat(32)}`, 1, undefined],
  ["abab", undefined, undefined],
  ["web", undefined, undefined],
  ["web:2", undefined, undefined],
];
for (const [asked, index, name] of cases) {
  test(`findImage() of "${asked}" is ${index === undefined ? "none" : (name ?? "a whole image")}`, () => {
    const expected = index === undefined ? undefined : { image: images[index], name };
    assert.deepEqual(findImage(images, asked), expected);
  });
}
