import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type CertificateFiles, TestAuthority } from "#/testing/certificates.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startAdmittingServer } from "#/testing/start-admitting-server.ts";
import type { TestApiServer } from "#/testing/start-api-server.ts";
import { type Handle, WebhookServer } from "#/testing/webhook-server.ts";

let directory: string;
let authority: TestAuthority;
let certificate: CertificateFiles;
let caBundle: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "webhooks-"));
  authority = await TestAuthority.create(directory);
  certificate = await authority.issue("webhook");
  caBundle = (await readFile(authority.caFile)).toString("base64");
});
after(() => rm(directory, { recursive: true }));

const configMapRule = {
  operations: ["CREATE", "UPDATE"],
  apiGroups: [""],
  apiVersions: ["v1"],
  resources: ["configmaps"],
};

const maps = "/api/v1/namespaces/n/configmaps";
const configurations = (kind: string) =>
  `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;

/** Registers one webhook under a name. */
async function register(
  api: TestApiServer,
  kind: "Mutating" | "Validating",
  webhook: { name: string } & Record<string, unknown>,
  configuration = webhook.name,
): Promise<void> {
  const { status, text } = await api.call("POST", configurations(kind), {
    metadata: { name: configuration },
    webhooks: [
      {
        rules: [configMapRule],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        timeoutSeconds: 10,
        ...webhook,
      },
    ],
  });
  assert.equal(status, 201, text);
}

async function start(options: Parameters<typeof startAdmittingServer>[1] = {}) {
  const api = await startAdmittingServer([], options);
  await api.call("POST", "/api/v1/namespaces", { metadata: { name: "n", labels: { team: "a" } } });
  return api;
}

const clientOf = (server: WebhookServer, path?: string) => ({ url: server.url(path), caBundle });
const patchOf = (operations: object[]) => ({
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

test("ValidatingAdmissionWebhook sends a webhook the request and returns its refusal", async () => {
  const reviews: unknown[] = [];
  await using server = await WebhookServer.start(certificate, (review) => {
    reviews.push(review);
    return {
      response: {
        allowed: false,
        status: { code: 403, message: "not today", reason: "Forbidden" },
        warnings: ["take care"],
      },
    };
  });
  await using api = await start();
  await register(api, "Validating", { name: "deny.example.com", clientConfig: clientOf(server) });
  const answer = await api.call("POST", `${maps}?fieldManager=me`, { metadata: { name: "a" } });
  assert.equal(answer.status, 403);
  assert.deepEqual(answer.json, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'admission webhook "deny.example.com" denied the request: not today',
    reason: "Forbidden",
    code: 403,
  });
  assert.deepEqual(answer.headers["warning"], ['299 - "take care"']);
  const [{ kind, apiVersion, request }] = reviews as [
    { kind: string; apiVersion: string; request: Record<string, unknown> },
  ];
  const { uid, object, ...rest } = request;
  assert.equal(`${apiVersion} ${kind}`, "admission.k8s.io/v1 AdmissionReview");
  assert.match(String(uid), /^[0-9a-f-]{36}$/);
  assert.equal((object as { metadata: { name: string } }).metadata.name, "a");
  assert.deepEqual(rest, {
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    resource: { group: "", version: "v1", resource: "configmaps" },
    requestKind: { group: "", version: "v1", kind: "ConfigMap" },
    requestResource: { group: "", version: "v1", resource: "configmaps" },
    name: "a",
    namespace: "n",
    operation: "CREATE",
    userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
    oldObject: null,
    dryRun: false,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" },
  });
});

test("MutatingAdmissionWebhook applies patches in order of names, and reinvokes webhooks with that policy", async () => {
  const calls: string[] = [];
  const handle: Handle = (review, path) => {
    const [name = ""] = path.slice(1).split("?");
    calls.push(`${name} ${Object.keys(review.request.object.data ?? {}).join(",")}`);
    if (review.request.object.data?.[name]) return { response: { allowed: true } };
    const first = review.request.object.data ? [] : [{ op: "add", path: "/data", value: {} }];
    const operations = [...first, { op: "add", path: `/data/${name}`, value: "yes" }];
    return { response: { allowed: true, ...patchOf(operations) } };
  };
  await using server = await WebhookServer.start(certificate, handle);
  await using api = await start();
  await register(api, "Mutating", { name: "b.example.com", clientConfig: clientOf(server, "/b") });
  await register(api, "Mutating", {
    name: "a.example.com",
    clientConfig: clientOf(server, "/a"),
    reinvocationPolicy: "IfNeeded",
  });
  const { status, json } = await api.call("POST", maps, { metadata: { name: "m" } });
  assert.equal(status, 201);
  assert.deepEqual(json.data, { a: "yes", b: "yes" });
  assert.deepEqual(calls, ["a ", "b a", "a a,b"]);
});

test("MutatingAdmissionWebhook keeps connections", async () => {
  await using server = await WebhookServer.start(certificate, () => ({
    response: { allowed: true },
  }));
  await using api = await start();
  await register(api, "Mutating", { name: "a.example.com", clientConfig: clientOf(server) });
  for (const name of ["a", "b", "c"]) {
    assert.equal((await api.call("POST", maps, { metadata: { name } })).status, 201);
  }
  assert.equal(server.connections, 1);
});

const failures: {
  readonly name: string;
  readonly handle: Handle;
  readonly message: (url: string) => string;
}[] = [
  {
    name: "an HTTP error",
    handle: () => ({ status: 500, body: "boom" }),
    message: () =>
      'failed to call webhook: an error on the server ("boom") has prevented the request from succeeding',
  },
  {
    name: "garbage",
    handle: () => ({ status: 200, body: "<html>" }),
    message: () =>
      'failed to call webhook: couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  },
  {
    name: "an answer without response",
    handle: () => ({
      status: 200,
      body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}',
    }),
    message: () => "received invalid webhook response: webhook response was absent",
  },
  {
    name: "a patch from a validating webhook",
    handle: () => ({ response: { allowed: true, ...patchOf([]) } }),
    message: () =>
      "received invalid webhook response: validating webhook may not return response.patch",
  },
];

for (const { name, handle, message } of failures) {
  test(`ValidatingAdmissionWebhook fails closed on ${name}, and open if its failure policy is Ignore`, async () => {
    await using server = await WebhookServer.start(certificate, handle);
    await using api = await start();
    const webhook = { name: "x.example.com", clientConfig: clientOf(server) };
    await register(api, "Validating", webhook);
    const { status, json } = await api.call("POST", maps, { metadata: { name: "a" } });
    assert.equal(status, 500);
    const text = `failed calling webhook "x.example.com": ${message(server.url())}`;
    assert.equal(json.message, `Internal error occurred: ${text}`);
    assert.deepEqual(json.details, { causes: [{ message: text }] });
    await api.call("DELETE", `${configurations("Validating")}/x.example.com`);
    await register(api, "Validating", { ...webhook, failurePolicy: "Ignore" });
    assert.equal((await api.call("POST", maps, { metadata: { name: "a" } })).status, 201);
  });
}

test("the call of a webhook that does not respond ends after its timeout", async () => {
  const clock = new FakeClock();
  const asked = Promise.withResolvers<void>();
  await using server = await WebhookServer.start(certificate, () => {
    asked.resolve();
    return new Promise(() => undefined);
  });
  await using api = await start({ clock });
  await register(api, "Validating", {
    name: "x.example.com",
    clientConfig: clientOf(server),
    timeoutSeconds: 3,
  });
  const answer = api.call("POST", maps, { metadata: { name: "a" } });
  await asked.promise;
  await clock.advance(3000);
  const { json } = await answer;
  assert.equal(
    json.message,
    `Internal error occurred: failed calling webhook "x.example.com": failed to call webhook: Post "${server.url()}?timeout=3s": context deadline exceeded`,
  );
});

test("a call of an unreachable webhook, or of one with an invalid certificate, fails", async () => {
  const other = await authority.issue("other", ["DNS:elsewhere.example.com"]);
  await using server = await WebhookServer.start(other, () => ({ response: { allowed: true } }));
  await using api = await start();
  const message = async (clientConfig: object): Promise<string> => {
    await register(api, "Validating", { name: "x.example.com", clientConfig });
    const { json } = await api.call("POST", maps, { metadata: { name: "a" } });
    await api.call("DELETE", `${configurations("Validating")}/x.example.com`);
    return json.message.replace(/^.*failed to call webhook: /, "");
  };
  assert.equal(
    await message(clientOf(server)),
    `Post "${server.url()}?timeout=10s": tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
  );
  assert.equal(
    await message({ url: server.url() }),
    `Post "${server.url()}?timeout=10s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  );
  assert.equal(
    await message({ url: "https://127.0.0.1:1/" }),
    'Post "https://127.0.0.1:1/?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
  );
  assert.equal(
    await message({ service: { name: "gone", namespace: "n", port: 443 } }),
    'Post "https://gone.n.svc:443/?timeout=10s": service "gone" not found',
  );
});

test("a service is called at its address and verified by its name", async () => {
  const files = await authority.issue("hook.n.svc", ["DNS:hook.n.svc"]);
  const paths: string[] = [];
  await using server = await WebhookServer.start(files, (_, path) => {
    paths.push(path);
    return { response: { allowed: true } };
  });
  await using api = await start();
  await api.call("POST", "/api/v1/namespaces/n/services", {
    metadata: { name: "hook" },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  const service = { name: "hook", namespace: "n", port: server.port, path: "/check" };
  await register(api, "Validating", { name: "x.example.com", clientConfig: { service, caBundle } });
  const { status, text } = await api.call("POST", maps, { metadata: { name: "a" } });
  assert.equal(status, 201, text);
  assert.deepEqual(paths, ["/check?timeout=10s"]);
});

test("a webhook gets the dryRun of the request", async () => {
  const seen: unknown[] = [];
  await using server = await WebhookServer.start(certificate, ({ request }) => {
    seen.push({ dryRun: request.dryRun, options: request.options });
    return { response: { allowed: true } };
  });
  await using api = await start();
  const webhook = { name: "x.example.com", clientConfig: clientOf(server) };
  await register(api, "Validating", { ...webhook, sideEffects: "NoneOnDryRun" });
  await api.call("POST", `${maps}?dryRun=All`, { metadata: { name: "a" } });
  const options = { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"] };
  assert.deepEqual(seen, [{ dryRun: true, options }]);
});

const selections: { name: string; webhook: object; called: boolean }[] = [
  {
    name: "namespaceSelector that matches",
    webhook: { namespaceSelector: { matchLabels: { team: "a" } } },
    called: true,
  },
  {
    name: "namespaceSelector of others",
    webhook: { namespaceSelector: { matchLabels: { team: "b" } } },
    called: false,
  },
  {
    name: "objectSelector that matches",
    webhook: { objectSelector: { matchLabels: { app: "x" } } },
    called: true,
  },
  {
    name: "objectSelector of others",
    webhook: { objectSelector: { matchLabels: { app: "y" } } },
    called: false,
  },
  {
    name: "condition that holds",
    webhook: { matchConditions: [{ name: "c", expression: "object.metadata.name == 'a'" }] },
    called: true,
  },
  {
    name: "condition that doesn't hold",
    webhook: {
      matchConditions: [{ name: "c", expression: "request.userInfo.username != 'admin'" }],
    },
    called: false,
  },
  {
    name: "rule for the cluster's scope",
    webhook: { rules: [{ ...configMapRule, scope: "Cluster" }] },
    called: false,
  },
  {
    name: "rule for another operation",
    webhook: { rules: [{ ...configMapRule, operations: ["DELETE"] }] },
    called: false,
  },
];

for (const { name, webhook, called } of selections) {
  test(`a webhook with a ${name} is ${called ? "" : "not "}called`, async () => {
    let calls = 0;
    await using server = await WebhookServer.start(certificate, () => {
      calls++;
      return { response: { allowed: true } };
    });
    await using api = await start();
    const clientConfig = clientOf(server);
    await register(api, "Validating", { name: "x.example.com", clientConfig, ...webhook });
    const object = { metadata: { name: "a", labels: { app: "x" } } };
    assert.equal((await api.call("POST", maps, object)).status, 201);
    assert.equal(calls, called ? 1 : 0);
  });
}

test("a condition that can't be evaluated refuses the request, or the webhook is skipped", async () => {
  await using server = await WebhookServer.start(certificate, () => ({
    response: { allowed: false },
  }));
  await using api = await start();
  const webhook = {
    name: "x.example.com",
    clientConfig: clientOf(server),
    matchConditions: [{ name: "c", expression: "object.spec.nothing == 1" }],
  };
  await register(api, "Validating", webhook);
  const { status, json } = await api.call("POST", maps, { metadata: { name: "a" } });
  assert.equal(status, 403);
  assert.equal(
    json.message,
    `configmaps "a" is forbidden: expression 'object.spec.nothing == 1' resulted in error: no such key: spec`,
  );
  await api.call("DELETE", `${configurations("Validating")}/x.example.com`);
  await register(api, "Validating", { ...webhook, failurePolicy: "Ignore" });
  assert.equal((await api.call("POST", maps, { metadata: { name: "a" } })).status, 201);
});

test("a webhook for another version sees the object in that version", async () => {
  const seen: unknown[] = [];
  await using server = await WebhookServer.start(certificate, (review) => {
    const { kind, resource, requestKind, object } = review.request;
    seen.push({ kind, resource, requestKind, apiVersion: object.apiVersion });
    return { response: { allowed: true } };
  });
  await using api = await start();
  const rule = {
    operations: ["*"],
    apiGroups: ["autoscaling"],
    apiVersions: ["v1"],
    resources: ["horizontalpodautoscalers"],
  };
  const clientConfig = clientOf(server);
  await register(api, "Validating", { name: "x.example.com", clientConfig, rules: [rule] });
  const url = "/apis/autoscaling/v2/namespaces/n/horizontalpodautoscalers";
  const { status, text } = await api.call("POST", url, {
    metadata: { name: "a" },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
    },
  });
  assert.equal(status, 201, text);
  const kind = "HorizontalPodAutoscaler";
  assert.deepEqual(seen, [
    {
      kind: { group: "autoscaling", version: "v1", kind },
      resource: { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" },
      requestKind: { group: "autoscaling", version: "v2", kind },
      apiVersion: "autoscaling/v1",
    },
  ]);
});

test("no webhook is called for webhook configurations", async () => {
  await using server = await WebhookServer.start(certificate, () => ({
    response: { allowed: false },
  }));
  await using api = await start();
  const rule = { operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] };
  const clientConfig = clientOf(server);
  await register(api, "Validating", { name: "x.example.com", clientConfig, rules: [rule] });
  await register(api, "Validating", { name: "y.example.com", clientConfig });
  const { json } = await api.call("POST", maps, { metadata: { name: "a" } });
  assert.equal(
    json.message,
    'admission webhook "x.example.com" denied the request without explanation',
  );
  const url = `${configurations("Validating")}/x.example.com`;
  assert.equal((await api.call("DELETE", url)).status, 200);
});
