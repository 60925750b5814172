import assert from "node:assert/strict";
import { test } from "node:test";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { requestOf } from "../identity/request.ts";

/** More than a request may have; each of these elements takes one to three bytes. */
const many = 300_000;

const authorization = "Bearer admintoken";
const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const maps = "/api/v1/namespaces/default/configmaps?dryRun=All";
const pods = "/api/v1/namespaces/default/pods?dryRun=All";

/** A record of protobuf: its number and its bytes, with the length before them. */
function record(number: number, ...content: readonly (string | Uint8Array)[]): Buffer {
  const bytes = Buffer.concat(content.map((part) => Buffer.from(part)));
  const length: number[] = [];
  for (let rest = bytes.length; rest > 0 || length.length === 0; rest >>>= 7) {
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

const repeated = (count: number, bytes: Buffer): Buffer =>
  Buffer.concat(Array<Buffer>(count).fill(bytes));

const message = (apiVersion: string, kind: string, ...content: Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    record(1, record(1, apiVersion), record(2, kind)),
    record(2, ...content),
  ]);

const named = (...content: Buffer[]): Buffer => record(1, record(1, "x"), ...content);
const listed = record(1, record(2, "list"), record(5, "pods"));

interface Attempt {
  readonly name: string;
  readonly path: string;
  readonly type?: string;
  body(count: number): string | Uint8Array;
}

const attempts: readonly Attempt[] = [
  {
    name: "owners in protobuf",
    path: maps,
    body: (count) => message("v1", "ConfigMap", named(repeated(count, record(13)))),
  },
  {
    name: "finalizers in protobuf",
    path: maps,
    body: (count) => message("v1", "ConfigMap", named(repeated(count, record(14)))),
  },
  {
    name: "entries of a map in protobuf",
    path: maps,
    body: (count) => message("v1", "ConfigMap", named(), repeated(count, record(2))),
  },
  {
    name: "packed numbers in protobuf",
    path: pods,
    body: (count) =>
      message("v1", "Pod", named(), record(2, record(14, record(4, Buffer.alloc(count, 1))))),
  },
  {
    name: "owners of a review in protobuf",
    path: reviews,
    body: (count) =>
      message(
        "authorization.k8s.io/v1",
        "SelfSubjectAccessReview",
        record(1, repeated(count, record(13))),
        record(2, listed),
      ),
  },
  {
    name: "owners in JSON",
    path: maps,
    type: "application/json",
    body: (count) => `{"metadata":{"name":"x","ownerReferences":[${Array(count).fill("{}")}]}}`,
  },
  {
    name: "numbers in JSON",
    path: pods,
    type: "application/json",
    body: (count) =>
      `{"metadata":{"name":"x"},"spec":{"securityContext":{"supplementalGroups":[${Array(count).fill("11")}]}}}`,
  },
  {
    name: "arrays without commas in JSON",
    path: maps,
    type: "application/json",
    body: (count) =>
      `{"x":[${Array(Math.ceil(count / 50)).fill("[".repeat(100) + "]".repeat(100))}]}`,
  },
];

test("many elements that take few bytes are refused before they are processed", async () => {
  await using server = await startTlsServer();
  for (const { name, path, type = "application/vnd.kubernetes.protobuf", body } of attempts) {
    const headers = { "content-type": type };
    const send = (count: number) =>
      requestOf(server, { method: "POST", path, authorization, headers, body: body(count) });
    const refused = await send(many);
    assert.equal(refused.status, 413, `${name}: ${refused.text.slice(0, 200)}`);
    assert.match(refused.text, /limit is 98304 fields/, name);
    const { status } = await send(1);
    assert.ok(status === 201 || status === 422 || status === 400, `${name}: ${status}`);
  }
  const harmless = await requestOf(server, {
    method: "POST",
    path: maps,
    authorization,
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    body: message("v1", "ConfigMap", named(), record(2, record(1, "k"), record(2, "v"))),
  });
  assert.equal(harmless.status, 201, harmless.text);
});
