import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { CertificateSigningRequest } from "#/api/certificates/v1.ts";
import type { Client } from "#/client/client.ts";
import { readPemRequest } from "#/std/x509/certificate-request.ts";
import { type Issuer, issueCertificate, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { until } from "#/testing/until.ts";
import { RotatingServingCertificate } from "./serving-certificate.ts";

const dayMs = 24 * 3600 * 1000;

/** A cluster that signs every request, and the number of requests. */
function signingCluster(clock: FakeClock) {
  const key = generateKey();
  const validity = { notBefore: clock.now(), notAfter: clock.now() + 365 * dayMs };
  const usages = ["digital signature", "key encipherment", "cert sign"];
  const options = { subject: { commonName: "ca" }, usages, isAuthority: true, ...validity };
  const issuer: Issuer = { certificate: selfSign(options, key), key };
  const requests: CertificateSigningRequest[] = [];
  const client = {
    create: async (_: unknown, request: CertificateSigningRequest) => {
      requests.push(request);
      return { ...request, metadata: { name: String(requests.length - 1) } };
    },
    get: async (_: unknown, { name }: { name: string }) => {
      const request = requests[Number(name)];
      const asked = readPemRequest(Buffer.from(request?.spec.request ?? "", "base64"));
      const pem = issueCertificate(
        {
          subject: asked.subjectBytes,
          publicKey: asked.publicKey,
          names: asked.names,
          usages: ["digital signature", "server auth"],
          ...validity,
        },
        issuer,
      );
      const certificate = Buffer.from(pem).toString("base64");
      return { ...request, metadata: { name }, status: { certificate } };
    },
  };
  return { client: client as unknown as Client, requests };
}

test("a kubelet that starts with another address requests another certificate, once", async () => {
  const certificateDirectory = mkdtempSync(join(tmpdir(), "k8ts-serving-"));
  try {
    const clock = new FakeClock();
    const { client, requests } = signingCluster(clock);
    /** Runs ServingCertificate until it has a certificate for its address. */
    const start = async (ip: string) => {
      const options = { client, clock, certificateDirectory, nodeName: "n1", ips: [ip] };
      using certificate = new RotatingServingCertificate(options);
      const shown = () => new X509Certificate(certificate.current.cert).checkIP(ip) !== undefined;
      const stop = new AbortController();
      const running = certificate.run(stop.signal);
      await until(`a certificate for ${ip}`, shown);
      await clock.advance(1000);
      stop.abort();
      await running;
      return requests.length;
    };
    assert.equal(await start("192.168.77.11"), 1);
    assert.equal(await start("192.168.77.11"), 1);
    assert.equal(await start("192.168.77.31"), 2);
    assert.equal(await start("192.168.77.31"), 2);
  } finally {
    rmSync(certificateDirectory, { recursive: true });
  }
});
