import assert from "node:assert/strict";
import { test } from "node:test";
import { loadFacts } from "#/api/base/load-facts.ts";
import type { Field, Schema } from "#/api/base/schema.ts";
import { groupVersions } from "#/api/group-versions.ts";
import { findDefinition, findDefinitionByName } from "./definitions.ts";

function fieldOf(definition: string, name: string): Field {
  const schema = findDefinitionByName(definition);
  const field = schema?.type === "struct" ? schema.fields.get(name) : undefined;
  assert.ok(field, `${definition}.${name}`);
  return field;
}

/** A field without the content of its struct. */
function outline({ schema, ...field }: Field): object {
  return { ...field, schema: outlineSchema(schema) };
}

function outlineSchema(schema: Schema): object {
  if (schema.type === "struct")
    return { type: "struct", name: schema.name, mapType: schema.mapType };
  if (schema.type === "list") return { ...schema, items: outlineSchema(schema.items) };
  if (schema.type === "map") return { ...schema, values: outlineSchema(schema.values) };
  return schema;
}

const core = "io.k8s.api.core.v1";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

const cases: readonly { definition: string; field: string; expected: object }[] = [
  {
    definition: `${core}.Container`,
    field: "ports",
    expected: {
      name: "ports",
      schema: {
        type: "list",
        items: { type: "struct", name: `${core}.ContainerPort`, mapType: "granular" },
        listType: "map",
        declared: true,
        keys: ["containerPort", "protocol"],
      },
      required: false,
      omit: "empty",
      pointer: false,
      patchStrategy: "merge",
      patchMergeKey: "containerPort",
      number: 6,
    },
  },
  {
    definition: `${core}.ContainerPort`,
    field: "protocol",
    expected: {
      name: "protocol",
      schema: { type: "string", enum: ["SCTP", "TCP", "UDP"], goName: "v1.Protocol" },
      required: false,
      omit: "empty",
      pointer: false,
      default: "TCP",
      number: 4,
    },
  },
  {
    definition: `${core}.Volume`,
    field: "nfs",
    expected: {
      name: "nfs",
      schema: { type: "struct", name: `${core}.NFSVolumeSource`, mapType: "granular" },
      required: false,
      omit: "empty",
      pointer: true,
      number: 7,
      within: [2],
      embeddedIn: ["VolumeSource"],
    },
  },
  {
    definition: "io.k8s.api.admissionregistration.v1.NamedRuleWithOperations",
    field: "apiGroups",
    expected: {
      name: "apiGroups",
      schema: { type: "list", items: { type: "string" }, listType: "atomic", declared: true },
      required: false,
      omit: "empty",
      pointer: false,
      number: 1,
      within: [2, 2],
      embeddedIn: ["RuleWithOperations", "Rule"],
    },
  },
  {
    definition: `${core}.Pod`,
    field: "kind",
    expected: {
      name: "kind",
      schema: { type: "string" },
      required: false,
      omit: "empty",
      pointer: false,
      embeddedIn: ["TypeMeta"],
    },
  },
  {
    definition: "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
    field: "extra",
    expected: {
      name: "extra",
      schema: {
        type: "map",
        values: {
          type: "list",
          items: { type: "string" },
          listType: "atomic",
          wrapped: true,
          goName: "v1.ExtraValue",
        },
        mapType: "granular",
      },
      required: false,
      omit: "empty",
      pointer: false,
      number: 5,
    },
  },
  {
    definition: `${core}.ResourceRequirements`,
    field: "limits",
    expected: {
      name: "limits",
      schema: {
        type: "map",
        values: { type: "quantity" },
        mapType: "granular",
        goName: "v1.ResourceList",
      },
      required: false,
      omit: "empty",
      pointer: false,
      number: 1,
    },
  },
  {
    definition: `${meta}.ObjectMeta`,
    field: "uid",
    expected: {
      name: "uid",
      schema: { type: "string", goName: "types.UID" },
      required: false,
      omit: "empty",
      pointer: false,
      number: 5,
    },
  },
];

for (const { definition, field, expected } of cases) {
  test(`findDefinitionByName() links ${definition}.${field}`, () => {
    assert.deepEqual(outline(fieldOf(definition, field)), expected);
  });
}

test("findDefinition() links a recursive struct", () => {
  const props = findDefinition("apiextensions/v1", "JSONSchemaProps");
  assert.ok(props?.type === "struct");
  assert.equal(props.fields.get("not")?.schema, props);
  const items = props.fields.get("items")?.schema;
  assert.deepEqual(items, { type: "jsonSchemaPropsOrArray", struct: props });
});

test("findDefinition() gives a field its own map type", () => {
  const reference = findDefinition("core/v1", "ObjectReference");
  assert.ok(reference?.type === "struct");
  assert.equal(reference.mapType, "atomic");
  const claimRef = fieldOf(`${core}.PersistentVolumeSpec`, "claimRef").schema;
  assert.ok(claimRef.type === "struct");
  assert.deepEqual([claimRef.mapType, claimRef.fields], ["granular", reference.fields]);
});

test("findDefinition() links every definition of every file", () => {
  for (const { file, package: openApiPackage } of groupVersions) {
    const { structs, enums, lists, named, aliases } = loadFacts(file);
    for (const name of [structs, enums, lists, named, aliases].flatMap(Object.keys)) {
      assert.ok(findDefinition(file, name), `${file} ${name}`);
      assert.equal(findDefinitionByName(`${openApiPackage}.${name}`), findDefinition(file, name));
    }
  }
});

for (const name of ["io.k8s.api.core.v1.Nothing", "io.k8s.api.core.v1.constructor", "Pod", ""]) {
  test(`findDefinitionByName() returns undefined for "${name}"`, () => {
    assert.equal(findDefinitionByName(name), undefined);
  });
}
