import { type ErrorPath, type FieldError, invalid, required } from "./field-error.ts";
import {
  emptyMessage,
  isDNS1123Label,
  isDNS1123Subdomain,
  isLongerThan,
  isQualifiedName,
  maxLengthMessage,
  maxSubdomainLength,
  type Problems,
  patternMessage,
  rangeMessage,
} from "./names.ts";

/**
 * Rules for texts and numbers that are not names of objects: keys, ports, variables, domains. As in
 * names.ts, a list of problems is returned; empty means none.
 *
 * Upstream: staging/src/k8s.io/apimachinery/pkg/util/validation/validation.go,
 * staging/src/k8s.io/apimachinery/pkg/api/validate/content.
 */
const none: Problems = [];

function patternRule(
  pattern: string,
  message: string,
  ...examples: string[]
): (value: string) => Problems {
  const matcher = new RegExp(`^(?:${pattern})$`);
  const wrong: Problems = [patternMessage(message, pattern, ...examples)];
  return (value) => (matcher.test(value) ? none : wrong);
}

/** A percentage, such as 25%. */
export const isPercent: (value: string) => Problems = patternRule(
  "[0-9]+%",
  "a valid percent string must be a numeric string followed by an ending '%'",
  "1%",
  "93%",
);

/** The name of an HTTP header. */
export const isHTTPHeaderName: (value: string) => Problems = patternRule(
  "[-A-Za-z0-9]+",
  "a valid HTTP header must consist of alphanumeric characters or '-'",
  "X-Header-Name",
);

const matchesEnvVarName = patternRule(
  "[-._a-zA-Z][-._a-zA-Z0-9]*",
  "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
  "my.env-name",
  "MY_ENV.NAME",
  "MyEnvName1",
);

/** The name of an environment variable, by the old, strict rule. */
export function isEnvVarName(value: string): Problems {
  return join(matchesEnvVarName(value), parentPathProblems(value));
}

/**
 * The name of an environment variable, by the relaxed rule: printable ASCII without the equals
 * sign.
 */
export function isRelaxedEnvVarName(value: string): Problems {
  if (value === "") return [`environment variable name ${emptyMessage}`];
  if (/^[ -<>-~]*$/.test(value)) return none;
  return [
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
  ];
}

const matchesConfigMapKey = patternRule(
  "[-._a-zA-Z0-9]+",
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  "key.name",
  "KEY_NAME",
  "key-name",
);

/** A key of a ConfigMap or Secret. */
export function isConfigMapKey(value: string): Problems {
  const long = isLongerThan(value, maxSubdomainLength)
    ? [maxLengthMessage(maxSubdomainLength)]
    : none;
  return join(long, join(matchesConfigMapKey(value), parentPathProblems(value)));
}

/** Rejects names that lead out of a directory. */
function parentPathProblems(value: string): Problems {
  if (value === "." || value === "..") return [`must not be '${value}'`];
  return value.startsWith("..") ? ["must not start with '..'"] : none;
}

/** The name of a port, an IANA service name. */
export function isPortName(port: string): Problems {
  const problems: string[] = [];
  if (isLongerThan(port, 15)) problems.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(port)) {
    problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(port)) problems.push("must contain at least one letter (a-z)");
  if (port.includes("--")) problems.push("must not contain consecutive hyphens");
  if (port.startsWith("-") || port.endsWith("-")) {
    problems.push("must not begin or end with a hyphen");
  }
  return problems;
}

/** A valid port number. */
export const isPortNumber = (port: number): Problems => isInRange(port, { min: 1, max: 65535 });

/** A user id. */
export const isUserID = (id: number): Problems => isInRange(id, { min: 0, max: 2147483647 });

/** A group id. */
export const isGroupID = (id: number): Problems => isInRange(id, { min: 0, max: 2147483647 });

/** A number within limits, both included. */
function isInRange(value: number, { min, max }: { min: number; max: number }): Problems {
  return value >= min && value <= max ? none : [rangeMessage(min, max)];
}

/** An integer in canonical form: no plus sign, no leading zeros. */
export function isDecimalInteger(value: string): Problems {
  if (value === "") return [emptyMessage];
  if (/^(0|-?[1-9][0-9]*)$/.test(value)) return none;
  return ["must be a valid decimal integer in canonical form"];
}

/** Validates a domain of at least two parts; a dot at the end is allowed. */
export function validateFullyQualifiedDomainName(path: ErrorPath, text: string): FieldError[] {
  if (text === "") return [required(path)];
  const name = text.endsWith(".") ? text.slice(0, -1) : text;
  const problems = isDNS1123Subdomain(name);
  if (problems.length > 0) return [invalid(path, name, problems.join(","))];
  const labels = name.split(".");
  if (labels.length < 2) {
    return [invalid(path, name, "should be a domain with at least two segments separated by dots")];
  }
  for (const label of labels) {
    const wrong = isDNS1123Label(label);
    if (wrong.length > 0) return [invalid(path, label, wrong.join(","))];
  }
  return [];
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Validates a path with a domain before it, such as acme.io/foo. */
export function validateDomainPrefixedPath(path: ErrorPath, text: string): FieldError[] {
  if (text === "") return [required(path)];
  const slash = text.indexOf("/");
  if (slash <= 0 || slash === text.length - 1) {
    return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const [host, rest] = [text.slice(0, slash), text.slice(slash + 1)];
  const errors = isDNS1123Subdomain(host).map((problem) => invalid(path, host, problem));
  if (!new RegExp(`^${httpPath}$`).test(rest)) {
    errors.push(invalid(path, rest, patternMessage("Invalid path", httpPath)));
  }
  return errors;
}

/** Validates a label key with its domain, such as acme.io/foo. */
export function validateDomainPrefixedKey(path: ErrorPath, key: string): FieldError[] {
  if (key === "") return [required(path)];
  const problems = isQualifiedName(key);
  if (problems.length > 0) return problems.map((problem) => invalid(path, key, problem));
  if (key.includes("/")) return [];
  return [invalid(path, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
}

function join(a: Problems, b: Problems): Problems {
  if (a.length === 0) return b;
  return b.length === 0 ? a : [...a, ...b];
}
