import { readYamlOrJson } from "#/machinery/codec/object-body.ts";
import {
  decodeProtobuf,
  isProtobuf,
  openEnvelope,
} from "#/machinery/codec/protobuf/protobuf-envelope.ts";
import { bytesOfCut, type ListPieces } from "#/machinery/codec/shape/list-pieces.ts";
import { findSchema } from "#/machinery/schema/kinds.ts";
import { TurnBudget } from "#/std/memory/turn-budget.ts";
import { systemClock } from "#/std/time/clock.ts";
import { bodyChunks, type ReadyBody } from "../model/exchange.ts";
import { isLarge } from "../model/pace.ts";

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

/** A large body is parsed in a turn of its own. */
export async function restBefore(body: Uint8Array): Promise<void> {
  if (isLarge(body.length)) await new TurnBudget(systemClock).yield();
}

/** The object in a reply; a list is read object by object, in turns with other requests. */
export async function recordedReply(body: ReadyBody, contentType: string): Promise<unknown> {
  if (body.type === "list" && contentType.includes("json")) {
    const list = await recordedList(body.list);
    if (list) return list;
  }
  const bytes = Buffer.concat(bodyChunks(body));
  await restBefore(bytes);
  return recordedBody(bytes, contentType);
}

/** Undefined if the pieces between objects are no part of them. */
async function recordedList(list: ListPieces): Promise<unknown> {
  const [head, separator, tail] = [list.head, list.separator, list.tail].map(String) as string[];
  const comma = separator?.indexOf(",") ?? -1;
  if (head === undefined || separator === undefined || tail === undefined || comma < 0) return;
  const [end, start] = [separator.slice(0, comma), separator.slice(comma + 1)];
  if (list.items.length === 0 || !head.endsWith(start) || !tail.startsWith(end)) return;
  const budget = new TurnBudget(systemClock);
  const parsed: unknown[] = [];
  for (const item of list.items) {
    const text = `${start}${Buffer.from(item.lead)}${Buffer.from(bytesOfCut(item))}${end}`;
    parsed.push(recordedBody(Buffer.from(text), "json"));
    if (budget.isSpent) await budget.yield();
  }
  const rest = head.slice(0, head.length - start.length) + tail.slice(end.length);
  const envelope = recordedBody(Buffer.from(rest), "json") as Record<string, unknown>;
  return { ...envelope, ["rows" in envelope ? "rows" : "items"]: parsed };
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
