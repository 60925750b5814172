import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import { readCertificate } from "#/std/x509/certificate.ts";
import { issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { type FrontProxy, forwardedUser } from "./front-proxy.ts";

const now = Date.UTC(2026, 0, 1);
const validity = { notBefore: now - 1000, notAfter: now + 1000 };

const read = (pem: string) =>
  readCertificate(readPemBlocks(pem)[0]?.der ?? assert.fail("no certificate"));

/** An authority, and a function that issues a client certificate of it. */
function authority(commonName: string) {
  const key = generateKey();
  const usages = ["cert sign"];
  const subject = { commonName };
  const certificate = selfSign({ subject, names: {}, usages, isAuthority: true, ...validity }, key);
  const issue = (name: string) => {
    const publicKey = createPublicKey(generateKey());
    const client = { subject: { commonName: name }, publicKey, names: {}, ...validity };
    return read(issueCertificate({ ...client, usages: ["client auth"] }, { certificate, key }));
  };
  return { certificate: read(certificate), issue };
}

const proxies = authority("proxies");
const proxy: FrontProxy = {
  authorities: [proxies.certificate],
  allowedNames: ["aggregator"],
  usernameHeaders: ["X-Remote-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group"],
  extraPrefixes: ["X-Remote-Extra-"],
};
const headers = {
  "x-remote-user": ["alice"],
  "x-remote-group": ["system:authenticated", "dev"],
  "x-remote-extra-example.com%2frole": ["a", "b"],
};

test("forwardedUser() has the user, groups and extra of the headers", () => {
  assert.deepEqual(forwardedUser(proxy, [proxies.issue("aggregator")], headers, now), {
    name: "alice",
    groups: ["system:authenticated", "dev"],
    extra: { "example.com/role": ["a", "b"] },
  });
});

test("forwardedUser() ignores the headers of clients with other certificates", () => {
  const client = authority("clients").issue("aggregator");
  assert.equal(forwardedUser(proxy, [client], headers, now), undefined);
  assert.equal(forwardedUser(proxy, [], headers, now), undefined);
});

test("forwardedUser() refuses other names of the proxies' authority", () => {
  assert.throws(
    () => forwardedUser(proxy, [proxies.issue("mallory")], headers, now),
    /^Error: x509: subject with cn=mallory is not in the allowed list$/,
  );
  const open = { ...proxy, allowedNames: [] };
  assert.equal(forwardedUser(open, [proxies.issue("mallory")], headers, now)?.name, "alice");
});

test("forwardedUser() needs a user's name, and a valid certificate", () => {
  const own = [proxies.issue("aggregator")];
  assert.equal(forwardedUser(proxy, own, { "x-remote-group": ["dev"] }, now), undefined);
  assert.equal(forwardedUser(proxy, own, headers, now + 5000), undefined);
});
