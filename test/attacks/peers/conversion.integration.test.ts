import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "#/testing/until.ts";
import { ApiServerProcess } from "../../faults/api-server-process.ts";
import { SurroundingsBuilder } from "../../parity/surroundings.ts";
import { answer, endless, type Misbehave, measureCpu, readJson } from "./hostile-peer.ts";

const spans = "/apis/example.com/v1/namespaces/default/spans";
const converted = "/apis/example.com/v2/namespaces/default/spans";
/** Limit of the CPU for one request (ms), of all threads, on a slow machine. Quadratic work needs far more. */
const maxCpuMs = 2500;
/** Limit of the growth of resident memory by all attacks (MiB): a few copies of the largest answer. */
const maxGrownMiB = 300;

interface Converted {
  [field: string]: unknown;
  metadata: Record<string, unknown>;
}

/** Converts as it should, with changes. */
const convert =
  (change: (object: Converted) => unknown): Misbehave =>
  async (request, reply) => {
    const { apiVersion, kind, request: asked } = await readJson(request);
    const convertedObjects = asked.objects.map((object: Converted) =>
      change({ ...object, apiVersion: asked.desiredAPIVersion }),
    );
    const response = { uid: asked.uid, convertedObjects, result: { status: "Success" } };
    reply.writeHead(200, { "content-type": "application/json" });
    reply.end(JSON.stringify({ apiVersion, kind, response }));
  };
const metadata = (changed: Record<string, unknown>): Misbehave =>
  convert((object) => ({ ...object, metadata: { ...object.metadata, ...changed } }));
const response = (changed: Record<string, unknown>): Misbehave =>
  async function respond(request, reply) {
    const { apiVersion, kind, request: asked } = await readJson(request);
    const own = { uid: asked.uid, convertedObjects: [], result: { status: "Success" } };
    reply.end(JSON.stringify({ apiVersion, kind, response: { ...own, ...changed } }));
  };

const failed = (why: string): RegExp =>
  new RegExp(`^conversion webhook for example.com/v1, Kind=Span ${why}`);

const attacks: readonly (readonly [name: string, does: Misbehave, message: RegExp])[] = [
  ["an endless answer", endless('{"a": "'), failed("failed: unexpected error when reading")],
  ["YAML of 7 MB", answer("- - ? a\n".repeat(900_000)), failed("failed: ")],
  [
    "JSON that is YAML, of 7 MB",
    answer(`{${"a: [\n".repeat(1_400_000)}`),
    failed("failed: .*invalid character"),
  ],
  ["null", answer("null"), failed("failed: ")],
  ["a text", answer('"text"'), failed("failed: ")],
  ["no objects", response({}), failed("returned 0 objects, expected 1")],
  [
    "objects that are no list",
    response({ convertedObjects: { length: 1 } }),
    failed("failed: .*cannot unmarshal object into Go"),
  ],
  [
    "another request's uid",
    response({ uid: "1" }),
    failed('failed: expected response.uid="[0-9a-f-]+", got "1"'),
  ],
  [
    "null instead of an object",
    convert(() => null),
    failed("returned invalid object at index 0: "),
  ],
  ["a number instead of an object", convert(() => 7), failed("returned invalid object|failed")],
  [
    "another version",
    convert((object) => ({ ...object, apiVersion: "example.com/v3" })),
    failed(
      "returned invalid object at index 0: invalid groupVersion \\(expected example.com/v2, received example.com/v3\\)",
    ),
  ],
  [
    "another kind",
    convert((object) => ({ ...object, kind: "Secret" })),
    failed("returned invalid object at index 0: invalid kind \\(expected Span, received Secret\\)"),
  ],
  [
    "another name",
    metadata({ name: "other" }),
    failed("returned invalid object: must have the same name: span-12 != other"),
  ],
  [
    "another namespace",
    metadata({ namespace: "kube-system" }),
    failed("returned invalid object: must have the same namespace: default != kube-system"),
  ],
  [
    "no metadata",
    convert(({ metadata: _, ...rest }) => rest),
    failed(
      "returned invalid metadata: missing metadata in converted object|returned invalid object",
    ),
  ],
  [
    "metadata that is a text",
    convert((object) => ({ ...object, metadata: "text" })),
    failed("returned invalid"),
  ],
  [
    "labels that are a list",
    metadata({ labels: ["a"] }),
    failed(
      "returned invalid metadata: invalid metadata.labels of type \\[\\]interface {} in converted object",
    ),
  ],
  [
    "a label that is a number",
    metadata({ labels: { a: 7 } }),
    failed(
      "returned invalid metadata: metadata.labels\\[a\\] must be a string, but is int64 in converted object",
    ),
  ],
  [
    "a label that is none",
    metadata({ labels: { "a b": "c" } }),
    failed('returned invalid metadata: metadata.labels: Invalid value: "a b"'),
  ],
  [
    "annotations of a megabyte",
    metadata({ annotations: { a: "x".repeat(1 << 20) } }),
    failed("returned invalid metadata: metadata.annotation: Too long"),
  ],
];

