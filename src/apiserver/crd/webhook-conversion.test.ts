import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { ConversionReview } from "#/api/apiextensions/v1.ts";
import { type CertificateFiles, TestAuthority } from "#/testing/certificates.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { type WebhookAnswer, WebhookServer } from "#/testing/webhook-server.ts";

let directory: string;
let certificate: CertificateFiles;
let caBundle: string;

before(async () => {
  directory = await mkdtemp(join(tmpdir(), "conversion-"));
  const authority = await TestAuthority.create(directory);
  certificate = await authority.issue("webhook");
  caBundle = (await readFile(authority.caFile)).toString("base64");
});
after(() => rm(directory, { recursive: true }));

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const name = "spans.example.com";

interface Span {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  size?: string;
  width?: string;
}

/** The field size of v1 is width in v2. */
function convert(review: ConversionReview): WebhookAnswer {
  const { desiredAPIVersion = "", objects = [] } = review.request ?? {};
  const convertedObjects = (objects as unknown as Span[]).map(({ size, width, ...rest }) => {
    const value = size ?? width ?? "";
    return desiredAPIVersion.endsWith("/v2")
      ? { ...rest, apiVersion: desiredAPIVersion, width: value }
      : { ...rest, apiVersion: desiredAPIVersion, size: value };
  });
  return { response: { convertedObjects, result: { status: "Success" } } };
}

function definition(url: string, storage: string) {
  const version = (version: string, field: string) => ({
    name: version,
    served: true,
    storage: version === storage,
    selectableFields: [{ jsonPath: `.${field}` }],
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { [field]: { type: "string", maxLength: 5 } },
      },
    },
  });
  return {
    metadata: { name },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "spans", kind: "Span" },
      versions: [version("v1", "size"), version("v2", "width")],
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { url, caBundle },
          conversionReviewVersions: ["v1"],
        },
      },
    },
  };
}

async function served(api: TestApiServer): Promise<void> {
  for (let turn = 0; turn < 1000; turn++) {
    if (api.registry.catalog.findResource("example.com", "spans")) return;
    await api.call("GET", crds);
  }
  assert.fail("not served");
}

const path = (version: string) => `/apis/example.com/${version}/namespaces/default/spans`;
const span = (version: string, name: string) => ({
  apiVersion: `example.com/${version}`,
  kind: "Span",
  metadata: { name },
});
const merge = { headers: { "content-type": "application/merge-patch+json" } };

test("WebhookConversion converts objects written and read in another version", async () => {
  await using server = await WebhookServer.start(certificate, convert);
  await using api = await startApiServer();
  assert.equal((await api.call("POST", crds, definition(server.url(), "v1"))).status, 201);
  await served(api);
  const created = await api.call("POST", path("v2"), { ...span("v2", "a"), width: "wide" });
  assert.equal(created.status, 201, created.text);
  assert.deepEqual([created.json.apiVersion, created.json.width], ["example.com/v2", "wide"]);
  assert.deepEqual(created.json.metadata.managedFields[0].apiVersion, "example.com/v2");
  const v1 = (await api.call("GET", `${path("v1")}/a`)).json;
  assert.deepEqual([v1.apiVersion, v1.size], ["example.com/v1", "wide"]);
  const patched = await api.call("PATCH", `${path("v2")}/a`, { width: "thin" }, merge);
  assert.equal(patched.json.width, "thin", patched.text);
  assert.equal((await api.call("GET", `${path("v1")}/a`)).json.size, "thin");
  const long = await api.call("POST", path("v2"), { ...span("v2", "b"), width: "too wide" });
  assert.equal(
    long.json.message,
    'Span.example.com "b" is invalid: width: Too long: may not be more than 5 bytes',
  );
});

test("WebhookConversion converts lists of objects that were stored in several versions", async () => {
  await using server = await WebhookServer.start(certificate, convert);
  await using api = await startApiServer();
  await api.call("POST", crds, definition(server.url(), "v1"));
  await served(api);
  await api.call("POST", path("v1"), { ...span("v1", "a"), size: "1" });
  const { versions } = definition(server.url(), "v2").spec;
  const changed = await api.call("PATCH", `${crds}/${name}`, { spec: { versions } }, merge);
  assert.deepEqual(changed.json.status.storedVersions, ["v1", "v2"]);
  for (let turn = 0; turn < 1000; turn++) {
    const resource = api.registry.catalog.findResource("example.com", "spans");
    if (resource?.declaration.handle.version === "v2") break;
    await api.call("GET", crds);
  }
  await api.call("POST", path("v2"), { ...span("v2", "b"), width: "2" });
  const v1 = (await api.call("GET", path("v1"))).json;
  assert.deepEqual(
    v1.items.map(({ apiVersion, size }: Span) => [apiVersion, size]),
    [
      ["example.com/v1", "1"],
      ["example.com/v1", "2"],
    ],
  );
  const v2 = (await api.call("GET", path("v2"))).json;
  assert.deepEqual(
    v2.items.map(({ width }: Span) => width),
    ["1", "2"],
  );
});

