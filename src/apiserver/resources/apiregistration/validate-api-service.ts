import type { APIService } from "#/api/apiregistration/v1.ts";
import { type FieldError, invalid, notSupported, required } from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1035Label, isDNS1123Subdomain, isPathSegmentName } from "#/machinery/meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "#/machinery/meta/object-meta.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Decoded } from "../../registry/strategy.ts";

const metadata = fieldPath("metadata");
const spec = fieldPath("spec");

/** Upstream: staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go. */
export function validateApiService(object: Decoded<APIService>): FieldError[] {
  const { group = "", version = "" } = object.spec;
  const expected = `${version}.${group}`;
  const name = (text: string): readonly string[] => {
    const problems = isPathSegmentName(text);
    if (problems.length > 0) return problems;
    return text === expected
      ? []
      : [`must be \`spec.version+"."+spec.group\`: ${goQuote(expected)}`];
  };
  const errors = validateObjectMeta(object.metadata, { namespaced: false, name }, metadata);
  if (group === "" && version !== "v1") {
    const detail = "only v1 may have an empty group and it better be legacy kube";
    errors.push(required(spec.child("group"), detail));
  }
  if (group !== "") {
    for (const problem of isDNS1123Subdomain(group)) {
      errors.push(invalid(spec.child("group"), group, problem));
    }
  }
  for (const problem of isDNS1035Label(version)) {
    errors.push(invalid(spec.child("version"), version, problem));
  }
  validatePriorities(object, errors);
  if (object.spec.service) validateRemote(object, errors);
  else validateLocal(object, errors);
  return errors;
}

/** Upstream: ValidateAPIServiceUpdate. */
export function validateApiServiceUpdate(
  object: Decoded<APIService>,
  old: Decoded<APIService>,
): FieldError[] {
  return [
    ...validateObjectMetaUpdate(object.metadata, old.metadata, metadata),
    ...validateApiService(object),
  ];
}

/** Upstream: ValidateAPIServiceStatusUpdate. */
export function validateStatusUpdate(
  object: Decoded<APIService>,
  old: Decoded<APIService>,
): FieldError[] {
  const errors = validateObjectMetaUpdate(object.metadata, old.metadata, metadata);
  object.status?.conditions?.forEach(({ status }, index) => {
    if (["True", "False", "Unknown"].includes(status)) return;
    const path = fieldPath("status", "conditions").index(index).child("status");
    errors.push(notSupported(path, status, ["True", "False", "Unknown"]));
  });
  return errors;
}

function validatePriorities({ spec: content }: APIService, errors: FieldError[]): void {
  const { groupPriorityMinimum = 0, versionPriority = 0 } = content;
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20000) {
    const detail = "must be positive and less than 20000";
    errors.push(invalid(spec.child("groupPriorityMinimum"), groupPriorityMinimum, detail));
  }
  if (versionPriority <= 0 || versionPriority > 1000) {
    const detail = "must be positive and less than 1000";
    errors.push(invalid(spec.child("versionPriority"), versionPriority, detail));
  }
}

function validateLocal({ spec: content }: APIService, errors: FieldError[]): void {
  const { caBundle = "", insecureSkipTLSVerify } = content;
  if (caBundle !== "") {
    const size = `${Buffer.from(caBundle, "base64").length} bytes`;
    errors.push(invalid(spec.child("caBundle"), size, "local APIServices may not have a caBundle"));
  }
  if (insecureSkipTLSVerify) {
    const detail = "local APIServices may not have insecureSkipTLSVerify";
    errors.push(invalid(spec.child("insecureSkipTLSVerify"), true, detail));
  }
}

function validateRemote({ spec: content }: APIService, errors: FieldError[]): void {
  const { service = {}, caBundle = "", insecureSkipTLSVerify } = content;
  const path = spec.child("service");
  if (!service.namespace) errors.push(required(path.child("namespace"), ""));
  if (!service.name) errors.push(required(path.child("name"), ""));
  const { port = 0 } = service;
  if (port < 1 || port > 65535) {
    const detail = "port is not valid: must be between 1 and 65535, inclusive";
    errors.push(invalid(path.child("port"), port, detail));
  }
  if (insecureSkipTLSVerify && caBundle !== "") {
    const detail = "may not be true if caBundle is present";
    errors.push(invalid(spec.child("insecureSkipTLSVerify"), true, detail));
  }
}
