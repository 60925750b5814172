import assert from "node:assert/strict";
import { test } from "node:test";
import { configMaps, secrets } from "#/api/core/v1.ts";
import type { Client } from "#/client/client.ts";
import { signDetached } from "#/std/x509/sign-detached.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { runControllersOn } from "#/testing/run-controllers-on.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { bootstrapSignerController } from "./bootstrap-signer.ts";
import { tokenCleanerController } from "./token-cleaner.ts";

const content = "Hello from the other side. I must have called a thousand times.";
const secret = "my voice is my passcode";
const header = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9";

for (const [text, key, signature] of [
  [content, secret, "VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8"],
  ["", secret, "7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk"],
  [content, "", "UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8"],
] as const) {
  test(`signDetached() of "${text}" with "${key}" is upstream's`, () => {
    assert.equal(signDetached(text, "joshua", key), `${header}..${signature}`);
  });
}

const infoRef = { name: "cluster-info", namespace: "kube-public" };

async function addToken(client: Client, id: string, more: Record<string, string> = {}) {
  await client.create(secrets, {
    metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": id,
      "token-secret": "0123456789abcdef",
      "usage-bootstrap-signing": "true",
      ...more,
    },
  });
}

test("bootstrap-signer-controller signs with each signing token until it expires", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock(Date.parse("2024-01-01T00:00:00Z"));
  await using run = runControllersOn(api, [bootstrapSignerController], { clock });
  const { client, until } = run;
  await client.create(configMaps, {
    metadata: infoRef,
    data: { kubeconfig: content, "jws-kubeconfig-gone00": "x", other: "y" },
  });
  await addToken(client, "aaaaaa");
  await addToken(client, "bbbbbb", { expiration: "2024-01-01T00:01:00Z" });
  await addToken(client, "cccccc", { "usage-bootstrap-signing": "false" });
  await addToken(client, "dddddd", { expiration: "2023-01-01T00:00:00Z" });
  const keys = async () => Object.keys((await client.get(configMaps, infoRef)).data ?? {}).sort();
  const plain = ["kubeconfig", "other"];
  const first = ["jws-kubeconfig-aaaaaa", "jws-kubeconfig-bbbbbb", ...plain];
  await until("two signatures", async () => (await keys()).join() === first.join());
  await clock.advance(61_000);
  const then = ["jws-kubeconfig-aaaaaa", ...plain];
  await until("one signature", async () => (await keys()).join() === then.join());
});

test("token-cleaner-controller deletes expired tokens", async () => {
  await using api = await startApiServer();
  const clock = new FakeClock(Date.parse("2024-01-01T00:00:00Z"));
  await using run = runControllersOn(api, [tokenCleanerController], { clock });
  const { client, until } = run;
  await addToken(client, "aaaaaa");
  await addToken(client, "bbbbbb", { expiration: "2024-01-01T00:01:00Z" });
  await addToken(client, "cccccc", { expiration: "2023-12-31T23:59:00Z" });
  const left = async () =>
    (await client.list(secrets, { namespace: "kube-system" })).items
      .map(({ metadata }) => metadata.name?.slice(-6))
      .sort()
      .join();
  await until("the old one goes", async () => (await left()) === "aaaaaa,bbbbbb");
  await clock.advance(61_000);
  await until("the next one goes", async () => (await left()) === "aaaaaa");
});
