import assert from "node:assert/strict";
import { connect } from "node:http2";
import { test } from "node:test";
import { startTlsServer } from "#/testing/start-tls-server.ts";
import { requestOf } from "./request.ts";

const inherited = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"];
const maps = "/api/v1/namespaces/default/configmaps";
const authorization = "Bearer admintoken";

interface Attempt {
  readonly name: string;
  readonly status: number;
  request(key: string): { path: string; method?: string; headers?: Record<string, string> };
}

const attempts: readonly Attempt[] = [
  {
    name: "a field selector",
    status: 400,
    request: (key) => ({ path: `${maps}?fieldSelector=${key}=1` }),
  },
  { name: "a name", status: 404, request: (key) => ({ path: `${maps}/${key}` }) },
  { name: "a resource", status: 404, request: (key) => ({ path: `/api/v1/${key}` }) },
  { name: "a subresource", status: 404, request: (key) => ({ path: `${maps}/x/${key}` }) },
  { name: "a group", status: 404, request: (key) => ({ path: `/apis/${key}/v1/things` }) },
  { name: "a version", status: 404, request: (key) => ({ path: `/apis/apps/${key}/things` }) },
  { name: "a path", status: 404, request: (key) => ({ path: `/${key}` }) },
  {
    name: "the extra of an impersonated user",
    status: 200,
    request: (key) => ({
      path: maps,
      headers: {
        "impersonate-user": "admin",
        "impersonate-group": "system:masters",
        [`impersonate-extra-${key}`]: "x",
      },
    }),
  },
  {
    name: "a header",
    status: 200,
    request: (key) => ({ path: maps, headers: { [key]: "x" } }),
  },
  { name: "a parameter", status: 200, request: (key) => ({ path: `${maps}?${key}=1` }) },
];

test("a name that every object inherits is a name as any other", async () => {
  await using server = await startTlsServer();
  for (const { name, status, request } of attempts) {
    for (const key of [...inherited, "harmless"]) {
      const answer = await requestOf(server, { ...request(key), authorization });
      assert.equal(answer.status, status, `${name} ${key}: ${answer.text}`);
    }
  }
  const session = connect(server.url, { rejectUnauthorized: false });
  try {
    for (const method of ["constructor", "toString", "harmless"]) {
      const stream = session.request({ ":method": method, ":path": maps, authorization });
      stream.resume();
      const [headers] = await new Promise<[{ ":status"?: number | undefined }]>(
        (resolve, reject) => {
          stream.once("response", (found) => resolve([found]));
          stream.once("error", reject);
        },
      );
      assert.equal(headers[":status"], 405, method);
    }
  } finally {
    session.destroy();
  }
});
