import {
  type IngressClass,
  type IngressClassParametersReference,
  ingressClasses,
} from "#/api/networking/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123Subdomain,
  isLongerThan,
  isPathSegmentName,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
} from "#/machinery/meta/names.ts";
import { immutableMessage } from "#/machinery/meta/object-meta.ts";
import { validateDomainPrefixedPath } from "#/machinery/meta/text-rules.ts";
import { append } from "#/std/base/append.ts";
import { type Decoded, serve } from "../../registry/strategy.ts";
import { ageColumn } from "../rules/age.ts";
import { countGeneration, startGeneration } from "../rules/generation.ts";
import { validateClusterMeta, validateMetaUpdate } from "../rules/object-meta-rules.ts";

const maxControllerBytes = 250;
const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";

/** Upstream: pkg/registry/networking/ingressclass/strategy.go, pkg/apis/networking/validation/validation.go. */
export const ingressClass = serve(ingressClasses, {
  setDefaults({ spec }) {
    if (spec.parameters) spec.parameters.scope ??= "Cluster";
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (object, old) => countGeneration(object, old),
  validate: validateIngressClass,
  validateUpdate: (object, old) => [
    ...validateMetaUpdate(object.metadata, old.metadata),
    ...((object.spec.controller ?? "") === (old.spec.controller ?? "")
      ? []
      : [invalid(fieldPath("spec", "controller"), object.spec.controller ?? "", immutableMessage)]),
    ...validateIngressClass(object),
  ],
  columns: [
    { name: "Name", type: "string", format: "name", cell: formatName },
    { name: "Controller", type: "string", cell: ({ spec }) => spec.controller ?? "" },
    { name: "Parameters", type: "string", cell: ({ spec }) => formatParameters(spec.parameters) },
    ageColumn,
  ],
});

function validateIngressClass({ metadata, spec }: Decoded<IngressClass>): FieldError[] {
  const errors = validateClusterMeta(metadata, nameIsDNSSubdomain);
  const path = fieldPath("spec");
  const { controller = "", parameters } = spec;
  if (isLongerThan(controller, maxControllerBytes)) {
    errors.push(tooLong(path.child("controller"), maxControllerBytes));
  }
  append(errors, validateDomainPrefixedPath(path.child("controller"), controller));
  if (parameters) append(errors, validateParameters(parameters, path.child("parameters")));
  return errors;
}

function validateParameters(
  { apiGroup, kind, name, scope = "", namespace }: IngressClassParametersReference,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const add = (field: string, value: string, problems: readonly string[]): void => {
    for (const problem of problems) errors.push(invalid(path.child(field), value, problem));
  };
  if (apiGroup !== undefined) add("apiGroup", apiGroup, isDNS1123Subdomain(apiGroup));
  if (kind !== "") add("kind", kind, isPathSegmentName(kind));
  if (name !== "") add("name", name, isPathSegmentName(name));
  if (scope !== "Cluster" && scope !== "Namespace") {
    errors.push(notSupported(path.child("scope"), scope, ["Cluster", "Namespace"]));
  } else if (scope === "Namespace") {
    if (namespace === undefined) {
      errors.push(required(path.child("namespace"), "`parameters.scope` is set to 'Namespace'"));
    } else add("namespace", namespace, nameIsDNSLabel(namespace, false));
  } else if (namespace !== undefined) {
    errors.push(forbidden(path.child("namespace"), "`parameters.scope` is set to 'Cluster'"));
  }
  // Declared rules of the types come last.
  if (kind === "") errors.push(required(path.child("kind")));
  if (name === "") errors.push(required(path.child("name")));
  return errors;
}

function formatName({ metadata }: Decoded<IngressClass>): string {
  const isDefault = metadata.annotations?.[defaultAnnotation] === "true";
  return isDefault ? `${metadata.name} (default)` : (metadata.name ?? "");
}

function formatParameters(parameters: IngressClassParametersReference | undefined): string {
  if (!parameters) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${kind}${apiGroup === undefined ? "" : `.${apiGroup}`}/${name}`;
}
