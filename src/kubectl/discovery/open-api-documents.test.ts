import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "#/client/client.ts";
import {
  type ApiRequest,
  type ApiResponse,
  formatQuery,
  type Transport,
} from "#/client/transport/transport.ts";
import { FieldValidationSupport } from "../openapi/field-validation.ts";
import { OpenApiDocuments } from "./open-api-documents.ts";

/** A server of a version that can't be started here: it sends prepared responses, and counts requests. */
class ScriptedServer {
  readonly answers = new Map<string, unknown>();
  readonly asked: string[] = [];
  etag = "1";

  readonly client: Client = new Client({
    request: async (request: ApiRequest) => this.#answer(request),
  } as Transport);

  #answer({ path, query, headers }: ApiRequest): ApiResponse {
    const url = path + formatQuery(query);
    this.asked.push(url);
    const body = this.answers.get(url);
    const isSame = headers?.["if-none-match"] === this.etag;
    const status = body === undefined ? 404 : isSame ? 304 : 200;
    return { status, headers: { etag: this.etag }, body: body ?? {}, warnings: [] };
  }
}

async function withDocuments(
  run: (server: ScriptedServer, open: () => OpenApiDocuments) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "openapi-"));
  try {
    const server = new ScriptedServer();
    await run(server, () => new OpenApiDocuments({ client: server.client, folder }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const kind = { group: "", version: "v1", kind: "Pod" };
const operations = (parameters: object[]): object => ({
  "/api/v1/pods/{name}": { patch: { parameters, "x-kubernetes-group-version-kind": kind } },
});
const index = (hash: string): object => ({
  paths: { "api/v1": { serverRelativeURL: `/openapi/v3/api/v1?hash=${hash}` } },
});
const checked = { name: "fieldValidation", in: "query" };

test("OpenApiDocuments keeps a document until its hash changes", () =>
  withDocuments(async (server, open) => {
    server.answers.set("/openapi/v3", index("A"));
    server.answers.set("/openapi/v3/api/v1?hash=A", { paths: { a: {} } });
    server.answers.set("/openapi/v3/api/v1?hash=B", { paths: { b: {} } });
    assert.deepEqual(await open().find("api/v1"), { paths: { a: {} } });
    assert.deepEqual(await open().find("api/v1"), { paths: { a: {} } });
    server.answers.set("/openapi/v3", index("B"));
    assert.deepEqual(await open().find("api/v1"), { paths: { b: {} } });
    assert.equal(await open().find("apis/none/v1"), undefined);
    assert.deepEqual(
      server.asked.filter((url) => url !== "/openapi/v3"),
      ["/openapi/v3/api/v1?hash=A", "/openapi/v3/api/v1?hash=B"],
    );
  }));

test("OpenApiDocuments caches computed values, and needs no document for them", () =>
  withDocuments(async (server, open) => {
    server.answers.set("/openapi/v3", index("A"));
    server.answers.set("/openapi/v3/api/v1?hash=A", { paths: { a: {} } });
    const count = (): Promise<number | undefined> =>
      open().derive("api/v1", "count", ({ paths = {} }) => Object.keys(paths).length);
    assert.equal(await count(), 1);
    server.answers.delete("/openapi/v3/api/v1?hash=A");
    assert.equal(await count(), 1);
  }));

test("OpenApiDocuments requests version 2 with the cached ETag", () =>
  withDocuments(async (server, open) => {
    server.answers.set("/openapi/v2", { definitions: { a: {} } });
    assert.deepEqual(await open().v2(), { definitions: { a: {} } });
    server.answers.set("/openapi/v2", { definitions: { not: {} } });
    assert.deepEqual(await open().v2(), { definitions: { a: {} } });
    server.etag = "2";
    assert.deepEqual(await open().v2(), { definitions: { not: {} } });
  }));

const servers: readonly { name: string; answers: Record<string, unknown>; supported: boolean }[] = [
  {
    name: "a server that checks fields",
    answers: {
      "/openapi/v3": index("A"),
      "/openapi/v3/api/v1?hash=A": { paths: operations([checked]) },
    },
    supported: true,
  },
  {
    name: "a server that names the parameter elsewhere",
    answers: {
      "/openapi/v3": index("A"),
      "/openapi/v3/api/v1?hash=A": {
        paths: operations([{ $ref: "#/parameters/f" }]),
        components: { parameters: { f: checked } },
      },
    },
    supported: true,
  },
  {
    name: "a server that doesn't",
    answers: {
      "/openapi/v3": index("A"),
      "/openapi/v3/api/v1?hash=A": { paths: operations([]) },
    },
    supported: false,
  },
  {
    name: "a server with version 2 of OpenAPI only that checks fields",
    answers: { "/openapi/v2": { paths: operations([checked]) } },
    supported: true,
  },
  {
    name: "a server with version 2 of OpenAPI only that doesn't",
    answers: { "/openapi/v2": { paths: operations([]) } },
    supported: false,
  },
];

for (const { name, answers, supported } of servers) {
  test(`FieldValidationSupport of ${name}`, () =>
    withDocuments(async (server, open) => {
      for (const [url, answer] of Object.entries(answers)) server.answers.set(url, answer);
      const support = new FieldValidationSupport(open(), server.client);
      assert.equal(await support.isSupported(kind), supported);
    }));
}

test("FieldValidationSupport never has lists", () =>
  withDocuments(async (server, open) => {
    const support = new FieldValidationSupport(open(), server.client);
    assert.equal(await support.isSupported({ ...kind, kind: "List" }), false);
    assert.deepEqual(server.asked, []);
  }));
