import {
  type FieldError,
  invalid,
  required,
  tooLong,
  tooLongCharacters,
} from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainCaseless,
  isLongerThan,
  isLongName,
  isQualifiedName,
  type Problems,
} from "#/machinery/meta/names.ts";
import { append } from "#/std/base/append.ts";
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * Names in claims and slices of devices.
 *
 * Upstream: pkg/apis/resource/validation/validation.go.
 */

const maxDriverBytes = 63;
const maxPoolBytes = 253;
const maxIdBytes = 32;
const ownDomain = "kubernetes.io/";
const requestsPrefix = "requests.";

const problemsOf = (path: FieldPath, name: string, problems: Problems): FieldError[] =>
  problems.map((problem) => invalid(path, name, problem));

/** Validation errors of a driver name, as its declared rules report them. */
export function validateDriverName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const isLong = [...name].length > maxDriverBytes;
  const long = isLong ? [tooLongCharacters(path, maxDriverBytes)] : [];
  return [...long, ...problemsOf(path, name, isDNS1123SubdomainCaseless(name))];
}

/** The same, but the name is converted to lower case for the check, and its length counts in bytes. */
export function validateOwnDriverName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const long = isLongerThan(name, maxDriverBytes) ? [tooLong(path, maxDriverBytes)] : [];
  return [...long, ...problemsOf(path, name, isDNS1123Subdomain(name.toLowerCase()))];
}

/** Validation errors of a pool name: subdomains separated by slashes. */
export function validatePoolName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const long = isLongerThan(name, maxPoolBytes) ? [tooLong(path, maxPoolBytes)] : [];
  const parts = name.split("/");
  return [...long, ...parts.flatMap((part) => problemsOf(path, part, isDNS1123Subdomain(part)))];
}

/** Validation errors of the name of a request or a device. */
export const validateLabelName = (path: FieldPath, name: string): FieldError[] =>
  problemsOf(path, name, isDNS1123Label(name));

/** Validation errors of the name of a required device class. */
export function validateClassName(path: FieldPath, name: string): FieldError[] {
  return name === "" ? [required(path)] : problemsOf(path, name, isDNS1123Subdomain(name));
}

/** An identifier, optionally after a domain. */
export function validateQualified(path: FieldPath, name: string): FieldError[] {
  const parts = name.split("/");
  const [first = "", second = ""] = parts;
  if (parts.length === 1) return validateIdentifier(path, first);
  if (parts.length > 2) return [];
  return [
    ...(first === ""
      ? [invalid(path, "", "the domain must not be empty")]
      : validateOwnDriverName(path, first)),
    ...(second === ""
      ? [invalid(path, "", "the name must not be empty")]
      : validateIdentifier(path, second)),
  ];
}

function validateIdentifier(path: FieldPath, id: string): FieldError[] {
  const long = isLongerThan(id, maxIdBytes) ? [tooLong(path, maxIdBytes)] : [];
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id)) return long;
  const detail =
    "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
  return [...long, invalid(path, id, detail)];
}

/** The same with a required domain, as declared rules report it. */
export function validateFullyQualified(path: FieldPath, name: string): FieldError[] {
  const [prefix = "", id = "", ...more] = name.split("/");
  if (!name.includes("/")) {
    const detail = "a fully qualified name must be a domain and a name separated by a slash";
    return [...validateIdentifier(path, prefix), invalid(path, name, detail)];
  }
  if (more.length > 0) return [];
  const long = isLongerThan(prefix, maxDriverBytes) ? [tooLong(path, maxDriverBytes)] : [];
  const problems = isLongName(prefix).map((problem) => `prefix: ${problem}`);
  return [
    ...(prefix === ""
      ? [invalid(path, "", "prefix must not be empty")]
      : [...long, ...problemsOf(path, prefix, problems)]),
    ...(id === "" ? [invalid(path, "", "name must not be empty")] : validateIdentifier(path, id)),
  ];
}

/** Validation errors of the name of an extended resource. */
export function validateExtendedResourceName(path: FieldPath, name: string): FieldError[] {
  const problems: string[] = [];
  if (!name.includes("/")) {
    problems.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.includes(ownDomain)) problems.push(`must not have ${goQuote(ownDomain)} domain`);
  if (name.startsWith(requestsPrefix)) {
    problems.push(`must not have ${goQuote(requestsPrefix)} prefix`);
  }
  append(problems, isQualifiedName(`${requestsPrefix}${name}`));
  return problemsOf(path, name, problems);
}
