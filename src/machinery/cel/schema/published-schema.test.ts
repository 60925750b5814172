import assert from "node:assert/strict";
import { test } from "node:test";
import { findPublishedSchema } from "./published-schema.ts";

const widget = { group: "example.com", version: "v1", kind: "Widget" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const document = {
  components: {
    schemas: {
      Size: { type: "integer", format: "int32" },
      Port: { format: "int-or-string" },
      Node: { type: "object", properties: { next: ref("Node"), size: ref("Size") } },
      Widget: {
        type: "object",
        properties: {
          size: { allOf: [ref("Size")], default: 1 },
          port: ref("Port"),
          node: ref("Node"),
          nodes: { type: "array", items: ref("Node") },
          sizes: { type: "object", additionalProperties: ref("Size") },
          lost: ref("Nothing"),
          parent: ref("Widget"),
        },
        "x-kubernetes-group-version-kind": [widget],
      },
    },
  },
};

test("findPublishedSchema() resolves references, a recursive one only once", () => {
  const size = { type: "integer", format: "int32" };
  const node = { type: "object", properties: { next: { type: "object" }, size } };
  assert.deepEqual(findPublishedSchema(document, widget)?.properties, {
    size,
    port: { format: "int-or-string", "x-kubernetes-int-or-string": true },
    node,
    nodes: { type: "array", items: node },
    sizes: { type: "object", additionalProperties: size },
    parent: { type: "object" },
  });
});

test("findPublishedSchema() finds only kinds of the document", () => {
  assert.equal(findPublishedSchema(document, { ...widget, kind: "Size" }), undefined);
  assert.equal(findPublishedSchema({}, widget), undefined);
});
