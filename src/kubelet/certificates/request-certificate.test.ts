import assert from "node:assert/strict";
import { test } from "node:test";
import { certificateSigningRequests } from "#/api/certificates/v1.ts";
import { systemClock } from "#/std/time/clock.ts";
import { createCertificateRequest } from "#/std/x509/create-request.ts";
import { generateKey } from "#/std/x509/signing-key.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";
import { requestCertificate } from "./request-certificate.ts";

test("requestCertificate() takes no certificate of another request with the name of its own", async () => {
  await using api = await startApiServer();
  const client = api.client();
  const subject = { commonName: "system:node:n", organizations: ["system:nodes"] };
  const parameters = {
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usages: ["client auth", "digital signature"],
    subject,
  } as const;
  const stop = new AbortController();
  const waiting = requestCertificate(
    client,
    { ...parameters, key: generateKey() },
    systemClock,
    stop.signal,
  );
  const refused = assert.rejects(waiting, /^Error: csr "csr-\w+" changed UIDs$/);
  const list = async () => (await client.list(certificateSigningRequests)).items;
  const name = await until("its request", async () => (await list())[0]?.metadata.name);
  await client.delete(certificateSigningRequests, { name });
  const request = createCertificateRequest({ subject, key: generateKey() });
  await client.create(certificateSigningRequests, {
    metadata: { name },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: parameters.signerName,
      usages: [...parameters.usages],
    },
  });
  await refused;
  stop.abort();
});
