import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { certificatesStatus } from "./certificates-status.ts";

const dayMs = 24 * 60 * 60 * 1000;

test("certificatesStatus() finds the certificate that expires first", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-expiry-"));
  context.after(() => rmSync(folder, { recursive: true }));
  assert.equal(certificatesStatus(folder, 0), null);
  assert.equal(certificatesStatus(join(folder, "missing"), 0), null);
  const authority = await TestAuthority.create(folder);
  await authority.issue("admin");
  writeFileSync(join(folder, "ca.key.old"), "no certificate");
  const ends = ["admin.crt", "ca.crt"].map((file) =>
    new X509Certificate(readFileSync(join(folder, file))).validToDate.getTime(),
  );
  const first = Math.min(...ends);
  const expires = new Date(first).toISOString().slice(0, 10);
  const at = (now: number) => {
    const { file: _, ...rest } = certificatesStatus(folder, now) ?? { file: "" };
    return rest;
  };
  assert.deepEqual(at(first - 3 * dayMs), { expires, days: 3 });
  assert.deepEqual(at(first + dayMs / 2), { expires, days: -1 });
});
