import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { isStillValid } from "./kubeconfig-validity.ts";

const clock = new FakeClock();
const dayMs = 24 * 3600 * 1000;
const certificate = (notAfter: number): string =>
  selfSign(
    {
      subject: { commonName: "system:node:n" },
      usages: ["digital signature"],
      notBefore: clock.now() - 2 * dayMs,
      notAfter,
    },
    generateKey(),
  );
const valid = certificate(clock.now() + dayMs);
const expired = certificate(clock.now() - dayMs);

const cases: [string, object | undefined, boolean][] = [
  ["no file", undefined, false],
  ["a token", { token: "t" }, true],
  ["a valid certificate", { "client-certificate": "c.pem", "client-key": "c.pem" }, true],
  ["an expired certificate", { "client-certificate": "old.pem", "client-key": "c.pem" }, false],
  [
    "a chain with an expired certificate",
    { "client-certificate": "chain.pem", "client-key": "c.pem" },
    false,
  ],
  [
    "an expired certificate inline",
    { "client-certificate-data": btoa(expired), "client-key": "c.pem" },
    false,
  ],
  [
    "a valid certificate inline",
    { "client-certificate-data": btoa(valid), "client-key": "c.pem" },
    true,
  ],
  ["a missing certificate", { "client-certificate": "none.pem", "client-key": "c.pem" }, false],
];
for (const [name, user, expected] of cases) {
  test(`isStillValid() of a kubeconfig with ${name} is ${expected}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), "k8ts-kubeconfig-"));
    const path = join(directory, "kubeconfig");
    await writeFile(join(directory, "c.pem"), valid);
    await writeFile(join(directory, "old.pem"), expired);
    await writeFile(join(directory, "chain.pem"), `${valid}${expired}`);
    if (user) await writeFile(path, JSON.stringify(kubeconfigOf(user)));
    assert.equal(await isStillValid(path, clock), expected);
    await rm(directory, { recursive: true });
  });
}

function kubeconfigOf(user: object): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
}
