import assert from "node:assert/strict";
import { test } from "node:test";
import { humanDuration } from "#/machinery/time/human-duration.ts";
import { FakeClock } from "#/testing/fake-clock.ts";
import { startApiServer, type TestApiServer } from "#/testing/start-api-server.ts";
import { until } from "#/testing/until.ts";

const path = "/api/v1/namespaces/default/configmaps";
const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";

interface Row {
  readonly cells: readonly unknown[];
  readonly object: { readonly kind: string; readonly metadata: { readonly name: string } } | null;
}

async function rowsOf(api: TestApiServer, query = ""): Promise<readonly Row[]> {
  const { status, json } = await api.call("GET", path + query, undefined, { headers: { accept } });
  assert.equal(status, 200);
  return (json as { rows: Row[] }).rows;
}

async function startWith(clock: FakeClock, ...names: readonly string[]): Promise<TestApiServer> {
  const api = await startApiServer({ clock });
  for (const name of names) {
    assert.equal((await api.call("POST", path, { metadata: { name } })).status, 201);
  }
  return api;
}

test("tableWriter shows ages at the time of the request", async () => {
  const clock = new FakeClock();
  await using api = await startWith(clock, "a");
  for (const [passedMs, age] of [
    [0, "0s"],
    [999, "0s"],
    [1, "1s"],
    [4_000, "5s"],
    [0, "5s"],
    [3_600_000, "60m"],
    [1_000, "60m"],
    [60_000, "61m"],
  ] as const) {
    await clock.advance(passedMs);
    assert.deepEqual((await rowsOf(api))[0]?.cells, ["a", 0, age]);
  }
});

test("tableWriter shows the age of old objects, however much time has passed since the last table", async () => {
  const clock = new FakeClock();
  await using api = await startWith(clock, "a");
  let passedMs = 0;
  for (let turn = 0; turn < 600; turn++) {
    // A second to some hours, in random order.
    const stepMs = 1000 * Math.floor(1.9 ** ((turn * 7) % 16));
    await clock.advance(stepMs);
    passedMs += stepMs;
    assert.deepEqual((await rowsOf(api))[0]?.cells, ["a", 0, humanDuration(passedMs)]);
  }
});

test("tableWriter shows the current objects only, in their current state", async () => {
  const clock = new FakeClock();
  await using api = await startWith(clock, "a", "b", "c");
  assert.equal((await rowsOf(api)).length, 3);
  await api.call("PATCH", `${path}/b`, { data: { k: "v" } }, mergePatch);
  await api.call("DELETE", `${path}/a`);
  const rows = await rowsOf(api);
  assert.deepEqual(
    rows.map(({ cells }) => cells),
    [
      ["b", 1, "0s"],
      ["c", 0, "0s"],
    ],
  );
});

const mergePatch = { headers: { "content-type": "application/merge-patch+json" } };

const shown = [
  { include: "None", kind: undefined },
  { include: "Metadata", kind: "PartialObjectMetadata" },
  { include: "Object", kind: "ConfigMap" },
];

for (const { include, kind } of shown) {
  test(`tableWriter makes rows with ${kind ?? "no object"}, from none to many`, async () => {
    const clock = new FakeClock();
    const names = ["a", "b", "c"];
    await using api = await startWith(clock, ...names);
    for (const selector of ["metadata.name=x", "metadata.name=b", ""]) {
      const rows = await rowsOf(api, `?includeObject=${include}&fieldSelector=${selector}`);
      const expected = names.filter((name) => selector === "" || selector.endsWith(`=${name}`));
      assert.deepEqual(
        rows.map(({ cells }) => cells[0]),
        expected,
      );
      for (const [index, { object }] of rows.entries()) {
        assert.equal(object?.kind, kind);
        assert.equal(object?.metadata.name, kind && expected[index]);
      }
    }
  });
}

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/x.io/v1/things";

function definition(additionalPrinterColumns: readonly object[]): object {
  const properties = { size: { type: "integer" } };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  const version = { name: "v1", served: true, storage: true, schema, additionalPrinterColumns };
  const names = { plural: "things", kind: "Thing" };
  const spec = { group: "x.io", scope: "Cluster", names, versions: [version] };
  return { apiVersion: "apiextensions.k8s.io/v1", metadata: { name: "things.x.io" }, spec };
}

test("tableWriter shows the columns that a custom resource currently has", async () => {
  await using api = await startWith(new FakeClock());
  const cells = async (): Promise<string> => {
    const { json } = await api.call("GET", things, undefined, { headers: { accept } });
    return JSON.stringify((json as { rows: Row[] }).rows.map((row) => row.cells));
  };
  await api.call("POST", crds, definition([]));
  const thing = { apiVersion: "x.io/v1", kind: "Thing", metadata: { name: "a" }, size: 3 };
  await until("things are served", async () => {
    return (await api.call("POST", things, thing)).status === 201;
  });
  assert.equal(await cells(), '[["a","0s"]]');
  const columns = [{ name: "Size", type: "integer", jsonPath: ".size" }];
  await api.call("PATCH", `${crds}/things.x.io`, definition(columns), mergePatch);
  await until("the columns are others", async () => (await cells()) === '[["a",3]]');
});
