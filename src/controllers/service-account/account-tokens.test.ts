import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Secret, secrets, serviceAccounts } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { isNotFound } from "#/machinery/meta/status-error.ts";
import { parseJwt, verifyJwt } from "#/std/x509/jwt.ts";
import { generateKey, keyPem } from "#/std/x509/signing-key.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { accountTokenController } from "./account-tokens.ts";

test("serviceaccount-token-controller fills a secret, and removes it with its account", async () => {
  const folder = mkdtempSync(join(tmpdir(), "k8ts-tokens-"));
  try {
    const key = generateKey();
    writeFileSync(join(folder, "sa.key"), keyPem(key));
    await using api = await startApiServer();
    await using run = runControllersOn(api, [accountTokenController], {
      args: [`--service-account-private-key-file=${folder}/sa.key`],
    });
    const { client, until } = run;
    const account = { metadata: { name: "a", namespace: "default" } };
    await client.create(serviceAccounts, account);
    const secret: Secret = {
      metadata: {
        name: "s",
        namespace: "default",
        annotations: { "kubernetes.io/service-account.name": "a" },
      },
      type: "kubernetes.io/service-account-token",
    };
    await client.create(secrets, secret);
    await until("a token", async () => {
      return (await client.get(secrets, refOf(secret))).data?.["token"] !== undefined;
    });
    const { data } = await client.get(secrets, refOf(secret));
    const token = parseJwt(Buffer.from(data?.["token"] ?? "", "base64").toString());
    assert.ok(token && verifyJwt(token, createPublicKey(key)));
    assert.equal(token.claims["sub"], "system:serviceaccount:default:a");
    assert.equal(Buffer.from(data?.["namespace"] ?? "", "base64").toString(), "default");
    await client.delete(serviceAccounts, refOf(account));
    await until("its end", () => client.get(secrets, refOf(secret)).then(() => false, isNotFound));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
