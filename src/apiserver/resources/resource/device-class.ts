import type { DeviceClassSpec } from "#/api/resource/v1.ts";
import { deviceClasses } from "#/api/resource/v1.ts";
import { deviceClasses as deviceClassesBeta1 } from "#/api/resource/v1beta1.ts";
import { deviceClasses as deviceClassesBeta2 } from "#/api/resource/v1beta2.ts";
import type { FieldError } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isLongName } from "#/machinery/meta/names.ts";
import { serve } from "../../registry/strategy.ts";
import { ageColumn, nameColumn } from "../rules/age.ts";
import { withDeclared, withDeclaredName } from "../rules/declared-rules.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";
import { validateConfiguration, validateList, validateSelectors } from "./claim-spec.ts";
import { declaredClassErrors } from "./declared-claim.ts";
import { validateExtendedResourceName } from "./device-names.ts";

const specPath = fieldPath("spec");
const maxItems = 32;

/**
 * Upstream: pkg/registry/resource/deviceclass/strategy.go,
 * pkg/apis/resource/validation/validation.go.
 */
export const deviceClass = serve(deviceClasses, {
  versions: [{ handle: deviceClassesBeta2 }, { handle: deviceClassesBeta1 }],
  returnsDeletedObject: true,
  prepareForCreate: startGeneration,
  prepareForUpdate: (object, old) => countGeneration(object, old),
  validate: ({ metadata, spec }) => {
    const { generateName: _, ...named } = metadata;
    const errors = [...validateClusterMeta(named, isLongName), ...validateSpec(spec)];
    return withDeclaredName(errors, declaredClassErrors(specPath, spec));
  },
  validateUpdate: ({ metadata, spec }, old) =>
    withDeclared(
      [...validateMetaUpdate(metadata, old.metadata), ...validateSpec(spec)],
      declaredClassErrors(specPath, spec, old.spec),
    ),
  columns: [nameColumn, ageColumn],
});

function validateSpec(spec: DeviceClassSpec): FieldError[] {
  const { selectors = [], config = [], extendedResourceName: extended } = spec;
  return [
    ...validateSelectors(selectors, specPath.child("selectors")),
    ...validateList(specPath.child("config"), config, maxItems, (item, path) =>
      validateConfiguration(item, path, new Set()),
    ),
    // A name that is set must be valid; the declared rules do not check an empty one.
    ...(extended === ""
      ? validateExtendedResourceName(specPath.child("extendedResourceName"), extended)
      : []),
  ];
}
