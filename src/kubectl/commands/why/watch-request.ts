import type { ApiRequest } from "#/client/transport/transport.ts";
import { escapeFieldValue } from "#/machinery/meta/fields.ts";
import type { Answer } from "#/why/read/snapshot.ts";

/** Subresources that are no objects. */
const unwatched: ReadonlySet<string> = new Set(["log", "portforward"]);

/** The watch that reports changes of what a path gave; undefined if there is none, as of logs and of discovery. */
export function watchRequest(path: string, answer: Answer): ApiRequest | undefined {
  const [plain = "", query = ""] = path.split("?");
  const parts = plain.split("/");
  const place = parts[1] === "api" ? 3 : 4;
  const isList = query !== "" || parts.length === place + 1;
  if (parts.length <= place || unwatched.has(parts.at(-1) ?? "")) return undefined;
  const given = new URLSearchParams(query);
  given.delete("limit");
  if (!isList) given.set("fieldSelector", `metadata.name=${escapeFieldValue(parts.at(-1) ?? "")}`);
  given.set("watch", "true");
  const revision = revisionOf(answer);
  if (revision === undefined) return undefined;
  if (revision !== "") given.set("resourceVersion", revision);
  return { method: "GET", path: isList ? plain : parts.slice(0, -1).join("/"), query: given };
}

/** The revision from which to watch; "" for an object that is not there yet, undefined if it cannot be read. */
function revisionOf(answer: Answer): string | undefined {
  if (answer.state === "absent") return "";
  if (answer.state !== "found") return undefined;
  const { metadata } = (answer.value ?? {}) as { metadata?: { resourceVersion?: string } };
  return metadata?.resourceVersion;
}
