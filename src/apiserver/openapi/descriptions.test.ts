import assert from "node:assert/strict";
import { test } from "node:test";
import { featureGates } from "#/machinery/component/feature-gates.ts";
import { startApiServer } from "#/testing/start-api-server.ts";
import { Paths } from "../http/paths.ts";
import { describeDefinition, sharedText } from "./describe-definition.ts";
import { descriptionFiles, parseDescriptions } from "./description-files.ts";
import { descriptionKey, descriptions } from "./descriptions.ts";
import { addOpenApi } from "./open-api-paths.ts";

interface Property {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Property;
}

interface Definition {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Property>>;
}

const probe = "io.k8s.api.core.v1.Probe";

async function start() {
  const paths = new Paths();
  const api = await startApiServer({ paths });
  addOpenApi(paths, api.registry.catalog);
  return api;
}

/** The published definition of every type in every served version. */
async function publishedDefinitions(): Promise<[name: string, Definition][]> {
  await using api = await start();
  const { json } = await api.call("GET", "/openapi/v2");
  const definitions = json.definitions as Readonly<Record<string, Definition>>;
  return Object.entries(definitions);
}

test("descriptions() explain every kind and every field that is served", async (context) => {
  const missing: string[] = [];
  let count = 0;
  const check = (name: string, isExplained: boolean): void => {
    count++;
    if (!isExplained) missing.push(name);
  };
  for (const [name, definition] of await publishedDefinitions()) {
    const { description, properties = {} } = definition;
    const isKind = "x-kubernetes-group-version-kind" in definition;
    check(name, isKind ? description !== undefined : isListed(name));
    for (const [field, { description: text }] of Object.entries(properties)) {
      check(`${name} ${field}`, text !== undefined);
    }
  }
  const share = (100 * (count - missing.length)) / count;
  context.diagnostic(`${share.toFixed(1)} % of ${count} types and fields are explained`);
  assert.deepEqual(missing, []);
});

const isListed = (name: string): boolean => descriptions().has(descriptionKey(name) ?? "");

test("descriptions() have no unknown type and no unknown field", async () => {
  const fields = new Map<string, Set<string>>();
  for (const [name, { properties = {} }] of await publishedDefinitions()) {
    const key = descriptionKey(name) ?? "";
    fields.set(key, new Set([...(fields.get(key) ?? []), ...Object.keys(properties)]));
  }
  const unknown = [...descriptions()].flatMap(([key, { fields: texts, like }]) => {
    if (key.startsWith("meta.any ")) return [];
    const known = fields.get(key);
    if (!known) return [key];
    const strays = [...texts.keys()].filter((field) => !known.has(field));
    const lost = like !== undefined && !descriptions().has(like) ? [`${key} like ${like}`] : [];
    return [...lost, ...strays.map((field) => `${key} ${field}`)];
  });
  assert.deepEqual(unknown, []);
});

test("descriptions() have each type once, and each field of it once", () => {
  const entries = descriptionFiles().flatMap(({ group, markdown }) => {
    let type = "";
    return markdown.split("\n").flatMap((line) => {
      const heading = /^## (.+?)( like .*)?$/.exec(line)?.[1];
      if (heading !== undefined) type = `${group}.${heading}`;
      const field = /^- (.+?): /.exec(line)?.[1];
      return heading !== undefined ? [type] : field !== undefined ? [`${type} ${field}`] : [];
    });
  });
  assert.deepEqual(
    entries.filter((entry, index) => entries.indexOf(entry) < index),
    [],
  );
});

