import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";

const namespace = "/api/v1/namespaces/default";
const list = <T>(length: number, item: T): T[] => Array.from({ length }, () => item);

/** Objects with as many faults as a request has room for, by their number of elements. */
const faulty: Readonly<Record<string, (count: number) => object>> = {
  configmaps: (count) => ({ metadata: { name: "a", finalizers: list(count, "") } }),
  pods: (count) => ({ metadata: { name: "a" }, spec: { containers: list(count, {}) } }),
};

test("as many errors as elements are answered with 422, as few are", async () => {
  await using api = await startApiServer();
  for (const [resource, make] of Object.entries(faulty)) {
    for (const count of [2, 60_000]) {
      const { status, json } = await api.call("POST", `${namespace}/${resource}`, make(count));
      assert.deepEqual([status, json.reason], [422, "Invalid"], `${count} in ${resource}`);
    }
  }
});
