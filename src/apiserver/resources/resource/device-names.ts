import { type FieldError, invalid, required, tooLong } from "#/machinery/field-error.ts";
import type { FieldPath } from "#/machinery/field-path.ts";
import {
  isDNS1123Label,
  isDNS1123Subdomain,
  isDNS1123SubdomainCaseless,
  isLongerThan,
  type Problems,
} from "#/machinery/names.ts";

/**
 * Names that occur in claims and slices of devices.
 *
 * Upstream: pkg/apis/resource/validation/validation.go.
 */

const maxDriverBytes = 63;
const maxPoolBytes = 253;

const problemsOf = (path: FieldPath, name: string, problems: Problems): FieldError[] =>
  problems.map((problem) => invalid(path, name, problem));

/** What is wrong with the name of a driver. */
export function validateDriverName(path: FieldPath, name: string): FieldError[] {
  if (name === "") return [required(path)];
  const long = isLongerThan(name, maxDriverBytes) ? [tooLong(path, maxDriverBytes)] : [];
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
