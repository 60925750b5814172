import type {
  ConfigMapNodeConfigSource,
  NodeConfigSource,
  NodeConfigStatus,
} from "#/api/core/v1.ts";
import { type FieldError, forbidden, invalid, required } from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { nameIsDNSLabel, nameIsDNSSubdomain, type Problems } from "#/machinery/meta/names.ts";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";

/**
 * Dynamic kubelet configuration, a removed feature; nodes that have such fields keep them.
 *
 * Upstream: pkg/apis/core/validation/validation.go.
 */

/** Validation errors of a desired configuration. */
export function validateConfigSource(source: NodeConfigSource, path: FieldPath): FieldError[] {
  return validateSource(source, path, ({ uid, resourceVersion }, at) => [
    ...(uid ? [forbidden(at.child("uid"), "uid must not be set in spec")] : []),
    ...(resourceVersion
      ? [forbidden(at.child("resourceVersion"), "resourceVersion must not be set in spec")]
      : []),
  ]);
}

/** Validation errors of the configurations in a node's status. */
export function validateConfigStatus(status: NodeConfigStatus): FieldError[] {
  return (["assigned", "active", "lastKnownGood"] as const).flatMap((field) => {
    const source = status[field];
    if (!source) return [];
    return validateSource(
      source,
      fieldPath("status", "config", field),
      ({ uid, resourceVersion }, at) => [
        ...(uid ? [] : [required(at.child("uid"))]),
        ...(resourceVersion ? [] : [required(at.child("resourceVersion"))]),
      ],
    );
  });
}

type Check = (source: ConfigMapNodeConfigSource, path: FieldPath) => FieldError[];

function validateSource(source: NodeConfigSource, path: FieldPath, check: Check): FieldError[] {
  const { configMap } = source;
  if (!configMap) {
    const shown = { ConfigMap: null };
    return [invalid(path, shown, "exactly one reference subfield must be non-nil")];
  }
  const at = path.child("configMap");
  return [...check(configMap, at), ...validateConfigMapSource(configMap, at)];
}

function validateConfigMapSource(source: ConfigMapNodeConfigSource, path: FieldPath): FieldError[] {
  const check = (
    field: "namespace" | "name" | "kubeletConfigKey",
    rule: (value: string) => Problems,
  ): FieldError[] => {
    const value = source[field];
    if (value === "") return [required(path.child(field))];
    return rule(value).map((problem) => invalid(path.child(field), value, problem));
  };
  return [
    ...check("namespace", (value) => nameIsDNSLabel(value, false)),
    ...check("name", (value) => nameIsDNSSubdomain(value, false)),
    ...check("kubeletConfigKey", isConfigMapKey),
  ];
}
