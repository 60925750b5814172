import type { GoConstant, GoExpression, GoField } from "./go-types.ts";
import type { GoPackage } from "./packages.ts";

/** Every package with API types, by import path. */
export type Packages = ReadonlyMap<string, GoPackage>;

/** What a type name means once aliases are followed. */
export type Resolved =
  | { readonly kind: "scalar"; readonly name: string }
  | { readonly kind: "enum"; readonly home: GoPackage; readonly name: string }
  | {
      readonly kind: "struct";
      readonly home: GoPackage;
      readonly name: string;
      readonly fields: readonly GoField[];
    }
  | {
      readonly kind: "wrappedList";
      readonly home: GoPackage;
      readonly name: string;
      readonly items: GoExpression;
    }
  | {
      readonly kind: "named";
      readonly home: GoPackage;
      readonly name: string;
      readonly underlying: GoExpression;
    };

const META = "k8s.io/apimachinery/pkg/apis/meta/v1";

const scalars: Readonly<Record<string, string>> = {
  ".string": "string",
  ".bool": "boolean",
  ".int32": "int32",
  ".int64": "int64",
  ".float64": "double",
  ".any": "any",
  "k8s.io/apimachinery/pkg/types.UID": "uid",
  "k8s.io/apimachinery/pkg/types.NodeName": "nodeName",
  "k8s.io/apimachinery/pkg/api/resource.Quantity": "quantity",
  "k8s.io/apimachinery/pkg/util/intstr.IntOrString": "intOrString",
  "k8s.io/apimachinery/pkg/runtime.RawExtension": "rawExtension",
  // Only audit events have it, and they are only ever JSON, where the two are alike.
  "k8s.io/apimachinery/pkg/runtime.Unknown": "rawExtension",
  [`${META}.Time`]: "time",
  [`${META}.MicroTime`]: "microTime",
  [`${META}.Duration`]: "duration",
  [`${META}.FieldsV1`]: "fieldsV1",
};

/** Types of apiextensions that have a JSON form of their own, in each of its versions. */
const apiextensionsScalars: Readonly<Record<string, string>> = {
  JSON: "json",
  JSONSchemaPropsOrArray: "jsonSchemaPropsOrArray",
  JSONSchemaPropsOrBool: "jsonSchemaPropsOrBool",
  JSONSchemaPropsOrStringArray: "jsonSchemaPropsOrStringArray",
};

/** Finds what a name in a package stands for. */
export function resolveName(packages: Packages, path: string, name: string): Resolved {
  const special = path.includes("/apiextensions/") ? apiextensionsScalars[name] : undefined;
  const scalar = special ?? scalars[`${path}.${name}`];
  if (scalar) return { kind: "scalar", name: scalar };
  const home = packages.get(path);
  const type = home?.types.get(name);
  if (!home || !type) throw new Error(`no type ${name} in ${path || "Go itself"}`);
  if (type.kind === "struct") return { kind: "struct", home, name, fields: type.fields };
  if (type.kind === "alias") return resolveAlias(packages, path, type.target);
  if (type.markers.has("enum")) return { kind: "enum", home, name };
  const { underlying } = type;
  if (underlying.kind === "list" && home.messages.has(name)) {
    return { kind: "wrappedList", home, name, items: underlying.items };
  }
  // A type defined as a struct of another package has the fields of that struct.
  const base =
    underlying.kind === "name" && underlying.package !== ""
      ? resolveAlias(packages, path, underlying)
      : undefined;
  return base?.kind === "struct"
    ? { ...base, home, name }
    : { kind: "named", home, name, underlying };
}

/** The values of an enumeration: the constants of its type, wherever they are declared, in alphabetical order. */
export function enumValues(packages: Packages, home: GoPackage, name: string): string[] {
  const values = home.constants
    .filter(({ type }) => type.kind === "name" && type.package === home.path && type.name === name)
    .map((constant) => stringOf(packages, constant));
  return [...new Set(values)].sort();
}

function resolveAlias(packages: Packages, path: string, target: GoExpression): Resolved {
  if (target.kind !== "name") throw new Error(`an alias in ${path} of something without a name`);
  return resolveName(packages, target.package, target.name);
}

/** The string that a constant of a package stands for. */
export function constantValue(packages: Packages, path: string, name: string): string {
  const constant = packages.get(path)?.constants.find((other) => other.name === name);
  if (!constant) throw new Error(`no constant ${name} in ${path}`);
  return stringOf(packages, constant);
}

function stringOf(packages: Packages, { name, value }: GoConstant): string {
  if (typeof value === "string") return value;
  if (value.kind !== "name") throw new Error(`the constant ${name} has no value`);
  return constantValue(packages, value.package, value.name);
}
