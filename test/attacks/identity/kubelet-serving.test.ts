import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import type { NodeAddress } from "#/api/core/v1.ts";
import { servingApprovingController } from "#/controllers/certificates/approve-serving.ts";
import { csrSigningController } from "#/controllers/certificates/sign.ts";
import { systemClock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { namesAndAddresses, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { until } from "#/testing/until.ts";
import { requestOf } from "./request.ts";

const reserved = {
  names: ["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "192.0.2.1"],
  networks: ["10.96.0.0/12"],
  domains: ["cluster.local"],
};

const attacks = [
  "kubernetes.default.svc",
  "KUBERNETES.DEFAULT.SVC",
  "KUBERNETES",
  "10.96.0.1",
  "::ffff:10.96.0.1",
  "192.0.2.1",
  "localhost",
  "127.0.0.1",
  "registry.example.com",
  "*.default.SVC",
  "*",
];

/** A node's token writes the addresses of its own Node, then asks for certificates with them. */
test("a node gets no certificate but for its own names", async () => {
  await using cleaning = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "kubelet-serving-"));
  cleaning.defer(() => rm(folder, { recursive: true }));
  await using server = await startTlsServer(
    ["--enable-admission-plugins=NodeRestriction", "--disable-admission-plugins=ServiceAccount"],
    {
      mode: "Node,RBAC",
      admission: true,
      tokens: ['evil,system:node:evil,evil,"system:nodes"', 'admin,admin,admin,"system:masters"'],
    },
  );
  const send = async (user: string, method: string, path: string, body: object) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await requestOf(server, {
      method,
      path,
      authorization: `Bearer ${user}`,
      headers: { "content-type": type },
      body: JSON.stringify(body),
    });
    assert.ok(answer.status < 300, answer.text);
  };
  const node = { apiVersion: "v1", kind: "Node", metadata: { name: "evil" } };
  await send("evil", "POST", "/api/v1/nodes", node);
  const addresses: NodeAddress[] = [...attacks, "192.0.2.66"].map((address) => ({
    type: address.includes(":") || /^[\d.]+$/.test(address) ? "InternalIP" : "InternalDNS",
    address,
  }));
  await send("evil", "PATCH", "/api/v1/nodes/evil/status", { status: { addresses } });

  const files = await writeAuthority(folder);
  await using signing = runControllersOn(server.secured.api, [csrSigningController], {
    args: [
      `--cluster-signing-kubelet-serving-cert-file=${files.cert}`,
      `--cluster-signing-kubelet-serving-key-file=${files.key}`,
    ],
  });
  await using approving = runControllersOn(server.secured.api, [servingApprovingController], {
    options: reserved,
  });
  const ask = (name: string, names: readonly string[]) =>
    send("evil", "POST", "/apis/certificates.k8s.io/v1/certificatesigningrequests", {
      metadata: { name },
      spec: {
        request: requestFor(names),
        signerName: "kubernetes.io/kubelet-serving",
        usages: ["digital signature", "server auth"],
      },
    });
  for (const [index, name] of attacks.entries()) await ask(`attack-${index}`, [name]);
  await ask("mixed", ["evil", "192.0.2.66", "KUBERNETES"]);
  await ask("own", ["evil", "192.0.2.66"]);
  const find = (name: string) => signing.client.get(certificateSigningRequests, { name });
  await until("a certificate", async () => (await find("own")).status?.certificate !== undefined);
  // The only worker decides in order: all others were decided before.
  const { status } = await find("own");
  const made = new X509Certificate(Buffer.from(status?.certificate ?? "", "base64"));
  assert.equal(made.subjectAltName, "DNS:evil, IP Address:192.0.2.66");
  for (const name of ["mixed", ...attacks.map((_, index) => `attack-${index}`)]) {
    const refused = await approving.client.get(certificateSigningRequests, { name });
    assert.deepEqual(refused.status?.conditions ?? [], [], name);
    assert.equal(refused.status?.certificate, undefined, name);
  }
});

const requestFor = (names: readonly string[]): string =>
  Buffer.from(
    createCertificateRequest({
      subject: { commonName: "system:node:evil", organizations: ["system:nodes"] },
      names: namesAndAddresses(names),
      key: generateKey(),
    }),
  ).toString("base64");

async function writeAuthority(folder: string) {
  const key = generateKey();
  const now = systemClock.now();
  const certificate = selfSign(
    {
      subject: { commonName: "kubelet-serving" },
      usages: ["cert sign"],
      isAuthority: true,
      notBefore: now - 1000,
      notAfter: now + 86_400_000,
    },
    key,
  );
  const files = { cert: join(folder, "ca.crt"), key: join(folder, "ca.key") };
  await writeFile(files.cert, certificate);
  await writeFile(files.key, keyPem(key));
  return files;
}
