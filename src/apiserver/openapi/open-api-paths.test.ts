import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Paths } from "../http/paths.ts";
import { addOpenApi } from "./open-api-paths.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

async function start() {
  const paths = new Paths();
  const api = await startApiServer({ paths });
  addOpenApi(paths, api.registry.catalog);
  return api;
}

test("/openapi/v3 lists documents under their hashes", async () => {
  await using api = await start();
  const index = await api.call("GET", "/openapi/v3");
  const { serverRelativeURL: url } = index.json.paths["apis/apps/v1"];
  const document = await api.call("GET", url);
  assert.equal(document.status, 200);
  assert.equal(document.headers["etag"], `"${url.split("hash=")[1]}"`);
  assert.equal(document.headers["cache-control"], "public, immutable");
  const stale = await api.call("GET", "/openapi/v3/apis/apps/v1?hash=ABC");
  assert.deepEqual([stale.status, stale.headers["location"]], [301, url]);
});

test("OpenAPI documents that were dropped are made again, the same", async () => {
  const paths = new Paths();
  await using api = await startApiServer({ paths });
  const documents = addOpenApi(paths, api.registry.catalog);
  const read = async () => {
    const index = await api.call("GET", "/openapi/v3");
    const document = await api.call("GET", index.json.paths["apis/apps/v1"].serverRelativeURL);
    const v2 = await api.call("GET", "/openapi/v2");
    return [index, document, v2].map(({ status, text, headers }) => [
      status,
      headers["etag"],
      text,
    ]);
  };
  const before = await read();
  for (let count = 0; count < 2; count++) documents.forgetUnused();
  assert.deepEqual(await read(), before);
});

test("/openapi/v3 describes built-in kinds as upstream does, with its own texts", async () => {
  await using api = await start();
  const { text } = await api.call("GET", "/openapi/v3/apis/apps/v1");
  const json = JSON.parse(text, (name, value) => (name === "description" ? undefined : value));
  assert.deepEqual(json.components.schemas["io.k8s.api.apps.v1.Deployment"], {
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }],
        default: {},
      },
      spec: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" }],
        default: {},
      },
      status: {
        allOf: [{ $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentStatus" }],
        default: {},
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "apps", kind: "Deployment", version: "v1" }],
  });
  const path = json.paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"];
  assert.equal(path.get.operationId, "readAppsV1NamespacedDeploymentScale");
  assert.deepEqual(path.get["x-kubernetes-group-version-kind"], {
    group: "autoscaling",
    version: "v1",
    kind: "Scale",
  });
});

test("/openapi publishes custom resources in either version", async () => {
  await using api = await start();
  const text = { type: "string", nullable: true };
  const schema = {
    type: "object",
    properties: { spec: { type: "object", description: "Specification", properties: { text } } },
  };
  const created = await api.call("POST", crds, {
    metadata: { name: "foos.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          selectableFields: [{ jsonPath: ".spec.text" }],
        },
      ],
    },
  });
  assert.equal(created.status, 201, created.text);
  for (let turn = 0; turn < 1000; turn++) {
    if ((await api.call("GET", "/apis/example.com/v1")).status === 200) break;
  }
  const v3 = (await api.call("GET", "/openapi/v3/apis/example.com/v1")).json;
  for (const name of ["Foo", "FooList"]) {
    const { "x-kubernetes-selectable-fields": selectable } =
      v3.components.schemas[`com.example.v1.${name}`];
    assert.deepEqual(selectable, [{ fieldPath: "spec.text" }]);
  }
  const { "x-kubernetes-group-version-kind": deleted } =
    v3.components.schemas["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"];
  assert.ok(deleted.length > 50, "the options of a deletion belong to every group version");
  const spec3 = v3.components.schemas["com.example.v1.Foo"].properties.spec;
  assert.deepEqual(spec3, schema.properties.spec);
  const v2 = (await api.call("GET", "/openapi/v2")).json;
  const spec2 = v2.definitions["com.example.v1.Foo"].properties.spec;
  assert.deepEqual(spec2, { ...schema.properties.spec, properties: { text: {} } });
  assert.ok(v2.paths["/apis/example.com/v1/namespaces/{namespace}/foos/{name}"]);
});

for (const path of ["/openapi/v2", "/openapi/v3/api/v1", "/openapi/v3/apis/apps/v1"]) {
  test(`${path} describes every operation on resources and each of its parameters`, async () => {
    await using api = await start();
    const { paths } = (await api.call("GET", path)).json;
    type Described = { description?: string; name?: string; in?: string; parameters?: Described[] };
    const missing: string[] = [];
    for (const [place, item] of Object.entries(
      paths as Record<string, Record<string, Described>>,
    )) {
      for (const [method, operation] of Object.entries(item)) {
        const isOperation = method !== "parameters" && "x-kubernetes-action" in operation;
        if (isOperation && !operation.description) missing.push(`${method} ${place}`);
        const parameters =
          method === "parameters" ? (operation as Described[]) : operation.parameters;
        for (const parameter of parameters ?? []) {
          const isOfList = !place.match(/\{name\}\/(?!status|scale|binding|eviction)/);
          if (isOfList && parameter.in === "query" && !parameter.description) {
            missing.push(`${place} ${parameter.name}`);
          }
        }
      }
    }
    assert.deepEqual(missing.slice(0, 20), []);
  });
}
