import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { checkLocalAuthority } from "./local-authority.ts";

const hourMs = 3_600_000;

function authority(permittedDomains: readonly string[]): string {
  const now = systemClock.now();
  return selfSign(
    {
      subject: { commonName: "authority" },
      usages: ["cert sign"],
      isAuthority: true,
      permittedDomains,
      notBefore: now - hourMs,
      notAfter: now + hourMs,
    },
    generateKey(),
  );
}

const local = authority(["dev.k8s.localhost"]);
for (const { name, pem, isTrusted = false } of [
  { name: "for names below localhost", pem: local, isTrusted: true },
  { name: "for any name", pem: authority([]) },
  { name: "for names elsewhere", pem: authority(["k8s.localhost", "example.com"]) },
  { name: "for a name that only ends in the same letters", pem: authority(["evillocalhost"]) },
  { name: "beside another one", pem: local + authority([]) },
  { name: "that is no certificate", pem: "" },
]) {
  test(`checkLocalAuthority() ${isTrusted ? "takes" : "refuses"} an authority ${name}`, () => {
    const check = (): void => checkLocalAuthority(pem);
    if (isTrusted) assert.doesNotThrow(check);
    else assert.throws(check, /is not trusted/);
  });
}