describe("hostile conversion webhook", () => {
  let builder: SurroundingsBuilder;
  let server: ApiServerProcess;
  let residentMiB = 0;
  let does: Misbehave;

  before(async () => {
    builder = await SurroundingsBuilder.open();
    server = await ApiServerProcess.start();
    const url = await builder.serve((request, reply) => void does(request, reply));
    const caBundle = Buffer.from(builder.authority.certificate).toString("base64");
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const { status, text } = await server.send("POST", path, definition({ url, caBundle }));
    assert.equal(status, 201, text);
    const span = { apiVersion: "example.com/v1", kind: "Span", metadata: { name: "a" } };
    await until("the resource is served", async () => {
      const { status } = await server.send("POST", spans, span);
      return status === 201 || status === 409;
    });
  });
  after(async () => {
    const grownMiB = (await server.residentMiB()) - residentMiB;
    assert.ok(grownMiB < maxGrownMiB, `${grownMiB} MiB more`);
    await server[Symbol.asyncDispose]();
    await builder[Symbol.asyncDispose]();
  });

  test("a harmless one changes labels and fields, and no other metadata", async () => {
    residentMiB = await server.residentMiB();
    does = convert((object) => ({
      ...object,
      size: "1",
      metadata: {
        ...object.metadata,
        labels: { a: "b" },
        finalizers: ["example.com/f"],
        ownerReferences: [],
        resourceVersion: "1",
        creationTimestamp: "2000-01-01T00:00:00Z",
      },
    }));
    const stored = JSON.parse((await server.send("GET", `${spans}/a`)).text);
    const { status, text } = await server.send("GET", `${converted}/a`);
    assert.equal(status, 200, text);
    const found = JSON.parse(text);
    assert.equal(found.size, "1");
    assert.deepEqual(
      { ...found.metadata, managedFields: undefined },
      {
        ...stored.metadata,
        labels: { a: "b" },
        managedFields: undefined,
      },
    );
  });

  for (const [index, [name, attack, message]] of attacks.entries()) {
    test(name, async () => {
      does = attack;
      // Each has an object of its own: the result of a conversion is cached.
      const own = `span-${index}`;
      const span = { apiVersion: "example.com/v1", kind: "Span", metadata: { name: own } };
      assert.equal((await server.send("POST", spans, span)).status, 201);
      const { result, cpuMs } = await measureCpu(server, async () => {
        const attacked = server.send("GET", `${converted}/${own}`);
        assert.equal((await server.send("GET", `${spans}/${own}`)).status, 200);
        return attacked;
      });
      assert.equal(result.status, 500, result.text.slice(0, 300));
      assert.match(JSON.parse(result.text).message.slice(0, 2000), message);
      assert.ok(cpuMs < maxCpuMs, `${cpuMs} ms of CPU`);
    });
  }
});

function definition(clientConfig: object): object {
  const schema = {
    openAPIV3Schema: { type: "object", properties: { size: { type: "string" } } },
  };
  return {
    metadata: { name: "spans.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "spans", kind: "Span" },
      versions: ["v1", "v2"].map((name) => ({
        name,
        served: true,
        storage: name === "v1",
        schema,
      })),
      conversion: {
        strategy: "Webhook",
        webhook: { clientConfig, conversionReviewVersions: ["v1"] },
      },
    },
  };
}
