import type { Library } from "../environment.ts";
import { type FunctionDecl, member, type Overload, overload } from "../model/declaration.ts";
import { boolType, type CelType, intType, objectType, stringType } from "../type/cel-type.ts";
import { CelFault, noSuchOverload } from "../value/cel-fault.ts";
import { CelObject } from "../value/cel-object.ts";
import type { CelResult, CelValue } from "../value/cel-value.ts";
import { fixedCosts, parseCosts } from "./costs/text-costs.ts";
import {
  compareVersions,
  parseVersion,
  type Version,
  VersionError,
} from "./values/semantic-version.ts";

const semverType = objectType("kubernetes.Semver");

class SemverValue extends CelObject {
  override readonly type: CelType = semverType;
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  override equals(other: CelValue): boolean | CelFault {
    if (!(other instanceof SemverValue)) return noSuchOverload;
    return compareVersions(this.version, other.version) === 0;
  }

  override toString(): string {
    return this.version.text;
  }
}

/**
 * Semantic versions.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/library/semverlib.go.
 */
export const semvers: Library = {
  functions: [
    {
      name: "semver",
      overloads: [
        overload("string_to_semver", [stringType], semverType, toSemver),
        overload("string_bool_to_semver", [stringType, boolType], semverType, toSemver),
      ],
      ...parseCosts(),
    },
    {
      name: "isSemver",
      overloads: [
        overload("is_semver_string", [stringType], boolType, isSemver),
        overload("is_semver_string_bool", [stringType, boolType], boolType, isSemver),
      ],
      ...parseCosts(),
    },
    cheap(
      "isGreaterThan",
      comparison("semver_is_greater_than", boolType, (order) => order > 0),
    ),
    cheap(
      "isLessThan",
      comparison("semver_is_less_than", boolType, (order) => order < 0),
    ),
    cheap(
      "compareTo",
      comparison("semver_compare_to", intType, (order) => BigInt(order)),
    ),
    cheap(
      "major",
      part("semver_major", ({ major }) => major),
    ),
    cheap(
      "minor",
      part("semver_minor", ({ minor }) => minor),
    ),
    cheap(
      "patch",
      part("semver_patch", ({ patch }) => patch),
    ),
  ],
};

function cheap(name: string, signature: Overload): FunctionDecl {
  return { name, overloads: [signature], ...fixedCosts(1) };
}

function part(id: string, get: (version: Version) => bigint): Overload {
  return member(id, [semverType], intType, (value) => {
    return value instanceof SemverValue ? BigInt.asIntN(64, get(value.version)) : noSuchOverload;
  });
}

function comparison(id: string, type: CelType, result: (order: number) => CelValue): Overload {
  return member(id, [semverType, semverType], type, (a, b) => {
    if (!(a instanceof SemverValue) || !(b instanceof SemverValue)) return noSuchOverload;
    return result(compareVersions(a.version, b.version));
  });
}

function toSemver(text?: CelValue, normalize: CelValue = false): CelResult {
  if (typeof text !== "string" || typeof normalize !== "boolean") return noSuchOverload;
  try {
    return new SemverValue(parseVersion(text, normalize));
  } catch (error) {
    if (error instanceof VersionError) return new CelFault(error.message);
    throw error;
  }
}

function isSemver(text?: CelValue, normalize: CelValue = false): CelResult {
  return !(toSemver(text, normalize) instanceof CelFault);
}
