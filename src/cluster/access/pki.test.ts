import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type CertificateSpec, ensurePki, kubeletAuthorities } from "./pki.ts";

const dayMs = 24 * 3600 * 1000;
const now = Date.UTC(2030, 0, 1);
const server: CertificateSpec = {
  file: "server",
  authority: "ca",
  subject: { commonName: "server" },
  names: ["server.example", "10.0.0.1"],
  usage: "server auth",
};
const client: CertificateSpec = {
  file: "client",
  authority: "front-proxy-ca",
  subject: { commonName: "client", organizations: ["system:masters"] },
  usage: "client auth",
};

async function withPki(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-pki-"));
  try {
    await ensurePki(folder, [server, client], now);
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const certificate = (folder: string, file: string): X509Certificate =>
  new X509Certificate(readFileSync(join(folder, `${file}.crt`)));

test("ensurePki() creates authorities and certificates, with keys that only the owner can read", async () => {
  await withPki(async (folder) => {
    const [ca, proxy] = [certificate(folder, "ca"), certificate(folder, "front-proxy-ca")];
    assert.ok(certificate(folder, "server").verify(ca.publicKey));
    assert.ok(certificate(folder, "client").verify(proxy.publicKey));
    assert.equal(certificate(folder, "server").checkIP("10.0.0.1"), "10.0.0.1");
    assert.equal(certificate(folder, "client").subject, "O=system:masters\nCN=client");
    for (const file of ["ca", "front-proxy-ca", "sa", "server", "client"]) {
      assert.equal(statSync(join(folder, `${file}.key`)).mode & 0o777, 0o600);
    }
  });
});

test("ensurePki() writes keys in the form that names their algorithm", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-pki-"));
  try {
    await ensurePki(folder, [server, { ...client, key: "rsa" }], now);
    const heads = ["server", "client"].map(
      (file) => readFileSync(join(folder, `${file}.key`), "utf8").split("\n")[0],
    );
    assert.deepEqual(heads, ["-----BEGIN EC PRIVATE KEY-----", "-----BEGIN RSA PRIVATE KEY-----"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const cases: readonly {
  readonly name: string;
  readonly specs: readonly CertificateSpec[];
  readonly afterDays: number;
  readonly renewed: readonly string[];
}[] = [
  { name: "keeps valid certificates", specs: [server, client], afterDays: 250, renewed: [] },
  {
    name: "replaces a key of another kind",
    specs: [server, { ...client, key: "rsa" }],
    afterDays: 0,
    renewed: ["client"],
  },
  {
    name: "renews certificates that expire soon",
    specs: [server, client],
    afterDays: 260,
    renewed: ["server", "client"],
  },
  {
    name: "reissues a certificate of another subject",
    specs: [server, { ...client, subject: { commonName: "client", organizations: ["few"] } }],
    afterDays: 0,
    renewed: ["client"],
  },
  {
    name: "reissues a certificate of another authority",
    specs: [{ ...server, authority: "kubelet-ca" }, client],
    afterDays: 0,
    renewed: ["server"],
  },
  {
    name: "reissues a certificate that lacks a name",
    specs: [{ ...server, names: [...(server.names ?? []), "10.0.0.2"] }, client],
    afterDays: 0,
    renewed: ["server"],
  },
  {
    name: "issues missing certificates",
    specs: [server, { ...client, file: "other" }],
    afterDays: 0,
    renewed: ["other"],
  },
];

for (const { name, specs, afterDays, renewed } of cases) {
  test(`ensurePki() ${name}`, async () => {
    await withPki(async (folder) => {
      const authority = readFileSync(join(folder, "ca.crt"), "utf8");
      const later = now + afterDays * dayMs;
      assert.deepEqual(await ensurePki(folder, specs, later), renewed);
      assert.deepEqual(await ensurePki(folder, specs, later), []);
      assert.equal(readFileSync(join(folder, "ca.crt"), "utf8"), authority);
    });
  });
}

test("the API server trusts the authority of kubelets, and in an older cluster the former one for a year", async () => {
  await withPki(async (folder) => {
    const trusted = (): string[] =>
      readFileSync(join(folder, kubeletAuthorities), "utf8")
        .split(/(?<=END CERTIFICATE-----\n)/)
        .map((pem) => new X509Certificate(pem).subject);
    assert.deepEqual(trusted(), ["CN=kubelet-serving"]);
    for (const file of ["kubelet-ca.crt", "kubelet-ca.key"]) rmSync(join(folder, file));
    const upgraded = now + 30 * dayMs;
    await ensurePki(folder, [server], upgraded);
    assert.deepEqual(trusted(), ["CN=kubelet-serving", "CN=kubernetes"]);
    await ensurePki(folder, [server], upgraded + 364 * dayMs);
    assert.deepEqual(trusted(), ["CN=kubelet-serving", "CN=kubernetes"]);
    await ensurePki(folder, [server], upgraded + 366 * dayMs);
    assert.deepEqual(trusted(), ["CN=kubelet-serving"]);
  });
});
