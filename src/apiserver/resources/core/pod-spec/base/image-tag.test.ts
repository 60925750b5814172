import assert from "node:assert/strict";
import { test } from "node:test";
import { imageTag } from "./image-tag.ts";

const digest = `sha256:${"0".repeat(64)}`;

const cases: readonly (readonly [image: string, tag: string])[] = [
  ["app", "latest"],
  ["app:1", "1"],
  ["team/app", "latest"],
  ["localhost/app", "latest"],
  ["localhost:5000/app", "latest"],
  ["localhost:5000/app:2", "2"],
  ["registry.example.com/team/app:v1.2-rc_3", "v1.2-rc_3"],
  ["[::1]:5000/app:x", "x"],
  [`app@${digest}`, ""],
  [`app:latest@${digest}`, "latest"],
  ["app@sha256:00", ""],
  [`app@md5:${"0".repeat(32)}`, ""],
  ["", ""],
  ["App", ""],
  ["team/App", ""],
  ["app:", ""],
  ["app::1", ""],
  [" app", ""],
  ["app//x", ""],
  ["a__b:1", "1"],
  ["a___b:1", ""],
  ["0".repeat(64), ""],
  [`app:${"a".repeat(129)}`, ""],
  ["a".repeat(248), ""],
  [`x/${"a".repeat(253)}`, "latest"],
];

for (const [image, tag] of cases) {
  test(`imageTag() parses ${image.slice(0, 60)}`, () => assert.equal(imageTag(image), tag));
}
