import type { Resource } from "#/api/base/resource.ts";
import type { StructSchema } from "#/api/base/schema.ts";
import { shareFields } from "#/machinery/apply/fields-v1.ts";
import { decodeJson } from "#/machinery/codec/json/decode-json.ts";
import {
  type EncodedObject,
  encodeFieldSteps,
  encodeFields,
} from "#/machinery/codec/json/encode-fields.ts";
import { encodeJson, jsonSteps } from "#/machinery/codec/json/encode-json.ts";
import { parseJson } from "#/machinery/codec/json/json-document.ts";
import { openJsonBody, openProtobufBody } from "#/machinery/codec/object-body.ts";
import { isProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { dropEmptyLists } from "#/machinery/codec/shape/nil-lists.ts";
import { apiVersionOf } from "#/machinery/meta/api-version.ts";
import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";
import { runSteps, type Steps } from "#/std/base/steps.ts";
import type { SchemaSource } from "./open-resource.ts";
import { commonValue, setDefaults } from "./set-defaults.ts";
import { SharedValues } from "./sharing/shared-values.ts";
import { ObjectForms, type StoredCodec } from "./stored-object.ts";
import type { ApiObject, Declaration } from "./strategy.ts";

/** A resource's form in the store: JSON in the stored version, without resourceVersion. */
export function storedJson(
  declaration: Declaration,
  schemaSource: SchemaSource,
  forms = new ObjectForms(),
): StoredCodec {
  const { handle } = declaration;
  const schema = schemaSource(handle);
  if (schema.unstructured) return customJson(declaration, schemaSource, forms);
  return {
    ...sharing(declaration, schema),
    encode(object, written) {
      dropEmptyLists(object, schema);
      return encodeFields(object, schema, written);
    },
    *encodeSteps(object, written) {
      dropEmptyLists(object, schema);
      yield;
      return yield* encodeFieldSteps(object, schema, written);
    },
    decode(bytes) {
      const value = readStored(bytes, declaration, schemaSource);
      value.kind ||= handle.kind;
      value.apiVersion = apiVersionOf(handle);
      value.metadata ??= {};
      shareManagedFields(value);
      setDefaults(declaration, value);
      return value;
    },
    encodeJson: (object) => encodeJson(object, schema),
    head: headOf(handle),
    selectableFields: declaration.selectableFields,
    forms,
  };
}

function sharing({ common }: Declaration, schema: StructSchema): Pick<StoredCodec, "share"> {
  const field = common && schema.fields.get(common.field);
  if (!field) return {};
  const values = new SharedValues(field.schema, common);
  return {
    share(object, origin) {
      dropEmptyLists(object, schema);
      const value = commonValue(field.name, object);
      const shared = value && values.share(value, origin);
      if (shared) Object.assign(object, { [field.name]: shared.value });
      return shared;
    },
  };
}

function shareManagedFields({ metadata: { managedFields = [] } }: ApiObject): void {
  for (const entry of managedFields) {
    if (isJsonObject(entry.fieldsV1)) entry.fieldsV1 = shareFields(entry.fieldsV1);
  }
}

/** Reads JSON, or the protobuf that an upstream server writes, in whatever version it was stored. */
function readStored(
  bytes: Uint8Array,
  declaration: Declaration,
  schemaSource: SchemaSource,
): ApiObject {
  const { handle, versions, upstreamStorageVersion, fromUpstreamStorage } = declaration;
  const body = isProtobuf(bytes) ? openProtobufBody(bytes) : openJsonBody(bytes);
  if (fromUpstreamStorage && body.apiVersion === `${handle.group}/${upstreamStorageVersion}`) {
    const converted = fromUpstreamStorage(JSON.parse(Buffer.from(bytes).toString()) as JsonObject);
    const again = openJsonBody(Buffer.from(JSON.stringify(converted)));
    return again.decode<ApiObject>(schemaSource(handle), false).value;
  }
  const other = versions.find((version) => apiVersionOf(version.handle) === body.apiVersion);
  if (!other || body.apiVersion === apiVersionOf(handle)) {
    return body.decode<ApiObject>(schemaSource(handle), false).value;
  }
  const { value } = body.decode<ApiObject>(schemaSource(other.handle), false);
  value.metadata ??= {};
  return other.toStored?.(value) ?? value;
}

/**
 * Custom resources may have been stored in an earlier stored version. If a webhook converts, they are read without
 * conversion and converted on request; else they are the same in every version.
 */
function customJson(
  declaration: Declaration,
  schemaSource: SchemaSource,
  forms: ObjectForms,
): StoredCodec {
  const { handle } = declaration;
  const own = apiVersionOf(handle);
  const isConverted = declaration.versions.some(({ webhook }) => webhook);
  const schemaFor = ({ apiVersion = own }: { apiVersion?: string }): StructSchema => {
    const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
    return schemaSource(isConverted ? { ...handle, version } : handle);
  };
  function* steps(object: ApiObject): Steps<EncodedObject> {
    const text = yield* jsonSteps(object, schemaFor(object));
    return { bytes: Buffer.from(text), places: [] };
  }
  return {
    encode: (object) => runSteps(steps(object)),
    encodeSteps: steps,
    decode(bytes) {
      const document = parseJson(bytes);
      const schema = schemaFor(document.value as { apiVersion?: string });
      const { value } = decodeJson<ApiObject>(document, schema, false);
      value.metadata ??= {};
      if (!isConverted) value.apiVersion = own;
      if (value.apiVersion === own) setDefaults(declaration, value);
      return value;
    },
    encodeJson: (object) => encodeJson(object, schemaFor(object)),
    selectableFields: declaration.selectableFields,
    forms,
    keepsParsed: isConverted,
  };
}

/** First bytes of every stored object of a built-in kind. */
function headOf(handle: Resource): Uint8Array {
  return Buffer.from(
    `{"kind":"${handle.kind}","apiVersion":"${apiVersionOf(handle)}","metadata":{`,
  );
}
