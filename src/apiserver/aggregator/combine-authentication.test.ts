import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { combineAuthentication } from "./combine-authentication.ts";

const day = 24 * 60 * 60 * 1000;

test("combineAuthentication() keeps all certificates except expired ones", async () => {
  const folder = await mkdtemp(join(tmpdir(), "k8ts-trust-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  const certificate = async () => readFile((await TestAuthority.create(folder)).caFile, "utf8");
  const [first, second] = [await certificate(), await certificate()];
  const own = {
    clientAuthority: first,
    requestHeaderAuthority: second,
    usernameHeaders: ["X-Remote-User"],
    uidHeaders: [],
    groupHeaders: ["X-Remote-Group"],
    extraPrefixes: ["X-Remote-Extra-"],
    allowedNames: ["front"],
  };
  const now = 0;
  const before = {
    "client-ca-file": second,
    "requestheader-client-ca-file": second,
    "requestheader-allowed-names": '["other"]',
  };
  const combined = combineAuthentication(before, own, now);
  assert.deepEqual(combined, {
    "client-ca-file": second + first,
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    "requestheader-client-ca-file": second,
    "requestheader-allowed-names": '["other","front"]',
  });
  assert.deepEqual(combineAuthentication(combined, own, now), combined);
  const nobody = { ...own, clientAuthority: "", requestHeaderAuthority: "" };
  const { length } = Object.keys(combineAuthentication(before, nobody, 100_000 * day));
  assert.equal(length, 0);
});
