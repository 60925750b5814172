/**
 * Upstream: staging/src/k8s.io/kubectl/pkg/config/{v1alpha1,v1beta1}/types.go,
 * staging/src/k8s.io/kubectl/pkg/kuberc/marshal.go.
 */

import { DecodeError } from "#/machinery/codec/shape/decode-error.ts";
import { readYaml } from "#/machinery/codec/yaml/yaml-reader.ts";
import { splitYamlDocuments } from "#/machinery/codec/yaml/yaml-split.ts";
import { asDoubles } from "#/machinery/patch/values/as-doubles.ts";
import { isJsonObject, type JsonObject } from "#/machinery/patch/values/json-value.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/** A default of a flag. */
export interface OptionDefault {
  name: string;
  default: string;
}

/** Defaults of a command's flags. */
interface CommandDefaults {
  command: string;
  options: OptionDefault[] | null;
}

/** An alias of a command, with arguments and defaults. */
export interface AliasOverride {
  name: string;
  command: string;
  prependArgs?: string[];
  appendArgs?: string[];
  options?: OptionDefault[];
}

/** A program that may provide credentials. */
export interface AllowlistEntry {
  name?: string;
  command?: string;
}

/** A user's preferences: kubectl.config.k8s.io/v1beta1. */
export interface Preference {
  kind: "Preference";
  apiVersion: string;
  defaults: CommandDefaults[] | null;
  aliases: AliasOverride[] | null;
  credentialPluginPolicy?: string;
  credentialPluginAllowlist?: AllowlistEntry[];
}

/** The version that is written. */
export const preferenceVersion = "kubectl.config.k8s.io/v1beta1";

/** The content of a file. */
export interface ReadPreference {
  /** Undefined if the file is empty. */
  readonly preference: Preference | undefined;
  /** Unknown fields of the file; undefined if there are none. */
  readonly problem?: string;
}

type Shape = "string" | "strings" | Fields | [Fields];

interface Fields {
  readonly [name: string]: Shape;
}

const optionFields: Fields = { name: "string", default: "string" };
const aliasFields: Fields = {
  name: "string",
  command: "string",
  prependArgs: "strings",
  appendArgs: "strings",
};
const head: Fields = { kind: "string", apiVersion: "string" };

/** The fields of each version that is read. */
const versions: ReadonlyMap<string, Fields> = new Map([
  [
    "kubectl.config.k8s.io/v1alpha1",
    {
      ...head,
      overrides: [{ command: "string", flags: [optionFields] }],
      aliases: [{ ...aliasFields, flags: [optionFields] }],
    },
  ],
  [
    preferenceVersion,
    {
      ...head,
      defaults: [{ command: "string", options: [optionFields] }],
      aliases: [{ ...aliasFields, options: [optionFields] }],
      credentialPluginPolicy: "string",
      credentialPluginAllowlist: [{ name: "string", command: "string" }],
    },
  ],
]);

/** The first valid preference of a file; throws if there are only invalid ones. */
export function readPreference(text: string, file: string): ReadPreference {
  let attempts = 0;
  for (const document of splitYamlDocuments(text)) {
    if (document.trim() === "") continue;
    attempts++;
    const value = tryRead(document);
    const fields = isJsonObject(value) ? versions.get(String(value["apiVersion"])) : undefined;
    if (!fields || !isJsonObject(value) || value["kind"] !== "Preference") continue;
    const unknown: string[] = [];
    if (!fits(value, fields, "", unknown)) continue;
    const problem = unknown.map((path) => `unknown field ${goQuote(path)}`).join(", ");
    const preference = newest(value);
    return problem === ""
      ? { preference }
      : { preference, problem: `strict decoding error: ${problem}` };
  }
  if (attempts === 0) return { preference: undefined };
  throw new Error(`no valid preferences found in ${file}, use --v=5 to see details`);
}

function tryRead(document: string): unknown {
  try {
    return asDoubles(readYaml(Buffer.from(document)).value);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** True if a value has the shape of its type; adds the paths of unknown fields. */
function fits(value: unknown, shape: Shape, path: string, unknown: string[]): boolean {
  if (value === null || value === undefined) return true;
  if (shape === "string") return typeof value === "string";
  if (shape === "strings") {
    return Array.isArray(value) && value.every((item) => typeof item === "string");
  }
  if (Array.isArray(shape)) {
    const [item] = shape as [Fields];
    return (
      Array.isArray(value) && value.every((each, i) => fits(each, item, `${path}[${i}]`, unknown))
    );
  }
  if (!isJsonObject(value)) return false;
  return Object.entries(value).every(([name, part]) => {
    const inner = path === "" ? name : `${path}.${name}`;
    const known = Object.hasOwn(shape, name) ? (shape as Fields)[name] : undefined;
    if (known === undefined) unknown.push(inner);
    return known === undefined || fits(part, known, inner, unknown);
  });
}

/** Converts any version to the newest, with known fields only, in order. */
function newest(value: JsonObject): Preference {
  const isOld = value["apiVersion"] !== preferenceVersion;
  const [defaults, options] = isOld ? ["overrides", "flags"] : ["defaults", "options"];
  const given = value as Record<string, never> & { aliases?: JsonObject[] | null };
  const commands = given[defaults ?? ""] as JsonObject[] | null | undefined;
  const policy = value["credentialPluginPolicy"] as string | undefined;
  const allowlist = value["credentialPluginAllowlist"] as AllowlistEntry[] | null | undefined;
  return {
    kind: "Preference",
    apiVersion: preferenceVersion,
    defaults:
      commands?.map((each) => ({
        command: String(each["command"] ?? ""),
        options: optionsOf(each[options ?? ""]) ?? null,
      })) ?? null,
    aliases: given.aliases?.map((each) => aliasOf(each, options ?? "")) ?? null,
    ...(policy ? { credentialPluginPolicy: policy } : {}),
    ...(allowlist ? { credentialPluginAllowlist: allowlist } : {}),
  };
}

function aliasOf(alias: JsonObject, options: string): AliasOverride {
  const list = (field: string): string[] | undefined =>
    (alias[field] as string[] | null | undefined) ?? undefined;
  const [prependArgs, appendArgs] = [list("prependArgs"), list("appendArgs")];
  const found = optionsOf(alias[options]);
  return {
    name: String(alias["name"] ?? ""),
    command: String(alias["command"] ?? ""),
    ...(prependArgs?.length ? { prependArgs } : {}),
    ...(appendArgs?.length ? { appendArgs } : {}),
    ...(found?.length ? { options: found } : {}),
  };
}

function optionsOf(value: unknown): OptionDefault[] | undefined {
  const list = value as Partial<OptionDefault>[] | null | undefined;
  return list?.map((option) => ({ name: option.name ?? "", default: option.default ?? "" }));
}
