import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { systemClock } from "#/std/time/clock.ts";
import { issueCertificate, namesAndAddresses, selfSign } from "#/std/x509/issue-certificate.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { caHash } from "./ca-hash.ts";
import { checkServer, checkToken, clusterInfo, discoverAuthority } from "./cluster-info.ts";

const now = systemClock.now();
const validity = { notBefore: now - 3_600_000, notAfter: now + 3_600_000 };

function newAuthority() {
  const key = generateKey();
  const usages = ["digital signature", "cert sign"];
  const subject = { commonName: "kubernetes" };
  return { key, certificate: selfSign({ subject, usages, isAuthority: true, ...validity }, key) };
}

const authority = newAuthority();
const stranger = newAuthority();
const goodToken = "abcdef.0123456789abcdef";
const serverKey = generateKey();
const server = createServer(
  {
    key: keyPem(serverKey),
    cert: issueCertificate(
      {
        subject: { commonName: "kube-apiserver" },
        publicKey: createPublicKey(serverKey),
        names: namesAndAddresses(["127.0.0.1", "good.test"]),
        usages: ["digital signature", "server auth"],
        ...validity,
      },
      authority,
    ),
  },
  (request, response) => {
    const { authorization } = request.headers;
    const isRefused = authorization !== undefined && authorization !== `Bearer ${goodToken}`;
    response.statusCode = isRefused ? 401 : 200;
    response.end(JSON.stringify(clusterInfo("https://192.0.2.1:6443", authority.certificate)));
  },
);
let port = 0;

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
after(() => server.close());

const at = (host: string): string => `https://${host}:${port}`;

test("discoverAuthority() accepts a server with the expected hash", async () => {
  const hash = caHash(authority.certificate);
  assert.equal(await discoverAuthority(at("127.0.0.1"), hash), authority.certificate);
  await assert.rejects(discoverAuthority(at("127.0.0.1"), caHash(stranger.certificate)), {
    name: "CommandFailure",
    message:
      /is not the server that --ca-hash names\n {2}wanted sha256:\w+\n {2}found {2}sha256:\w+$/,
  });
});

test("checkToken() rejects an unknown token at once", async () => {
  await checkToken(at("127.0.0.1"), authority.certificate, goodToken);
  await assert.rejects(
    checkToken(at("127.0.0.1"), authority.certificate, "abcdef.aaaaaaaaaaaaaaaa"),
    {
      message:
        /refuses the token: it is wrong or has expired\n {2}make another on its machine: k8ts token create$/,
    },
  );
});

test("checkServer() reports the problem of a server", async () => {
  const check = (host: string, trusted = authority) => checkServer(at(host), trusted.certificate);
  await check("127.0.0.1");
  await assert.rejects(check("localhost"), {
    message: `the certificate of ${at("localhost")} is not for "localhost"; start its server with: k8ts up --tls-san=localhost`,
  });
  await assert.rejects(check("127.0.0.1", stranger), {
    message: /is not a server of the expected cluster \(.*unknown authority.*\)$/,
  });
  await assert.rejects(checkServer("https://127.0.0.1:1", authority.certificate), {
    message: /^https:\/\/127\.0\.0\.1:1 can't be reached: connect ECONNREFUSED/,
  });
});
