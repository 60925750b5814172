import {
  decodeProtobuf,
  isProtobuf,
  openEnvelope,
} from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { parseYaml } from "#/std/text/yaml.ts";

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
    const text = Buffer.from(bytes).toString("utf8");
    if (contentType.includes("yaml")) return parseYaml(text) as unknown;
    return contentType.includes("json") ? (JSON.parse(text) as unknown) : undefined;
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
