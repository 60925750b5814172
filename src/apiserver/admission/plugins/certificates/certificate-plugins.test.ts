import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { Authorizer } from "../../../model/authorizer.ts";

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Allows a user everything except acting for signers of another domain. */
const authorizer: Authorizer = {
  name: "Test",
  authorize: ({ resource, name }) => ({
    decision: resource !== "signers" || name === "good.example.com/*" ? "allow" : "deny",
    reason: "",
  }),
};

const subject = (text: string): string =>
  execFileSync(
    "openssl",
    ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"].concat([
      "-keyout",
      "/dev/null",
      "-subj",
      text,
    ]),
    { stdio: ["ignore", "pipe", "ignore"] },
  ).toString("base64");

const signingRequest = (name: string, signerName: string, subjectText: string) => ({
  metadata: { name },
  spec: { request: subject(subjectText), signerName, usages: ["client auth"] },
});

for (const { signer, allowed } of [
  { signer: "good.example.com/x", allowed: true },
  { signer: "bad.example.com/x", allowed: false },
]) {
  test(`certificates of ${signer} are approved and signed only with permission`, async () => {
    await using api = await startAdmittingServer([], { authorizer });
    const { json } = await api.call("POST", requests, signingRequest("a", signer, "/CN=u"));
    const condition = { type: "Approved", status: "True", reason: "r", message: "m" };
    const approval = await api.call("PUT", `${requests}/a/approval`, {
      ...json,
      status: { conditions: [condition] },
    });
    assert.equal(approval.status, allowed ? 200 : 403);
    if (allowed) return;
    assert.equal(
      approval.json.message,
      `certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to approve requests with signerName "${signer}"`,
    );
    const failed = { ...condition, type: "Failed" };
    const signing = await api.call("PUT", `${requests}/a/status`, {
      ...json,
      status: { conditions: [failed] },
    });
    assert.equal(
      signing.json.message,
      `certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to sign requests with signerName "${signer}"`,
    );
  });
}

test("CertificateSubjectRestriction refuses clients of system:masters", async () => {
  await using api = await startAdmittingServer();
  const signer = "kubernetes.io/kube-apiserver-client";
  const masters = signingRequest("a", signer, "/O=devs/O=system:masters/CN=u");
  const { status, json } = await api.call("POST", requests, masters);
  assert.equal(status, 403);
  assert.equal(
    json.message,
    `certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of ${signer} signer with system:masters group is not allowed`,
  );
  const devs = signingRequest("a", signer, "/O=devs/CN=u");
  assert.equal((await api.call("POST", requests, devs)).status, 201);
});

test("NodeRestriction lets a node request certificates in its own name only", async () => {
  await using api = await startAdmittingServer(["--enable-admission-plugins=NodeRestriction"]);
  const user = { name: "system:node:n", groups: ["system:nodes"] };
  const signer = "kubernetes.io/kube-apiserver-client-kubelet";
  const other = signingRequest("a", signer, "/O=system:nodes/CN=system:node:m");
  const { json } = await api.call("POST", requests, other, { user });
  assert.equal(
    json.message,
    'certificatesigningrequests.certificates.k8s.io "a" is forbidden: can only create a node CSR with CN=system:node:n',
  );
});
