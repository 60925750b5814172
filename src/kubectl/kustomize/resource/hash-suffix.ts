/** Upstream: sigs.k8s.io/kustomize/api/hasher. */
import { createHash } from "node:crypto";
import { goJson } from "#/machinery/values/go-format.ts";
import { sortedKeys } from "../../printers/json-printer.ts";
import { jsonOf } from "../yaml/node-value.ts";
import type { Resource } from "./resource.ts";

/** The suffix of the name of a generated object, which changes with its content. */
export function hashSuffix(resource: Resource): string {
  const hex = createHash("sha256").update(hashedText(resource)).digest("hex").slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => safeDigits[digit] ?? digit);
}

const safeDigits: Readonly<Record<string, string>> = { 0: "g", 1: "h", 3: "k", a: "m", e: "t" };

/** The name counts as empty. */
function hashedText(resource: Resource): string {
  const object = jsonOf(resource.node) as Record<string, unknown>;
  const { kind, type = "", data = "", binaryData, stringData } = object;
  const name = "";
  if (kind === "ConfigMap") {
    return goJson(sortedKeys({ ...(binaryData ? { binaryData } : {}), data, kind, name }));
  }
  if (kind === "Secret") {
    return goJson(sortedKeys({ data, kind, name, ...(stringData ? { stringData } : {}), type }));
  }
  return goJson(sortedKeys(object));
}
