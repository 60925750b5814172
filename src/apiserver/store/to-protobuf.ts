import { openJsonBody } from "#/machinery/codec/object-body.ts";
import { encodeProtobuf } from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { hasMessage } from "#/machinery/codec/protobuf/protobuf-message.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";

/** Groups whose objects upstream stores as JSON whatever the flag says: they are of servers of their own. */
const jsonGroups: ReadonlySet<string> = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** The value in protobuf; the same value if its kind has no such form. */
export function toProtobuf(value: Uint8Array): Uint8Array {
  // Allocators and leases of servers may write bytes of their own.
  if (value[0] !== 0x7b) return value;
  const body = openJsonBody(value);
  const slash = body.apiVersion.indexOf("/");
  const group = body.apiVersion.slice(0, Math.max(slash, 0));
  if (jsonGroups.has(group)) return value;
  const schema = findSchema(group, body.apiVersion.slice(slash + 1), body.kind);
  if (!schema || schema.unstructured || !hasMessage(schema)) return value;
  const { value: object } = body.decode<object>(schema, false);
  return encodeProtobuf({ kind: body.kind, apiVersion: body.apiVersion, ...object }, schema);
}
