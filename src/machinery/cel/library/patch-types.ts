import { goQuote } from "#/std/go/go-quote.ts";
import type { Library } from "../environment.ts";
import { overload } from "../model/declaration.ts";
import type { TypeProvider } from "../model/type-provider.ts";
import { type CelType, dynType, objectType, stringType, typeType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelList } from "../value/cel-list.ts";
import { CelMap } from "../value/cel-map.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { spendEffort } from "../value/effort.ts";
import { equals } from "../value/equality.ts";
import { urlCosts } from "./costs/text-costs.ts";

const jsonPatchType = objectType("JSONPatch");

/** Fields of a JSONPatch; `value` has any type. */
const jsonPatchFields: ReadonlyMap<string, CelType> = new Map([
  ["op", stringType],
  ["path", stringType],
  ["from", stringType],
  ["value", dynType],
]);

/** The type of other fields: no value has it. */
const unknownType = objectType("");

/** JSONPatch{op: …, path: …}: one operation of a patch. */
export class JsonPatchValue extends CelObject {
  override readonly type: CelType = jsonPatchType;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(fields: ReadonlyMap<string, CelValue>) {
    super();
    this.fields = fields;
  }

  override get typeValue(): CelType {
    return typeType;
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof JsonPatchValue)) return false;
    for (const name of ["op", "from", "path"]) {
      if ((this.fields.get(name) ?? "") !== (other.fields.get(name) ?? "")) return false;
    }
    return equalOrAbsent(this.fields.get("value"), other.fields.get("value"));
  }

  override getField(name: string): CelResult {
    const value = this.fields.get(name);
    if (value !== undefined) return value;
    return jsonPatchFields.has(name) ? "" : unsupported(name);
  }

  override hasField(name: string): boolean | CelFault {
    if (!jsonPatchFields.has(name)) return new CelFault(`unsupported field: ${name}`);
    const value = this.fields.get(name);
    return value !== undefined && value !== "";
  }
}

const unsupported = (name: string): CelFault => new CelFault(`unsupported indexer: ${name}`);

/** Object{…} or Object.spec{…}: a part of an object for an apply configuration. */
export class ObjectPatchValue extends CelObject {
  override readonly type: CelType;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = objectType(typeName);
    this.fields = fields;
  }

  override get typeValue(): CelType {
    return typeType;
  }

  override get isZero(): boolean {
    return this.fields.size === 0;
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof ObjectPatchValue) || other.type.name !== this.type.name) return false;
    if (other.fields.size !== this.fields.size) return false;
    spendEffort(this.fields.size);
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name);
      if (theirs === undefined || equals(value, theirs) !== true) return false;
    }
    return true;
  }

  override getField(name: string): CelResult {
    return this.fields.get(name) ?? null;
  }

  override hasField(name: string): boolean {
    return this.fields.has(name);
  }
}

function equalOrAbsent(a: CelValue | undefined, b: CelValue | undefined): boolean | CelFault {
  if (a === undefined || b === undefined) return a === b;
  return equals(a, b);
}

const isObjectName = (name: string): boolean => name === "Object" || name.startsWith("Object.");

/**
 * The types that mutating policies create: JSONPatch, and Object with types named by the fields
 * below it.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/mutation.
 */
export const patchTypes: TypeProvider = {
  findType(name) {
    return name === "JSONPatch" || isObjectName(name) ? objectType(name) : undefined;
  },
  findField(typeName, field) {
    return typeName === "JSONPatch" ? (jsonPatchFields.get(field) ?? unknownType) : dynType;
  },
  construct(typeName, fields) {
    if (isObjectName(typeName)) return new ObjectPatchValue(typeName, fields);
    return typeName === "JSONPatch" ? new JsonPatchValue(fields) : undefined;
  },
};

/**
 * The errors of the types of nested objects: each must be named by the field path to it, without
 * maps and lists.
 */
export function objectTypeProblems(object: ObjectPatchValue): string[] {
  return typeProblems(object, object.type.name);
}

function typeProblems(value: CelResult, expected: string): string[] {
  if (value instanceof CelList) {
    return Array.from(value, (element) => typeProblems(element, expected)).flat();
  }
  if (value instanceof CelMap) {
    return Array.from(value.entries(), ([, element]) => typeProblems(element, expected)).flat();
  }
  if (!(value instanceof ObjectPatchValue)) return [];
  const { name } = value.type;
  const why = "which matches field name path from root Object type";
  const own = `unexpected type name ${goQuote(name)}, expected ${goQuote(expected)}, ${why}`;
  spendEffort(value.fields.size);
  const nested = Array.from(value.fields, ([field, part]) =>
    typeProblems(part, `${expected}.${field}`),
  );
  return [...(name === expected ? [] : [own]), ...nested.flat()];
}

/** Functions for JSON patches. */
export const jsonPatches: Library = {
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [
        overload("string_jsonpatch_escapeKey_string", [stringType], stringType, (key) => {
          if (typeof key !== "string") return noSuchOverload;
          return key.replaceAll("~", "~0").replaceAll("/", "~1");
        }),
      ],
      ...urlCosts,
    },
  ],
};
