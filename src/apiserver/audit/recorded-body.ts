import { readYamlOrJson } from "#/machinery/codec/object-body.ts";
import {
  decodeProtobuf,
  isProtobuf,
  openEnvelope,
} from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";

/** The object in a body, in any media type; undefined if there is none. */
export function recordedBody(bytes: Uint8Array, contentType: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    if (isProtobuf(bytes)) {
      const envelope = openEnvelope(bytes);
      const [version = "", group = ""] = envelope.apiVersion.split("/").reverse();
      const schema = findSchema(group, version, envelope.kind);
      return schema && decodeProtobuf(envelope, schema);
    }
    if (contentType.includes("yaml")) return readYamlOrJson(bytes).value;
    if (!contentType.includes("json")) return undefined;
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** The object without managedFields, in it and in its items. */
export function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { metadata, items, ...rest } = value as Record<string, unknown>;
  const { managedFields: _, ...meta } = (metadata ?? {}) as Record<string, unknown>;
  return {
    ...rest,
    ...(metadata === undefined ? {} : { metadata: meta }),
    ...(Array.isArray(items) ? { items: items.map(withoutManagedFields) } : {}),
  };
}
