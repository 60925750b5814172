import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { caHash } from "#/cluster/access/ca-hash.ts";
import { checkSignature, clusterInfo, discoverAuthority } from "#/cluster/access/cluster-info.ts";
import { nextTurn, systemClock } from "#/std/time/clock.ts";
import { issueCertificate, namesAndAddresses, selfSign } from "#/std/x509/issue-certificate.ts";
import { signDetached } from "#/std/x509/sign-detached.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { FakeClock } from "#/testing/fake-clock.ts";

const now = systemClock.now();
const validity = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };
const token = { id: "abcdef", secret: "0123456789abcdef" };

function newAuthority() {
  const key = generateKey();
  const usages = ["digital signature", "cert sign"];
  const subject = { commonName: "kubernetes" };
  return { key, certificate: selfSign({ subject, usages, isAuthority: true, ...validity }, key) };
}

const real = newAuthority();
const own = newAuthority();
const hash = caHash(real.certificate);

/** A server of an authority that sends this cluster-info. */
async function serve(authority: typeof real, data: object) {
  const key = generateKey();
  const cert = issueCertificate(
    {
      subject: { commonName: "kube-apiserver" },
      publicKey: createPublicKey(key),
      names: namesAndAddresses(["127.0.0.1"]),
      usages: ["digital signature", "server auth"],
      ...validity,
    },
    authority,
  );
  const server = createServer({ key: keyPem(key), cert }, (_, response) =>
    response.end(JSON.stringify({ data })),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const kubeconfigWith = (authority: string): string =>
  (clusterInfo("https://192.0.2.1:6443", authority) as { data: { kubeconfig: string } }).data
    .kubeconfig;

const label = (pem: string, name: string): string => pem.replaceAll("CERTIFICATE", name);

const forged: readonly (readonly [name: string, sent: string])[] = [
  ["the pinned authority, then another", real.certificate + own.certificate],
  ["another authority, then the pinned one", own.certificate + real.certificate],
  ["another authority", own.certificate],
  ["no authority", ""],
];

for (const [name, sent] of forged) {
  test(`join refuses a server that sends ${name}`, async () => {
    await using impostor = await serve(own, { kubeconfig: kubeconfigWith(sent) });
    await assert.rejects(discoverAuthority(impostor.url, hash), { name: "CommandFailure" });
  });
}

test("join trusts the pinned authority only", async () => {
  const hidden = label(own.certificate, "X509 CERTIFICATE");
  const sent = `${hidden}${real.certificate}${real.certificate}${hidden}`;
  await using server = await serve(real, { kubeconfig: kubeconfigWith(sent) });
  const trusted = await discoverAuthority(server.url, hash);
  assert.equal(trusted, real.certificate.repeat(2));
});

test("join refuses a cluster-info that the token has not signed", async () => {
  const kubeconfig = kubeconfigWith(real.certificate);
  const { id, secret } = token;
  const signed = signDetached(kubeconfig, id, secret);
  const signatures = [
    {},
    { "jws-kubeconfig-abcdef": signDetached(kubeconfig, id, "fedcba9876543210") },
    { "jws-kubeconfig-abcdef": signDetached(`${kubeconfig} `, id, secret) },
    { "jws-kubeconfig-other1": signed },
  ];
  for (const data of signatures) {
    await using server = await serve(real, { kubeconfig, ...data });
    const clock = new FakeClock();
    const checked = checkSignature(server.url, real.certificate, token, clock);
    const refused = assert.rejects(checked, { name: "CommandFailure" });
    let isOver = false;
    void refused.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await nextTurn();
      clock.advance(1_000);
    }
    await refused;
  }
  await using server = await serve(real, { kubeconfig, "jws-kubeconfig-abcdef": signed });
  await checkSignature(server.url, real.certificate, token);
});
