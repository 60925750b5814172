import type { StructSchema } from "#/api/base/schema.ts";
import { ApplyError, applyPatch } from "#/machinery/apply/apply-patch.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { parseRawJson } from "#/machinery/codec/json/raw-decoder.ts";
import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { applyMergePatch } from "#/machinery/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "#/machinery/patch/strategic-merge-patch.ts";
import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";
import { PatchError } from "#/machinery/patch/values/patch-error.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { type HostileParser, hostileParser } from "#/testing/hostile/hostile-parser.ts";
import { around } from "./growths.ts";

const schema = findSchema("", "v1", "Pod") as StructSchema;
const kind = { apiVersion: "v1", kind: "Pod", schema };
const now = "2026-01-01T00:00:00Z";

const configuration = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", labels: { a: "b" }, finalizers: ["x/y"] },
  spec: {
    containers: [
      {
        name: "a",
        image: "i",
        ports: [{ containerPort: 80, protocol: "TCP" }],
        env: [{ name: "A" }],
      },
      { name: "b", image: "j", resources: { limits: { cpu: "1" } } },
    ],
    tolerations: [{ key: "k", operator: "Exists" }],
    volumes: [{ name: "v", emptyDir: {} }],
  },
};

/** An object that was applied, with its managers. */
const live = applied(undefined, configuration, "first");

function applied(before: JsonObject | undefined, patch: JsonObject, manager: string): JsonObject {
  const result = applyPatch({ kind, live: before, patch, manager, force: true, now });
  return result.object ?? {};
}

const strategic = {
  metadata: { labels: { a: null, c: "d" }, "$deleteFromPrimitiveList/finalizers": ["x/y"] },
  spec: {
    "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
    containers: [
      { name: "a", image: "k", ports: [{ containerPort: 80, $patch: "delete" }] },
      { name: "b", $patch: "replace", image: "l" },
    ],
    volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }],
    tolerations: null,
  },
};

const tokens = [
  "null",
  "{}",
  "[]",
  '"$patch":"delete"',
  '"$patch":"merge"',
  '"$retainKeys":["name"]',
  '"$setElementOrder/containers":[{"name":"a"}]',
  '"$deleteFromPrimitiveList/finalizers":[1]',
  '"__proto__":{"x":1}',
  '"name":null',
  "1e999",
  "18446744073709551616",
];

/** Every way to change an object with a document of its own; JSON patches are in codecs.ts. */
export const patchParsers: readonly HostileParser[] = [
  hostileParser({
    name: "merge patch",
    corpus: [
      JSON.stringify(configuration),
      '{"spec":{"containers":null},"metadata":{"a":[{"b":null}]}}',
    ],
    parse: (input) => applyMergePatch(live, parseRawJson(input)),
    errors: [DecodeError, PatchError],
    tokens,
    grows: [around('{"spec":[', "{},", "{}]}"), around('{"a":', "[", "")],
  }),
  hostileParser({
    name: "strategic merge patch",
    corpus: [JSON.stringify(strategic), JSON.stringify(configuration)],
    parse: (input) => applyStrategicMergePatch(schema, live, parseRawJson(input)),
    errors: [DecodeError, PatchError],
    tokens,
    grows: [
      around('{"spec":{"containers":[', '{"name":"a"},', '{"name":"b"}]}}'),
      around('{"spec":{"$setElementOrder/containers":[', '{"name":"a"},', '{"name":"b"}]}}'),
    ],
  }),
  hostileParser({
    name: "apply patch",
    corpus: [JSON.stringify(configuration)],
    parse: (input) => {
      const { value } = parseJson(input);
      return isJsonObject(value) ? applied(live, value, "second") : undefined;
    },
    errors: [DecodeError, ApplyError],
    tokens,
    grows: [
      around('{"apiVersion":"v1","kind":"Pod","metadata":{"finalizers":[', '"a",', '"b"]}}'),
      around(
        '{"apiVersion":"v1","kind":"Pod","spec":{"volumes":[',
        '{"name":"a"},',
        '{"name":"b"}]}}',
      ),
    ],
  }),
];
