import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import {
  type CertificateSigningRequest,
  certificateSigningRequests,
  type KeyUsage,
} from "#/api/certificates/v1.ts";
import { type NodeAddress, nodes } from "#/api/core/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { csrApprovingController } from "./approve.ts";
import { servingApprovingController } from "./approve-serving.ts";
import { kubeletClientProblem, kubeletServingProblem, readRequest } from "./kubelet-requests.ts";
import { isDone } from "./request-lifetime.ts";
import { csrSigningController } from "./sign.ts";

const usages: KeyUsage[] = ["digital signature", "client auth"];
const request = (names = {}, organizations = ["system:nodes"], commonName = "system:node:n") =>
  Buffer.from(
    createCertificateRequest({ subject: { commonName, organizations }, names, key: generateKey() }),
  ).toString("base64");

test("kubeletClientProblem() and kubeletServingProblem() return the problem", () => {
  const client = (encoded: string, desired: readonly string[] = usages) =>
    kubeletClientProblem(readRequest(encoded), desired);
  assert.equal(client(request()), undefined);
  assert.equal(client(request({ dns: ["x"] })), "DNS subjectAltNames are not allowed");
  assert.equal(client(request({}, ["other"])), "subject organization is not system:nodes");
  assert.equal(
    client(request({}, ["system:nodes"], "n")),
    "subject common name does not begin with system:node:",
  );
  assert.equal(
    client(request(), ["server auth"]),
    "usages did not match [client auth digital signature key encipherment]",
  );
  const serving = (encoded: string) =>
    kubeletServingProblem(readRequest(encoded), ["digital signature", "server auth"]);
  assert.equal(serving(request({ ips: ["10.0.0.1"] })), undefined);
  assert.equal(serving(request()), "DNS or IP subjectAltName is required");
});

test("a kubelet's request is approved and signed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-csr-"));
  try {
    const key = generateKey();
    const now = systemClock.now();
    const validity = { notBefore: now - 1000, notAfter: now + 86_400_000 };
    const authority = selfSign(
      { subject: { commonName: "ca" }, usages: ["cert sign"], isAuthority: true, ...validity },
      key,
    );
    writeFileSync(join(folder, "ca.crt"), authority);
    writeFileSync(join(folder, "ca.key"), keyPem(key));
    await using api = await startApiServer();
    await using run = runControllersOn(api, [csrApprovingController, csrSigningController], {
      args: [
        `--cluster-signing-cert-file=${folder}/ca.crt`,
        `--cluster-signing-key-file=${folder}/ca.key`,
      ],
    });
    const object: CertificateSigningRequest = {
      metadata: { name: "r" },
      spec: {
        request: request(),
        signerName: "kubernetes.io/kube-apiserver-client-kubelet",
        usages: [...usages],
        expirationSeconds: 3600,
      },
    };
    await run.client.create(certificateSigningRequests, object);
    const status = async () =>
      (await run.client.get(certificateSigningRequests, { name: "r" })).status;
    await run.until("a certificate", async () => (await status())?.certificate !== undefined);
    const now2 = await status();
    assert.equal(now2?.conditions?.[0]?.reason, "AutoApproved");
    const made = new X509Certificate(Buffer.from(now2?.certificate ?? "", "base64"));
    assert.equal(made.subject, "O=system:nodes\nCN=system:node:n");
    assert.ok(made.verify(new X509Certificate(authority).publicKey));
    const validMs = made.validToDate.getTime() - made.validFromDate.getTime();
    assert.equal(Math.round(validMs / 60_000), 65);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const dayMs = 86_400_000;
const done: readonly { name: string; conditions: object[]; ageMs: number; isDone: boolean }[] = [
  { name: "is pending for a day", conditions: [], ageMs: dayMs - 1000, isDone: false },
  { name: "is pending for longer", conditions: [], ageMs: dayMs + 1000, isDone: true },
  { name: "was denied just now", conditions: [{ type: "Denied" }], ageMs: 1000, isDone: false },
  { name: "was denied long ago", conditions: [{ type: "Denied" }], ageMs: dayMs, isDone: true },
  {
    name: "was approved and not signed",
    conditions: [{ type: "Approved" }],
    ageMs: 7_200_000,
    isDone: false,
  },
];

for (const { name, conditions, ageMs, isDone: expected } of done) {
  test(`isDone() of a request that ${name}`, () => {
    const time = "2026-01-01T00:00:00Z";
    const object = {
      metadata: { creationTimestamp: time },
      spec: { signerName: "x", request: "" },
      status: { conditions: conditions.map((one) => ({ ...one, lastUpdateTime: time })) },
    } as CertificateSigningRequest;
    assert.equal(isDone(object, Date.parse(time) + ageMs), expected);
  });
}

test("a kubelet's serving request is approved if it names only its node", async () => {
  await using api = await startApiServer();
  await using run = runControllersOn(api, [servingApprovingController], {
    options: { names: [], networks: ["10.96.0.0/12"], domains: ["cluster.local"] },
  });
  const ask = (name: string, user: string, names: object) =>
    api
      .client({ name: user, groups: ["system:nodes", "system:authenticated"] })
      .create(certificateSigningRequests, {
        metadata: { name },
        spec: {
          request: request(names),
          signerName: "kubernetes.io/kubelet-serving",
          usages: ["digital signature", "server auth"],
        },
      });
  await ask("own", "system:node:n", { dns: ["n", "n.example"], ips: ["10.0.0.1"] });
  await ask("stranger", "system:node:m", { dns: ["n"], ips: ["10.0.0.1"] });
  await ask("greedy", "system:node:n", { dns: ["n"], ips: ["10.0.0.1", "10.0.0.2"] });
  await ask("thief", "system:node:n", { dns: ["n"], ips: ["10.0.0.9"] });
  await ask("impostor", "system:node:n", { dns: ["kubernetes.default.svc"], ips: [] });
  const add = async (name: string, ...addresses: NodeAddress[]) => {
    const node = await run.client.create(nodes, { metadata: { name }, spec: {} });
    await run.client.updateStatus(nodes, { ...node, status: { addresses } });
  };
  await add("other", { type: "InternalIP", address: "10.0.0.9" });
  await add(
    "n",
    { type: "InternalIP", address: "10.0.0.1" },
    { type: "InternalIP", address: "10.0.0.9" },
    { type: "Hostname", address: "n.example" },
    { type: "InternalDNS", address: "kubernetes.default.svc" },
  );
  const approved = async (name: string) =>
    (await run.client.get(certificateSigningRequests, { name })).status?.conditions?.map(
      ({ type }) => type,
    );
  await run.until("an approval", async () => (await approved("own")) !== undefined);
  assert.deepEqual(await approved("own"), ["Approved"]);
  for (const name of ["stranger", "greedy", "thief", "impostor"]) {
    assert.equal(await approved(name), undefined, name);
  }
});
