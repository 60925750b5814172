import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConfigMap, configMaps } from "#/api/core/v1.ts";
import { schemaOf } from "#/machinery/schema/kinds.ts";
import type { Result } from "../../registry/result.ts";
import {
  conversionOf,
  type PreparedForm,
  type VersionedResource,
} from "../../registry/served-resource.ts";
import { storedJson } from "../../registry/stored-json.ts";
import { StoredObject } from "../../registry/stored-object.ts";
import {
  type ApiObject,
  type Decoded,
  serve,
  type WebhookConversion,
} from "../../registry/strategy.ts";
import { plainJson, VersionCodec } from "../../registry/version-codec.ts";
import { prepareResult } from "./prepared-object.ts";

const schema = schemaOf(configMaps);
const codec = new VersionCodec(configMaps, schema);
const object = { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "a" } };
const stored = new StoredObject(
  { key: "/registry/configmaps/x/a", modRevision: 1, value: Buffer.from(JSON.stringify(object)) },
  storedJson(serve<ConfigMap>(configMaps), () => schema),
  object as Decoded<ConfigMap>,
);
const result: Result = { type: "object", status: 200, object: stored };

function webhook(): WebhookConversion {
  const known = new Map<ApiObject, ApiObject>();
  const convert = async (from: ApiObject): Promise<ApiObject> => ({ ...from, apiVersion: "v1" });
  return {
    toStored: convert,
    fromStored: convert,
    prepared: (from) => known.get(from),
    async prepare(objects) {
      for (const from of objects) known.set(from, await convert(from));
    },
  };
}

test("prepareResult returns an object that is in the version of the request synchronously", async () => {
  const version = { handle: configMaps, webhook: webhook() };
  const { fromStored } = conversionOf(version, "v1", "v2");
  assert.throws(() => fromStored(stored.parsed() as PreparedForm), /no webhook has converted/);
  const prepared = await prepareResult(result, { version } as unknown as VersionedResource);
  assert(prepared.type === "object");
  assert.equal(fromStored(prepared.object.parsed()).apiVersion, "v1");
});

test("an object that is not prepared does not compile as an argument of a writer", () => {
  const { fromStored, convert } = conversionOf({ handle: configMaps }, "v1", "v2");
  const refused = [
    // @ts-expect-error Only PreparedObject has the prepared form.
    () => fromStored(stored.parsed()),
    // @ts-expect-error A promise is not an object of a kind.
    () => codec.encodeJson(convert(stored.parsed())),
    // @ts-expect-error A promise is not a value either.
    () => codec.encode(convert(stored.parsed()), plainJson),
  ];
  assert.equal(refused.length, 3);
});
