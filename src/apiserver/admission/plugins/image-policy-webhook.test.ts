import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";

const pods = "/api/v1/namespaces/n/pods";
const pod = (name: string, image: string) => ({
  metadata: { name, annotations: { "x.image-policy.k8s.io/a": "b", other: "c" } },
  spec: { containers: [{ name: "c", image }] },
});

/** A server with a webhook at a port. */
async function startAsking(port: number, defaultAllow: boolean) {
  const directory = await mkdtemp(join(tmpdir(), "images-"));
  const kubeConfigFile = join(directory, "webhook.json");
  const cluster = { server: `http://127.0.0.1:${port}/` };
  const kubeconfig = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c" } }],
    clusters: [{ name: "c", cluster }],
  };
  await writeFile(kubeConfigFile, JSON.stringify(kubeconfig));
  const file = join(directory, "config.json");
  await writeFile(file, JSON.stringify({ imagePolicy: { kubeConfigFile, defaultAllow } }));
  const flags = [
    "--enable-admission-plugins=ImagePolicyWebhook",
    "--disable-admission-plugins=ServiceAccount",
    `--admission-control-config-file=${file}`,
  ];
  try {
    const api = await startAdmittingServer(flags);
    await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    return api;
  } finally {
    await rm(directory, { recursive: true });
  }
}

test("ImagePolicyWebhook calls the webhook once for the same images and returns its refusal", async () => {
  const asked: unknown[] = [];
  const server = createServer(async (request, reply) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const review = JSON.parse(text);
    asked.push(review.spec);
    const allowed = review.spec.containers[0].image !== "bad";
    reply.end(
      JSON.stringify({ ...review, status: { allowed, ...(allowed ? {} : { reason: "no" }) } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await using _ = { [Symbol.asyncDispose]: async () => void server.close() };
  await using api = await startAsking((server.address() as AddressInfo).port, false);
  const { status, json } = await api.call("POST", pods, pod("a", "bad"));
  assert.equal(status, 403);
  assert.equal(
    json.message,
    'pods "a" is forbidden: image policy webhook backend denied one or more images: no',
  );
  assert.equal((await api.call("POST", pods, pod("a", "good"))).status, 201);
  assert.equal((await api.call("POST", pods, pod("b", "good"))).status, 201);
  const spec = { annotations: { "x.image-policy.k8s.io/a": "b" }, namespace: "n" };
  assert.deepEqual(asked, [
    { ...spec, containers: [{ image: "bad" }] },
    { ...spec, containers: [{ image: "good" }] },
  ]);
  server.closeAllConnections();
});

for (const defaultAllow of [true, false]) {
  test(`ImagePolicyWebhook without a reachable webhook ${defaultAllow ? "admits" : "refuses"} pods`, async () => {
    await using api = await startAsking(1, defaultAllow);
    const { status, json } = await api.call("POST", pods, pod("a", "i"));
    assert.equal(status, defaultAllow ? 201 : 403);
    const annotation = json.metadata?.annotations?.["alpha.image-policy.k8s.io/failed-open"];
    assert.equal(annotation, defaultAllow ? "true" : undefined);
  });
}
