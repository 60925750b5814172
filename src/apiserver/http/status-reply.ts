import type { Status } from "#/api/meta/v1.ts";
import { encodeKind } from "../registry/version-codec.ts";
import { bytesReply, type Reply } from "./exchange.ts";

/** A Status as an answer. */
export function statusReply(status: Status): Reply {
  const code = status.code ?? 500;
  const retryAfter = status.details?.retryAfterSeconds;
  const headers = retryAfter ? { "retry-after": String(retryAfter) } : {};
  return bytesReply(
    code,
    "application/json",
    encodeKind({ ...status, kind: "Status", apiVersion: "v1" }),
    headers,
  );
}
