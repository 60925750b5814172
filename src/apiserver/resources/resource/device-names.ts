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
import { goQuote } from "#/std/go/go-quote.ts";

/**
 * Names that occur in claims and slices of devices.
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

/** What is wrong with the name of a driver as its declared rules have it. */
export function validateDriverName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const isLong = [...name].length > maxDriverBytes;
  const long = isLong ? [tooLongCharacters(path, maxDriverBytes)] : [];
  return [...long, ...problemsOf(path, name, isDNS1123SubdomainCaseless(name))];
}

/** The same where the whole name is compared in lower case, and said to be so. */
export function validateOwnDriverName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const long = isLongerThan(name, maxDriverBytes) ? [tooLong(path, maxDriverBytes)] : [];
  return [...long, ...problemsOf(path, name, isDNS1123Subdomain(name.toLowerCase()))];
}

/** What is wrong with the name of a pool: subdomains with slashes between. */
export function validatePoolName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const long = isLongerThan(name, maxPoolBytes) ? [tooLong(path, maxPoolBytes)] : [];
  const parts = name.split("/");
  return [...long, ...parts.flatMap((part) => problemsOf(path, part, isDNS1123Subdomain(part)))];
}

/** What is wrong with the name of a request or a device. */
export const validateLabelName = (path: FieldPath, name: string): FieldError[] =>
  problemsOf(path, name, isDNS1123Label(name));

/** What is wrong with the name of a device class that must be given. */
export function validateClassName(path: FieldPath, name: string): FieldError[] {
  return name === "" ? [required(path)] : problemsOf(path, name, isDNS1123Subdomain(name));
}

/** An identifier, maybe with a domain in front. */
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

/** The same with a domain that must be there, as declared rules have it. */
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

/** What is wrong with the name of an extended resource. */
export function validateExtendedResourceName(path: FieldPath, name: string): FieldError[] {
  const problems: string[] = [];
  if (!name.includes("/")) {
    problems.push("a name must be a domain-prefixed path, such as 'example.com/my-prop'");
  } else if (name.includes(ownDomain)) problems.push(`must not have ${goQuote(ownDomain)} domain`);
  if (name.startsWith(requestsPrefix)) {
    problems.push(`must not have ${goQuote(requestsPrefix)} prefix`);
  }
  problems.push(...isQualifiedName(`${requestsPrefix}${name}`));
  return problemsOf(path, name, problems);
}
