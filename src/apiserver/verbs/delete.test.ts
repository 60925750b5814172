import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "#/std/time/clock.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import type { Attributes } from "../registry/admission.ts";

const url = "/api/v1/namespaces/default/configmaps";
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

for (const deleteWorkers of [1, 3]) {
  test(`removeCollection() deletes ${deleteWorkers} at a time`, async () => {
    let atOnce = 0;
    let most = 0;
    const validate = async () => {
      most = Math.max(most, ++atOnce);
      await nextTurn();
      atOnce--;
    };
    const admission = { mutate: () => undefined, validate };
    await using api = await startApiServer({ deleteWorkers, admission });
    for (const name of ["a", "b", "c", "d", "e"]) await api.call("POST", url, configMap(name));
    most = 0;
    const { status, json } = await api.call("DELETE", url);
    assert.deepEqual([status, json.items.length, most], [200, 5, deleteWorkers]);
    assert.deepEqual((await api.call("GET", url)).json.items, []);
  });
}

test("removeCollection() answers when all its workers have ended, though one of them failed", async () => {
  const deleted: string[] = [];
  const validate = async ({ name, operation }: Attributes) => {
    if (operation !== "DELETE") return;
    if (name === "a") throw new Error("not this one");
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    deleted.push(name);
  };
  const admission = { mutate: () => undefined, validate };
  await using api = await startApiServer({ deleteWorkers: 3, admission });
  for (const name of ["a", "b", "c", "d", "e"]) await api.call("POST", url, configMap(name));
  const { status } = await api.call("DELETE", url);
  assert.deepEqual([status, deleted.sort()], [500, ["b", "c", "d", "e"]]);
});

for (const [collectsGarbage, left] of [
  [true, 200],
  [false, 404],
] as const) {
  test(`remove() ${collectsGarbage ? "leaves" : "does not leave"} an object for the garbage collector`, async () => {
    await using api = await startApiServer({ collectsGarbage });
    await api.call("POST", url, configMap("a"));
    const { status } = await api.call("DELETE", `${url}/a?propagationPolicy=Foreground`);
    assert.equal(status, 200);
    assert.equal((await api.call("GET", `${url}/a`)).status, left);
  });
}
