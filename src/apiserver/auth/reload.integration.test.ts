import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { startSecuredServer } from "#/testing/start-secured-server.ts";
import { until } from "#/testing/until.ts";

const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
const hourMs = 3600_000;
const valid = () => ({
  notBefore: systemClock.now() - hourMs,
  notAfter: systemClock.now() + hourMs,
});

/** An authority, and a client certificate that it issued. */
function makeAuthority(name: string) {
  const key = generateKey();
  const usages = ["cert sign"];
  const subject = { commonName: name };
  const certificate = selfSign({ subject, usages, isAuthority: true, ...valid() }, key);
  const client = issueCertificate(
    {
      subject: { commonName: `client of ${name}` },
      publicKey: createPublicKey(generateKey()),
      usages: ["client auth"],
      ...valid(),
    },
    { certificate, key },
  );
  return { certificate, client: readPemBlocks(client)[0]?.der ?? Buffer.alloc(0) };
}

test("--client-ca-file is read again when it changes; certificates of a removed authority are refused", async () => {
  const directory = await mkdtemp(join(tmpdir(), "authorities-"));
  try {
    const [first, second] = [makeAuthority("first"), makeAuthority("second")];
    const file = join(directory, "ca.crt");
    await writeFile(file, first.certificate);
    let shown: readonly Buffer[] = [];
    await using server = await startSecuredServer({
      flags: [`--client-ca-file=${file}`],
      arrive(exchange) {
        const peer = { ...exchange.peer, certificates: shown };
        Object.assign(exchange, { peer });
      },
    });
    const asks = async (certificate: Buffer): Promise<unknown> => {
      shown = [certificate];
      const { status, json } = await server.send("POST", self, {});
      return status === 201 ? json.status.userInfo.username : status;
    };
    assert.equal(await asks(first.client), "client of first");
    assert.equal(await asks(second.client), 401);
    await writeFile(join(directory, "new.crt"), second.certificate);
    await rename(join(directory, "new.crt"), file);
    await until("the new authority", async () => (await asks(second.client)) !== 401);
    assert.equal(await asks(second.client), "client of second");
    assert.equal(await asks(first.client), 401);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
