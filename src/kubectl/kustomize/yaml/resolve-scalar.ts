/** Upstream: go.yaml.in/yaml/v3/resolve.go. */
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { type Resolved, resolvePlain } from "#/machinery/codec/yaml/yaml-resolve.ts";
import { tags } from "./yaml-node.ts";

/** Words that are booleans in YAML 1.1 only. */
const oldBooleans = /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/;

const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** The value of an unquoted text by the rules of YAML 1.2, with octals of 1.1. */
export function resolveText(text: string): Resolved {
  const resolved = resolvePlain(text);
  if (resolved.type === "boolean" && oldBooleans.test(text)) return { type: "string", value: text };
  return resolved;
}

const tagOf: Readonly<Record<Resolved["type"], string>> = {
  string: tags.string,
  timestamp: "!!timestamp",
  null: tags.null,
  boolean: tags.boolean,
  integer: tags.integer,
  float: tags.float,
};

/** The tag of an unquoted text. */
export function tagOfText(text: string): string {
  return tagOf[resolveText(text).type];
}

/** True if a string would be parsed as another type without quotes, by YAML 1.2 or 1.1. */
export function needsQuotes(text: string): boolean {
  return (
    resolveText(text).type !== "string" ||
    oldBooleans.test(text) ||
    base60.test(text) ||
    text === ""
  );
}

/** True if a text on one line is a YAML 1.1 value of another type than string. */
export function isOldNonString(text: string): boolean {
  if (text === "" || text.includes("\n")) return false;
  try {
    return typeof readYaml(Buffer.from(text)).value !== "string";
  } catch {
    return false;
  }
}
