import assert from "node:assert/strict";
import { test } from "node:test";
import { decodePath } from "../model/request-path.ts";
import { escapePath } from "./location.ts";

/** Raw paths, and what Go's net/url sends for the decoded path. */
const cases: readonly (readonly [raw: string, sent: string])[] = [
  ["/a", "/a"],
  ["/%61", "/a"],
  ["/a%2fb", "/a/b"],
  ["/%c3%a9", "/%C3%A9"],
  ["/%ff", "/%FF"],
  ["/%FF%61%2F", "/%FFa/"],
  ["/%c3", "/%C3"],
  ["/%c3%c3%a9", "/%C3%C3%A9"],
  ["/%e2%82%41", "/%E2%82A"],
  ["/%ed%a0%80", "/%ED%A0%80"],
  ["/%f0%9f%98%80", "/%F0%9F%98%80"],
  ["/%f0%9f%98%80%80", "/%F0%9F%98%80%80"],
];

test("decodePath() keeps bytes that are not UTF-8, and escapePath() writes them again", () => {
  for (const [raw, sent] of cases) assert.equal(escapePath(decodePath(raw)), sent, raw);
});

test("decodePath() decodes an encoded slash beside bytes that are not UTF-8", () => {
  assert.equal(decodePath("/a%2fb%ff"), "/a/b\udcff");
});