test("select() sees a version's own fields, which a webhook converts", async () => {
  await using server = await WebhookServer.start(certificate, convert);
  await using api = await startApiServer();
  await api.call("POST", crds, definition(server.url(), "v1"));
  await served(api);
  for (const [name, size] of [
    ["a", "1"],
    ["b", "2"],
    ["c", "1"],
  ] as const)
    await api.call("POST", path("v1"), { ...span("v1", name), size });
  const names = (items: Span[]) => items.map(({ metadata }) => metadata.name);
  const listed = await api.call("GET", `${path("v2")}?fieldSelector=width%3D1`);
  assert.deepEqual(names(listed.json.items), ["a", "c"]);
  const from = listed.json.metadata.resourceVersion;
  await api.call("PATCH", `${path("v1")}/a`, { size: "2" }, merge);
  await api.call("PATCH", `${path("v2")}/b`, { width: "1" }, merge);
  await api.call("DELETE", `${path("v2")}?fieldSelector=width%3D1`);
  const query = `watch=true&timeoutSeconds=1&fieldSelector=width%3D1&resourceVersion=`;
  const seen = async (version: string) => {
    const { text } = await api.call("GET", `${path("v2")}?${query}${version}`);
    return text
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { type: string; object: Span })
      .map(({ type, object }) => [type, object.metadata.name, object.width]);
  };
  const changes = [
    ["DELETED", "a", "1"],
    ["ADDED", "b", "1"],
    ["DELETED", "b", "1"],
    ["DELETED", "c", "1"],
  ];
  assert.deepEqual(await seen(from), changes);
  const live = seen("");
  await api.call("PATCH", `${path("v1")}/a`, { size: "1" }, merge);
  await api.call("PATCH", `${path("v1")}/a`, { size: "3" }, merge);
  assert.deepEqual(await live, [
    ["ADDED", "a", "1"],
    ["DELETED", "a", "1"],
  ]);
});

test("WebhookConversion reports why an object could not be converted", async () => {
  await using server = await WebhookServer.start(certificate, () => ({
    response: { convertedObjects: [], result: { status: "Failure", message: "no" } },
  }));
  await using api = await startApiServer();
  await api.call("POST", crds, definition(server.url(), "v1"));
  await served(api);
  const failed = await api.call("POST", path("v2"), { ...span("v2", "a"), width: "1" });
  assert.deepEqual(
    [failed.status, failed.json.message],
    [500, "conversion webhook for example.com/v2, Kind=Span failed: no"],
  );
});

test("a patch of managedFields keeps the sent ones, whatever a conversion adds", async () => {
  let conversions = 0;
  const annotating = (review: ConversionReview): WebhookAnswer => {
    const { desiredAPIVersion = "", objects = [] } = review.request ?? {};
    const convertedObjects = (objects as unknown as Span[]).map(({ metadata, ...rest }) => ({
      ...rest,
      apiVersion: desiredAPIVersion,
      metadata: { ...metadata, annotations: { "example.com/data": `${conversions++}` } },
    }));
    return { response: { convertedObjects, result: { status: "Success" } } };
  };
  await using server = await WebhookServer.start(certificate, annotating);
  await using api = await startApiServer();
  await api.call("POST", crds, definition(server.url(), "v1"));
  await served(api);
  const made = await api.call("POST", path("v2"), span("v2", "a"));
  assert.equal(made.status, 201, made.text);
  const entry = {
    manager: "someone",
    operation: "Apply",
    apiVersion: "example.com/v2",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:width": {} },
  };
  const operations = [{ op: "replace", path: "/metadata/managedFields", value: [entry] }];
  const patched = await api.call("PATCH", `${path("v2")}/a`, operations as unknown as object, {
    headers: { "content-type": "application/json-patch+json" },
  });
  assert.deepEqual(patched.json.metadata.managedFields, [entry], patched.text);
});