test("descriptions() are whole sentences", () => {
  const wrong = [...descriptions()].flatMap(([key, { text, fields }]) =>
    [["", text] as const, ...fields]
      .filter(([field, one]) => (field !== "" || one !== "") && !/^[`\p{Lu}0-9].*[.…]$/su.test(one))
      .map(([field]) => `${key} ${field}`),
  );
  assert.deepEqual(wrong, []);
});

/** Longer lists are in OpenAPI itself, which kubectl shows, too. */
const fewValues = 8;

test("descriptions() name every value of a small closed set", async () => {
  const missing = (await publishedDefinitions()).flatMap(([name, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, { description, enum: own, items }]) => {
      const values = own ?? items?.enum ?? [];
      if (values.length > fewValues) return [];
      return values
        .filter((value) => !description?.includes(value))
        .map((value) => `${name} ${field} ${value}`);
    }),
  );
  assert.deepEqual(missing, []);
});

test("descriptions() name feature gates that are off", () => {
  const all = [...descriptions().values()].flatMap(({ text, fields }) => [
    text,
    ...fields.values(),
  ]);
  const named = all.flatMap((one) =>
    [...one.matchAll(/feature gate (\w+)/g)].map(([, gate]) => gate),
  );
  assert.notDeepEqual(named, []);
  assert.deepEqual(
    named.filter((gate = "") => featureGates[gate]?.default !== false),
    [],
  );
});

test("descriptions() are the same in OpenAPI v2 and v3", async () => {
  await using api = await start();
  const v2 = (await api.call("GET", "/openapi/v2")).json.definitions[probe];
  const v3 = (await api.call("GET", "/openapi/v3/api/v1")).json.components.schemas[probe];
  const text = descriptions().get("core.Probe");
  for (const { description, properties } of [v2, v3]) {
    assert.equal(description, text?.text);
    assert.equal(properties.periodSeconds.description, text?.fields.get("periodSeconds"));
    assert.equal(properties.exec.description, text?.fields.get("exec"));
  }
});

test("descriptions() start with the words that upstream's conformance tests expect", () => {
  const metadata = descriptions().get("meta.ObjectMeta")?.fields;
  assert.match(sharedText("any object", "apiVersion") ?? "", /^APIVersion defines /);
  assert.match(sharedText("any object", "metadata") ?? "", /^Standard object's metadata/);
  assert.match(metadata?.get("creationTimestamp") ?? "", /^CreationTimestamp is a timestamp /);
});

test("parseDescriptions() joins lines and keeps paragraphs", () => {
  const markdown = `# Boxes

## Box

A box
of wood.

With a lid.

- lid: The lid: of the
  same wood.
- size: In metres.

## Crate like Box

A larger box.

- size: In feet.

## Chest like other.Box

Older.
`;
  assert.deepEqual(
    [...parseDescriptions("wood", markdown)],
    [
      [
        "wood.Box",
        {
          text: "A box of wood.\n\nWith a lid.",
          fields: new Map([
            ["lid", "The lid: of the same wood."],
            ["size", "In metres."],
          ]),
        },
      ],
      [
        "wood.Crate",
        { text: "A larger box.", fields: new Map([["size", "In feet."]]), like: "wood.Box" },
      ],
      ["wood.Chest", { text: "Older.", fields: new Map(), like: "other.Box" }],
    ],
  );
});

const text = { type: "string" };
const kind = { "x-kubernetes-group-version-kind": [] };
const cases = [
  {
    name: "uses the texts of the type after `like`",
    definition: "io.k8s.api.core.v1.PodCondition",
    schema: { properties: { status: text } },
    field: "status",
    from: "meta.Condition",
  },
  {
    name: "adds the texts of all objects to kinds",
    definition: "io.k8s.api.core.v1.Pod",
    schema: { ...kind, properties: { kind: text } },
    field: "kind",
    from: "meta.any object",
  },
  {
    name: "adds the texts of all lists to lists",
    definition: "io.k8s.api.core.v1.PodList",
    schema: { ...kind, properties: { items: text } },
    field: "items",
    from: "meta.any list",
  },
];

for (const { name, definition, schema, field, from } of cases) {
  test(`describeDefinition() ${name}`, () => {
    const { properties } = describeDefinition(definition, schema) as Definition;
    assert.deepEqual(properties?.[field], {
      description: descriptions().get(from)?.fields.get(field),
      ...text,
    });
  });
}

test("describeDefinition() does not change custom resources", () => {
  const schema = { ...kind, properties: { kind: text } };
  assert.equal(describeDefinition("com.example.v1.Pod", schema), schema);
});
