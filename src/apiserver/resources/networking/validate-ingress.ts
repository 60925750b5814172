import type { TypedLocalObjectReference } from "#/api/core/v1.ts";
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressTLS,
} from "#/api/networking/v1.ts";
import {
  type FieldError,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { parseIpSloppy } from "#/machinery/meta/ip-rules.ts";
import {
  isDNS1123Subdomain,
  isPathSegmentName,
  isWildcardDNS1123Subdomain,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
} from "#/machinery/meta/names.ts";
import { isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { validateNamespacedMeta } from "../rules/object-meta-rules.ts";

/** Upstream: pkg/apis/networking/validation/validation.go. */
export const ingressClassAnnotation = "kubernetes.io/ingress.class";

/** Rules that an update may break because the old Ingress does. */
interface Allowances {
  readonly secretNames: boolean;
  readonly wildcardRules: boolean;
}

/** Validation errors of a new ingress. */
export function validateIngressCreate(ingress: Decoded<Ingress>): FieldError[] {
  const errors = validateIngress(ingress);
  const { ingressClassName } = ingress.spec;
  const annotation = ingress.metadata.annotations?.[ingressClassAnnotation];
  const both = annotation !== undefined && ingressClassName !== undefined;
  if (both && annotation !== ingressClassName) {
    const path = fieldPath("annotations").child(ingressClassAnnotation);
    errors.push(invalid(path, annotation, "must match `ingressClassName` when both are specified"));
  }
  return errors;
}

/** Validation errors of an ingress; old is the object that an update replaces. */
export function validateIngress(
  { metadata, spec }: Decoded<Ingress>,
  old?: Decoded<Ingress>,
): FieldError[] {
  const errors = validateNamespacedMeta(metadata, nameIsDNSSubdomain);
  const path = fieldPath("spec");
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const allowed = allowances(old);
  if (rules.length === 0 && !defaultBackend) {
    errors.push(invalid(path, null, "either `defaultBackend` or `rules` must be specified"));
  }
  if (defaultBackend) append(errors, validateBackend(defaultBackend, path.child("defaultBackend")));
  rules.forEach((rule, index) => {
    append(errors, validateRule(rule, path.child("rules").index(index), allowed));
  });
  tls.forEach((entry, index) => {
    append(errors, validateTls(entry, path.child("tls").index(index), allowed));
  });
  if (ingressClassName !== undefined) {
    for (const problem of nameIsDNSSubdomain(ingressClassName, false)) {
      errors.push(invalid(path.child("ingressClassName"), ingressClassName, problem));
    }
  }
  return errors;
}

function allowances(old: Ingress | undefined): Allowances {
  const { rules = [], tls = [] } = old?.spec ?? {};
  return {
    secretNames: tls.some(({ secretName }) => secretNameProblems(secretName).length > 0),
    wildcardRules: rules.some(
      (rule) => rule.host?.includes("*") && validateRuleValue(rule, fieldPath("rules")).length > 0,
    ),
  };
}

const secretNameProblems = (name = ""): readonly string[] =>
  name === "" ? [] : nameIsDNSSubdomain(name, false);

function validateTls(
  { hosts = [], secretName = "" }: IngressTLS,
  path: FieldPath,
  { secretNames }: Allowances,
): FieldError[] {
  const errors = hosts.flatMap((host, index) => {
    const problems = host.includes("*")
      ? isWildcardDNS1123Subdomain(host)
      : isDNS1123Subdomain(host);
    return problems.map((problem) => invalid(path.child("hosts").index(index), host, problem));
  });
  if (secretNames) return errors;
  for (const problem of secretNameProblems(secretName)) {
    errors.push(invalid(path.child("secretName"), secretName, problem));
  }
  return errors;
}

function validateRule(rule: IngressRule, path: FieldPath, allowed: Allowances): FieldError[] {
  const { host = "" } = rule;
  const errors: FieldError[] = [];
  const wildcard = host.includes("*");
  if (host !== "") {
    if (parseIpSloppy(host)) {
      errors.push(invalid(path.child("host"), host, "must be a DNS name, not an IP address"));
    }
    const problems = wildcard ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host);
    for (const problem of problems) errors.push(invalid(path.child("host"), host, problem));
  }
  if (!wildcard || !allowed.wildcardRules) append(errors, validateRuleValue(rule, path));
  return errors;
}

function validateRuleValue({ http }: IngressRule, path: FieldPath): FieldError[] {
  if (!http) return [];
  const at = path.child("http").child("paths");
  const paths = http.paths ?? [];
  if (paths.length === 0) return [required(at)];
  return paths.flatMap((entry, index) => validatePath(entry, at.index(index)));
}

const forbiddenSequences = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenSuffixes = ["/..", "/."];
const pathTypes = ["Exact", "ImplementationSpecific", "Prefix"];

function validatePath(entry: Partial<HTTPIngressPath>, path: FieldPath): FieldError[] {
  const { path: text = "", pathType, backend = {} } = entry;
  if (pathType === undefined) {
    return [required(path.child("pathType"), "pathType must be specified")];
  }
  const errors: FieldError[] = [];
  const wrong = (detail: string): void => {
    errors.push(invalid(path.child("path"), text, detail));
  };
  const strict = pathType === "Exact" || pathType === "Prefix";
  if (!pathTypes.includes(pathType)) {
    errors.push(notSupported(path.child("pathType"), new JsonValue(pathType), pathTypes));
  } else if (!text.startsWith("/") && (strict || text !== "")) wrong("must be an absolute path");
  if (strict) {
    for (const sequence of forbiddenSequences) {
      if (text.includes(sequence)) wrong(`must not contain '${sequence}'`);
    }
    for (const suffix of forbiddenSuffixes) {
      if (text.endsWith(suffix)) wrong(`cannot end with '${suffix}'`);
    }
  }
  append(errors, validateBackend(backend, path.child("backend")));
  return errors;
}

function validateBackend({ service, resource }: IngressBackend, path: FieldPath): FieldError[] {
  if (service && resource) {
    return [invalid(path, "", "cannot set both resource and service backends")];
  }
  if (resource) return validateResource(resource, path.child("resource"));
  if (service) return validateService(service, path);
  return [invalid(path, "", "resource or service backend is required")];
}

function validateService(
  { name, port: { name: portName = "", number = 0 } = {} }: IngressServiceBackend,
  path: FieldPath,
): FieldError[] {
  const at = path.child("service");
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(at.child("name")));
  else {
    for (const problem of nameIsDNSLabel(name, false)) {
      errors.push(invalid(at.child("name"), name, problem));
    }
  }
  if (portName !== "" && number !== 0) {
    errors.push(invalid(path, "", "cannot set both port name & port number"));
  } else if (portName !== "") {
    for (const problem of isPortName(portName)) {
      errors.push(invalid(at.child("port").child("name"), portName, problem));
    }
  } else if (number !== 0) {
    for (const problem of isPortNumber(number)) {
      errors.push(invalid(at.child("port").child("number"), number, problem));
    }
  } else errors.push(required(path, "port name or number is required"));
  return errors;
}

function validateResource(
  { apiGroup, kind, name }: TypedLocalObjectReference,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (apiGroup !== undefined) {
    for (const problem of isDNS1123Subdomain(apiGroup)) {
      errors.push(invalid(path.child("apiGroup"), apiGroup, problem));
    }
  }
  for (const [field, value] of [
    ["kind", kind],
    ["name", name],
  ] as const) {
    if (value === "") errors.push(required(path.child(field)));
    for (const problem of value === "" ? [] : isPathSegmentName(value)) {
      errors.push(invalid(path.child(field), value, problem));
    }
  }
  return errors;
}
