import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startOwn } from "../../parity/reference.ts";
import { type AggregatedServer, startAggregated } from "./aggregated-server.ts";

/** [path, status, the path that arrives at the aggregated server]: as the real kube-apiserver has them. */
const cases: readonly (readonly [path: string, status: number, arrives?: string])[] = [
  [
    "/apis/example.com/v1/namespaces/t1/things/a",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a",
  ],
  ["/apis/example.com/v1/namespaces/t1/things/a/secretsub", 403],
  ["/apis/example.com/v1/namespaces/t1/things/a%2fsecretsub", 403],
  ["/apis/example.com/v1/namespaces/t1/things/a%2Fsecretsub", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%252fsecretsub",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%252fsecretsub",
  ],
  ["/apis/example.com/v1/namespaces/t1/things/..%2f..%2ft2%2fthings%2fvictim", 403],
  ["/apis/example.com/v1/namespaces/t1/things/../../t2/things/victim", 403],
  ["/apis/example.com/v1/namespaces/t1/things/%2e%2e/%2e%2e/t2/things/victim", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/..",
    200,
    "/apis/example.com/v1/namespaces/t1/things/..",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/.",
    200,
    "/apis/example.com/v1/namespaces/t1/things/.",
  ],
  ["/apis/example.com/v1/namespaces/t1/things//a", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/a//",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a//",
  ],
  ["/apis//example.com/v1/namespaces/t1/things/a", 403],
  ["//apis/example.com/v1/namespaces/t1/things/a", 404],
  ["/apis/example.com/v1//namespaces/t1/things/a", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/a;b",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a;b",
  ],
  ["/apis/example.com/v1/namespaces/t1/things/a;/secretsub", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%00",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%00",
  ],
  ["/apis/example.com/v1/namespaces/t1/things/a%00b/x", 403],
  ["/apis/example.com/v1/namespaces/t1/things/a%", 400],
  ["/apis/example.com/v1/namespaces/t1/things/a%zz", 400],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%3fx=1",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%3Fx=1",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%23x",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%23x",
  ],
  [
    "/apis/example.com/v1/namespaces/t1%2fthings/a",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a",
  ],
  [
    "/apis%2fexample.com/v1/namespaces/t1/things/a",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a",
  ],
  [
    "/%61pis/example.com/v1/namespaces/t1/things/a",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a",
  ],
  ["/apis/example.com/v1/namespaces/t2%2f..%2ft1/things/a", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/%C3%A9",
    200,
    "/apis/example.com/v1/namespaces/t1/things/%C3%A9",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/%ff%C3%A9%e2%82",
    200,
    "/apis/example.com/v1/namespaces/t1/things/%FF%C3%A9%E2%82",
  ],
  ["/apis/example.com/v1/namespaces/t2%2fthings/%ff", 403],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%20b",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%20b",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/a+b",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a+b",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/a!'()*b",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%21%27%28%29%2Ab",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/a%5cb",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%5Cb",
  ],
  [
    "/apis/example.com/v1/namespaces/t1/things/a\\b",
    200,
    "/apis/example.com/v1/namespaces/t1/things/a%5Cb",
  ],
];

describe("the path that is authorized is the path that is forwarded", () => {
  let server: AggregatedServer;
  before(async () => {
    server = await startAggregated(startOwn);
  });
  after(() => server[Symbol.asyncDispose]());

  for (const [path, status, arrives] of cases) {
    test(`${path}: ${status}`, async () => {
      server.arrived.length = 0;
      assert.equal((await server.ask(path)).status, status);
      assert.deepEqual(server.arrived, arrives === undefined ? [] : [arrives]);
    });
  }
});
