import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { TestAuthority } from "#/testing/certificates.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import { WebhookServer } from "#/testing/webhook-server.ts";

const pod = "/api/v1/namespaces/default/pods/p";
const doors: readonly (readonly [string, string, object])[] = [
  [
    `POST ${pod}/exec?command=sh&stdin=true&container=c`,
    "PodExecOptions",
    { stdin: true, container: "c", command: ["sh"] },
  ],
  [`POST ${pod}/attach?container=c`, "PodAttachOptions", { container: "c" }],
  [`POST ${pod}/portforward?ports=80`, "PodPortForwardOptions", { ports: [80] }],
  [`GET ${pod}/proxy/x`, "PodProxyOptions", { path: "/x" }],
  ["GET /api/v1/namespaces/default/services/s/proxy/x", "ServiceProxyOptions", { path: "/x" }],
  ["GET /api/v1/nodes/n/proxy/x", "NodeProxyOptions", { path: "/x" }],
];

test("admitConnect() runs admission before a connection into the cluster is opened", async () => {
  const directory = await mkdtemp(join(tmpdir(), "connect-"));
  const authority = await TestAuthority.create(directory);
  const caBundle = (await readFile(authority.caFile)).toString("base64");
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(directory, { recursive: true, force: true }));
  const asked: { operation: string; kind: { kind: string }; object: object }[] = [];
  const server = cleanup.use(
    await WebhookServer.start(await authority.issue("webhook"), (review) => {
      asked.push(review.request);
      return { response: { allowed: false, status: { code: 403, message: "closed" } } };
    }),
  );
  const api = cleanup.use(
    await startAdmittingServer(["--disable-admission-plugins=ServiceAccount"]),
  );
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  await api.call("POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec });
  await api.call("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
    metadata: { name: "w" },
    webhooks: [
      {
        name: "doors.example.com",
        rules: [
          {
            operations: ["CONNECT"],
            apiGroups: [""],
            apiVersions: ["v1"],
            resources: ["pods/*", "services/*", "nodes/*"],
          },
        ],
        clientConfig: { url: server.url(), caBundle },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  for (const [line, kind, options] of doors) {
    const [method = "", path = ""] = line.split(" ");
    const answer = await api.call(method, path);
    assert.deepEqual(
      [answer.status, answer.json.message],
      [403, 'admission webhook "doors.example.com" denied the request: closed'],
      line,
    );
    const review = asked.pop();
    assert.deepEqual([review?.operation, review?.kind.kind], ["CONNECT", kind]);
    const { kind: _, apiVersion: __, ...shown } = (review?.object ?? {}) as Record<string, unknown>;
    assert.deepEqual(shown, options, line);
  }
});
