import { leaseCandidates as leaseCandidatesAlpha } from "#/api/coordination/v1alpha2.ts";
import { type LeaseCandidateSpec, leaseCandidates } from "#/api/coordination/v1beta1.ts";
import { compareVersions, findVersion } from "#/machinery/cel/library/values/semantic-version.ts";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import type { NameRule } from "#/machinery/meta/names.ts";
import {
  immutableMessage,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "#/machinery/meta/object-meta.ts";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";
import { append } from "#/std/base/append.ts";
import { serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { oldestEmulationVersion, validateLeaseStrategy } from "./lease-strategy.ts";

const metadataPath = fieldPath("metadata");
const specPath = fieldPath("spec");
const nameIsKey: NameRule = isConfigMapKey;

/** Upstream: pkg/registry/coordination/leasecandidate/strategy.go, pkg/apis/coordination/validation/validation.go. */
export const leaseCandidate = serve(leaseCandidates, {
  versions: [{ handle: leaseCandidatesAlpha }],
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: ({ metadata, spec }) => [
    ...validateObjectMeta(metadata, { namespaced: true, name: nameIsKey }, metadataPath),
    ...validateSpec(spec),
  ],
  validateUpdate: ({ metadata, spec }, old) => [
    ...validateObjectMetaUpdate(metadata, old.metadata, metadataPath),
    ...validateSpec(spec),
    ...(spec.leaseName === old.spec.leaseName
      ? []
      : [invalid(specPath.child("leaseName"), spec.leaseName, immutableMessage)]),
  ],
  columns: [
    nameColumn,
    { name: "LeaseName", type: "string", cell: ({ spec }) => spec.leaseName },
    { name: "BinaryVersion", type: "string", cell: ({ spec }) => spec.binaryVersion },
    { name: "EmulationVersion", type: "string", cell: ({ spec }) => spec.emulationVersion ?? "" },
    ageColumn,
  ],
});

function validateSpec(spec: LeaseCandidateSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.leaseName === "") errors.push(required(specPath.child("leaseName")));
  append(errors, validateVersions(spec));
  const { strategy, emulationVersion = "" } = spec;
  if (!strategy) return [...errors, required(specPath.child("strategy"))];
  const isZero = compareVersions(findVersion(emulationVersion) ?? zero, zero) === 0;
  if (strategy === oldestEmulationVersion && isZero) {
    const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(required(specPath.child("emulationVersion"), detail));
  }
  append(errors, validateLeaseStrategy(strategy, specPath.child("strategy")));
  return errors;
}

const zero = { major: 0n, minor: 0n, patch: 0n, prerelease: [], text: "0.0.0" } as const;

function validateVersions({ emulationVersion = "", binaryVersion }: LeaseCandidateSpec) {
  const errors: FieldError[] = [];
  const emulated = findVersion(emulationVersion);
  const binary = findVersion(binaryVersion);
  const malformed = "must be a valid semantic version";
  if (emulationVersion !== "" && !emulated) {
    errors.push(invalid(specPath.child("emulationVersion"), emulationVersion, malformed));
  }
  const path = specPath.child("binaryVersion");
  if (binaryVersion === "") errors.push(required(path));
  else if (!binary) errors.push(invalid(path, binaryVersion, malformed));
  const both = binaryVersion !== "" && emulationVersion !== "";
  if (both && compareVersions(binary ?? zero, emulated ?? zero) < 0) {
    const detail = "must be greater than or equal to `emulationVersion`";
    errors.push(invalid(path, binaryVersion, detail));
  }
  return errors;
}
