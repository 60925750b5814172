import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { csrSigningController } from "#/controllers/certificates/sign.ts";
import { systemClock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import type { ServerSession } from "./server-session.ts";
import { requestUserCertificate } from "./user-certificate.ts";

type Session = Pick<ServerSession, "ask" | "json">;

const resource = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const jane = { name: "jane", groups: ["readers"], validSeconds: 3600 };

/** A session with a server in this process; a function may interfere before each request. */
function sessionOf(
  api: TestApiServer,
  before: (method: string, path: string) => Promise<void> = async () => undefined,
): Session {
  const ask: Session["ask"] = async (method, path, body) => {
    await before(method, path);
    return await api.call(method, path, body?.value);
  };
  return {
    ask,
    async json<T>(method: string, path: string, body?: Parameters<Session["json"]>[2]) {
      const { status, text } = await ask(method, path, body);
      assert.ok(status < 300, text);
      return JSON.parse(text) as T;
    },
  };
}

/** A server whose controller signs what is approved. */
async function withSigner(work: (api: TestApiServer) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-user-"));
  try {
    const key = generateKey();
    const now = systemClock.now();
    const validity = { notBefore: now - 1000, notAfter: now + 86_400_000 };
    const subject = { commonName: "ca" };
    const authority = selfSign(
      { subject, usages: ["cert sign"], isAuthority: true, ...validity },
      key,
    );
    writeFileSync(join(folder, "ca.crt"), authority);
    writeFileSync(join(folder, "ca.key"), keyPem(key));
    const files = ["cert", "key"].map(
      (part) => `--cluster-signing-${part}-file=${folder}/ca.${part === "cert" ? "crt" : "key"}`,
    );
    await using api = await startApiServer();
    await using _signer = runControllersOn(api, [csrSigningController], { args: files });
    await work(api);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const requestsOf = async (api: TestApiServer) => (await api.call("GET", resource)).json.items;

test("requestUserCertificate() returns a certificate for its key, and removes its request", async () => {
  await withSigner(async (api) => {
    let writes = 0;
    const session = sessionOf(api, async (method, path) => {
      // Another client that changes the request meanwhile does not stop it.
      if (method !== "PUT" || writes++ > 0) return;
      const patch = { metadata: { labels: { seen: "yes" } } };
      const headers = { "content-type": "application/merge-patch+json" };
      const { status } = await api.call("PATCH", path.replace("/approval", ""), patch, { headers });
      assert.equal(status, 200);
    });
    const { certificate } = await requestUserCertificate(session, jane);
    assert.equal(new X509Certificate(certificate).subject, "O=readers\nCN=jane");
    assert.equal(writes, 2);
    assert.deepEqual(await requestsOf(api), []);
  });
});

for (const moment of ["PUT", "GET"]) {
  test(`requestUserCertificate() leaves a request alone that has its name since before the ${moment}`, async () => {
    await withSigner(async (api) => {
      let isReplaced = false;
      const session = sessionOf(api, async (method, path) => {
        if (method !== moment || isReplaced) return;
        isReplaced = true;
        const place = path.replace("/approval", "");
        await api.call("DELETE", place);
        const subject = { commonName: "mallory", organizations: ["admins"] };
        const request = createCertificateRequest({ subject, key: generateKey() });
        const { status } = await api.call("POST", resource, {
          metadata: { name: place.slice(resource.length + 1) },
          spec: {
            request: Buffer.from(request).toString("base64"),
            signerName: "kubernetes.io/kube-apiserver-client",
            usages: ["client auth"],
          },
        });
        assert.equal(status, 201);
      });
      await assert.rejects(
        requestUserCertificate(session, jane),
        /^CommandFailure: the certificate request k8ts-user-\w+ was replaced by another one/,
      );
      const [theirs] = await requestsOf(api);
      assert.deepEqual(theirs?.status, {}, "theirs is neither approved nor removed");
    });
  });
}
