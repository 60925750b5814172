import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { test } from "node:test";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { withSigner } from "#/testing/with-signer.ts";
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
